/** The everyday corpus: lines that coding agents and developers run, and how often a preset asks or refuses. */

import { type PresetName, presetNames } from '../../../src/policy-files/init/presets.ts';
import { casesOf, type Corpus, type CorpusOptions, UsageError } from '../corpus.ts';
import { type DecidedEveryday, decideEveryday } from './decide-everyday.ts';
import { benchCases } from './bench-lines.ts';
import { everydayCases } from './everyday-case.ts';
import { bounds, everydayShares, isKept } from './everyday-figures.ts';
import { writeFigures } from '../page.ts';
import { comparePeers, type PeerAnswersById } from '../peers/compare-peers.ts';
import { peerText, writeSummary } from '../peers/summary.ts';
import { alignedText } from '../table.ts';
import {
  boundTable,
  classTable,
  everydayFigures,
  listAsked,
  listDenied,
  sessionFigures,
  sessionTable,
  shareTable,
} from './everyday-report.ts';
import { recordedSessions } from './session.ts';

export const everyday: Corpus = {
  title: 'lines that coding agents and developers run every day',
  async run(options) {
    if (options.observe) throw new UsageError('--observe is for the hostile corpus only');
    const isWhole = options.classes.length === 0;
    const cases = casesOf([...everydayCases(), ...benchCases()], options.classes);
    const decided = await decideEveryday(cases, isWhole ? recordedSessions() : []);
    const peers = options.peers ? await comparePeers.everyday(cases) : undefined;
    if (options.write) {
      writeSummary('everyday', everydayShares(decided.lines, peers?.answers), peers?.versions);
      writeFigures('everyday', everydayFigures(decided, presetNames));
      writeFigures('sessions', sessionFigures(decided, presetNames));
    }
    print(options.json ? jsonLines(decided, peers?.answers) : textReport(decided, options));
    if (peers !== undefined && !options.json) print(`\n${peerText(everydayShares(decided.lines, peers.answers))}`);
    return isWhole && bounds.some((bound) => !isKept(bound, bound.measure(decided))) ? 1 : 0;
  },
};

function presetsOf({ presets }: CorpusOptions): readonly PresetName[] {
  const unknown = presets.find((name) => !presetNames.some((preset) => preset === name));
  if (unknown !== undefined) throw new UsageError(`no preset "${unknown}"; there are: ${presetNames.join(', ')}`);
  return presets.length === 0 ? presetNames : presetNames.filter((name) => presets.includes(name));
}

function jsonLines({ lines, sessions }: DecidedEveryday, peers: PeerAnswersById | undefined): string {
  return [
    ...lines.map(({ item, answers }) => ({ ...item, answers, peers: peers?.get(item.id) })),
    ...sessions.flatMap(({ session, calls }) =>
      calls.map(({ call, answers }) => ({ session: session.name, folder: session.folder, ...call, answers })),
    ),
  ]
    .map((each) => JSON.stringify(each))
    .join('\n');
}

function textReport(decided: DecidedEveryday, options: CorpusOptions): string {
  const { lines, sessions } = decided;
  const presets = presetsOf(options);
  return [
    `Each cell: allow/ask/deny\n\n${alignedText(classTable(lines, presets))}`,
    ...(options.asked ? [listAsked(lines, presets)] : []),
    listDenied(lines, presets),
    ...(options.classes.length === 0
      ? [
          alignedText(shareTable(lines, presets)),
          `Questions per session (repeated calls counted once):\n\n${alignedText(sessionTable(sessions, presets))}`,
          alignedText(boundTable(decided)),
        ]
      : []),
  ].join('\n\n');
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
