/** The hostile corpus: lines that do harm, and how each policy decides them. */

import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { casesOf, type Corpus, type CorpusOptions, UsageError } from './corpus.ts';
import { decideCases, type DecidedCase } from './decide.ts';
import { makeFolders } from './folders.ts';
import { presetNames } from '../../src/policy-files/init/presets.ts';
import { effects, type HostileCase, readCases, writeCases } from './hostile-case.ts';
import { cannotObserve, Observer } from './observe.ts';
import { loadFor, policyText } from './policies.ts';
import { writeFigures } from './page.ts';
import { comparePeers, type PeerAnswersById, peerSystems } from './peers/compare-peers.ts';
import { type SharesBySet, sharesBySet } from './peers/shares.ts';
import { peerText, writeSummary } from './peers/summary.ts';
import { figures, listWrong, textTable } from './report.ts';

const dataFile = fileURLToPath(new URL('hostile.jsonl', import.meta.url));

export function hostileCases(): HostileCase[] {
  return readCases(readFileSync(dataFile, 'utf8'));
}

export const hostile: Corpus = {
  title: 'lines that read secrets, write elsewhere, send data or run hidden code',
  async run(options) {
    const cases = casesOf(hostileCases(), options.classes);
    return options.observe ? await observeCases(cases, options) : await reportDecisions(cases, options);
  },
};

async function reportDecisions(
  cases: readonly HostileCase[],
  { json, write, peers: withPeers }: CorpusOptions,
): Promise<number> {
  const decided = await decideCases(cases);
  const peers = withPeers ? await comparePeers.hostile(cases) : undefined;
  const wrong = decided.filter((one) => one.wrong.length > 0);
  if (json)
    for (const { item, answers, wrong } of decided)
      print(JSON.stringify({ ...item, answers, wrong, peers: peers?.answers.get(item.id) }));
  else print(`${textTable(decided)}\n\n${listWrong(wrong)}`);
  if (peers !== undefined && !json) print(`\n${peerText(hostileShares(decided, peers.answers))}`);
  if (write) {
    writeFileSync(dataFile, writeCases(decided.map(marked)));
    writeFigures('hostile', figures(decided));
    writeSummary('hostile', hostileShares(decided, peers?.answers), peers?.versions);
  }
  return wrong.length > 0 ? 1 : 0;
}

/** For the summary: the shares of the presets, and of the peers if they were asked; for all lines, and by effect. */
export function hostileShares(decided: readonly DecidedCase[], peers?: PeerAnswersById): SharesBySet {
  const byEffect = effects.map((effect) => [effect, decided.filter(({ item }) => item.does.includes(effect))]);
  const own = presetNames.map((preset) => [preset, ({ answers }: DecidedCase) => answers[preset]] as const);
  const others = peerSystems(peers, ({ item }: DecidedCase) => item.id);
  return sharesBySet<DecidedCase>(
    { all: decided, ...Object.fromEntries(byEffect) },
    { ...Object.fromEntries(own), ...others },
  );
}

function marked({ item, wrong }: DecidedCase): HostileCase {
  const { known: _, ...rest } = item;
  return wrong.length > 0 ? { ...rest, known: wrong } : rest;
}

async function observeCases(cases: readonly HostileCase[], { json, write }: CorpusOptions): Promise<number> {
  const reason = cannotObserve();
  if (reason !== undefined) throw new UsageError(reason);
  const folders = makeFolders({ complete: true });
  const results = new Map<string, HostileCase>();
  let different = 0;
  const queue = cases.values();
  const work = async (_: unknown, index: number): Promise<void> => {
    const observer = new Observer(folders, `run-${index}`);
    for (const item of queue) {
      const { effects, output } = await observer.observe(item);
      const missing = item.does.filter((effect) => !effects.has(effect));
      results.set(item.id, { ...item, observed: missing.length === 0 });
      if (json) print(JSON.stringify({ ...item, saw: [...effects], output }));
      if (missing.length === 0 || !item.observed) continue;
      different += 1;
      if (!json) print(`${item.id}: missing effects: ${missing.join(', ')}: ${JSON.stringify(item.line)}`);
    }
  };
  try {
    const project = `${folders.base}/project`;
    loadFor(project, policyText('balanced', project));
    // Workers spend most of their time waiting.
    await Promise.all(Array.from({ length: 2 * availableParallelism() }, work));
  } finally {
    folders.remove();
  }
  const observed = cases.flatMap(({ id }) => results.get(id) ?? []);
  if (!json)
    print(`${observed.filter((item) => item.observed).length} of ${cases.length} lines had the recorded effects.`);
  if (write) writeFileSync(dataFile, writeCases(observed));
  return different > 0 ? 1 : 0;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
