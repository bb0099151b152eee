/** The everyday figures as text: for the terminal, and for docs/reference/precision.md. */

import type { PresetName } from '../../../src/policy-files/init/presets.ts';
import { groupBy } from '../group-by.ts';
import type { Shares } from '../peers/shares.ts';
import { shareText } from '../peers/summary.ts';
import { markdown, type Table } from '../table.ts';
import type { DecidedEveryday, DecidedLine, DecidedSession } from './decide-everyday.ts';
import { bounds, isKept, mayDeny, median, questionsIn, sharesOf, splitLines } from './everyday-figures.ts';

type Presets = readonly PresetName[];

/** One row per class, then all lines, the plain ones, and the held-back ones. */
export function classTable(lines: readonly DecidedLine[], presets: Presets): Table {
  const { known, held, plain, bench } = splitLines(lines);
  const groups: [string, readonly DecidedLine[]][] = [...groupBy(known, ({ item }) => item.class)];
  const counted = groups.map(([name, group]) => row(name, group, presets, counts));
  return [
    ['class', 'lines', ...presets],
    ...counted,
    ...(known.length > 0 ? [row('all', known, presets, counts)] : []),
    ...(plain.length > 0 ? [row('plain', plain, presets, counts)] : []),
    ...(held.length > 0 ? [row('held back', held, presets, counts)] : []),
    ...(bench.length > 0 ? [row('bench', bench, presets, counts)] : []),
  ];
}

/** The same in percent, without classes. */
export function shareTable(lines: readonly DecidedLine[], presets: Presets): Table {
  const { known, held, plain, bench } = splitLines(lines);
  return [
    ['lines', 'number', ...presets],
    row('everyday', known, presets, shareText),
    row('of these, plain', plain, presets, shareText),
    row('held back', held, presets, shareText),
    row('bench', bench, presets, shareText),
  ];
}

function row(
  name: string,
  lines: readonly DecidedLine[],
  ...[presets, show]: [presets: Presets, show: (shares: Shares) => string]
): string[] {
  return [name, String(lines.length), ...presets.map((preset) => show(sharesOf(lines, preset)))];
}

function counts({ allow, ask, deny }: Shares): string {
  return `${allow}/${ask}/${deny}`;
}

/** Questions and denials per session, and their medians. */
export function sessionTable(sessions: readonly DecidedSession[], presets: Presets): Table {
  const middle = (preset: PresetName): string => {
    const questions = sessions.map((session) => questionsIn(session, preset));
    const of = (key: 'asked' | 'distinct'): number => median(questions.map((each) => each[key]));
    return `${of('asked')} (${of('distinct')})`;
  };
  return [
    ['session', 'calls', ...presets],
    ...sessions.map((each) => [
      each.session.name,
      String(each.calls.length),
      ...presets.map((preset) => questionText(each, preset)),
    ]),
    ['median', String(median(sessions.map(({ calls }) => calls.length))), ...presets.map(middle)],
  ];
}

function questionText(session: DecidedSession, preset: PresetName): string {
  const { asked, distinct, denied } = questionsIn(session, preset);
  return `${asked} (${distinct})${denied > 0 ? `, ${denied} denied` : ''}`;
}

export function boundTable(decided: DecidedEveryday): Table {
  return [
    ['figure', 'measured', 'bound'],
    ...bounds.map((bound) => {
      const { name, unit, limit, goal } = bound;
      const measured = bound.measure(decided);
      const shown = (value: number): string => (unit === '%' ? `${value} %` : String(value));
      const mark = isKept(bound, measured) ? '' : ' (broken)';
      return [name, `${shown(measured)}${mark}`, `${limit} ${shown(goal)}`];
    }),
  ];
}

/** Every denied line with its presets, rule and reason. Lines that are not used for tuning are only counted. */
export function listDenied(lines: readonly DecidedLine[], presets: Presets): string {
  const { known } = splitLines(lines);
  const held = lines.filter(({ item }) => item.held === true);
  const denied = listAnswered(known, presets, 'deny');
  const hidden = held.filter(({ answers }) => presets.some((preset) => answers[preset].effect === 'deny')).length;
  const note = `${hidden} of the ${held.length} other lines are denied; --json shows them.`;
  return `${denied.length === 0 ? 'No line is denied.' : `Denied lines:\n${denied.join('\n')}`}\n${note}`;
}

/** The same for lines that need approval. */
export function listAsked(lines: readonly DecidedLine[], presets: Presets): string {
  return `Lines that need approval:\n${listAnswered(splitLines(lines).known, presets, 'ask').join('\n')}`;
}

function listAnswered(lines: readonly DecidedLine[], presets: Presets, effect: 'ask' | 'deny'): string[] {
  return lines.flatMap((line) => {
    const { id, folder, line: text } = line.item;
    const answering = presets.filter((preset) => line.answers[preset].effect === effect);
    const [first] = answering;
    if (first === undefined) return [];
    const { rule = 'no rule', reason, unsure } = line.answers[first];
    const isRight = effect === 'ask' || answering.every((preset) => mayDeny(line, preset));
    const mark = isRight ? '' : unsure === undefined ? ' WRONG' : ' NOT CERTAIN';
    return [`  ${id} in ${folder} (${answering.join(', ')})${mark}: ${JSON.stringify(text)}\n    ${rule}: ${reason}`];
  });
}

/** The tables of docs/reference/precision.md. */
export function everydayFigures(decided: DecidedEveryday, presets: Presets): string {
  return [
    'Bounds that a test keeps:',
    markdown(boundTable(decided)),
    'Lines that are allowed, asked about and denied:',
    markdown(classTable(decided.lines, presets)),
  ].join('\n\n');
}

export function sessionFigures(decided: DecidedEveryday, presets: Presets): string {
  return markdown(sessionTable(decided.sessions, presets));
}
