/** The figures of the hostile corpus: for the terminal, and for docs/reference/precision.md. */

import type { DecidedCase } from './decide.ts';
import { groupBy } from './group-by.ts';
import { policyNames } from './policies.ts';
import { alignedText, markdown } from './table.ts';

interface Row {
  readonly name: string;
  readonly cells: readonly string[];
}

/** One row per class, and one for all: the number of cases, then allow/ask/deny per policy. */
function rows(decided: readonly DecidedCase[]): Row[] {
  const classes = groupBy(decided, ({ item }) => item.class);
  const all: [string, readonly DecidedCase[]][] = [...classes].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return [...all, ['all', decided] as const].map(([name, group]) => ({
    name,
    cells: [String(group.length), ...policyNames.map((policy) => shares(group, policy)), String(wrongIn(group))],
  }));
}

function shares(group: readonly DecidedCase[], policy: (typeof policyNames)[number]): string {
  const count = (answer: string): number => group.filter(({ answers }) => answers[policy] === answer).length;
  return ['allow', 'ask', 'deny'].map(count).join('/');
}

function wrongIn(group: readonly DecidedCase[]): number {
  return group.filter(({ wrong }) => wrong.length > 0).length;
}

const head: Row = { name: 'class', cells: ['lines', ...policyNames, 'wrong'] };

export function textTable(decided: readonly DecidedCase[]): string {
  const table = [head, ...rows(decided)].map(({ name, cells }) => [name, ...cells]);
  return `Each cell: allow/ask/deny\n\n${alignedText(table)}`;
}

export function listWrong(wrong: readonly DecidedCase[]): string {
  if (wrong.length === 0) return 'No wrong allows: no policy allows a line that it should protect against.';
  const lines = wrong.map(({ item, wrong }) => {
    const known = item.known === undefined ? '' : ' (known)';
    return `  ${item.id}: ${JSON.stringify(item.line)} ${item.does.join(', ')}; allowed by ${wrong.join(', ')}${known}`;
  });
  return `Wrong allows (the policy should protect against these lines):\n${lines.join('\n')}`;
}

/** The tables of docs/reference/precision.md. */
export function figures(decided: readonly DecidedCase[]): string {
  const observed = decided.filter(({ item }) => item.observed).length;
  const classes = new Set(decided.map(({ item }) => item.class)).size;
  const table = [head, ...rows(decided)].map(({ name, cells }) => [name, ...cells]);
  return [
    `${decided.length} lines in ${classes} classes; ${observed} were observed with the real bash. ` +
      `Wrong allows: ${wrongIn(decided)}.`,
    '',
    markdown(table),
  ].join('\n');
}
