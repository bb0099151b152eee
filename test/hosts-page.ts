/** The part of docs/reference/hosts.md that comes from the records of the hosts. */

import { hostRecords, pointsWithoutEvent } from '../src/hosts/doctor/all-records.ts';
import { type HostRecord, hostNames } from '../src/hosts/host.ts';

const answers = ['deny', 'ask', 'allow', 'rewrite', 'silence', 'crash', 'timeout'] as const;

/** One table of all hosts, then a section for each of them. */
export function hostsText(): string {
  const newest = hostNames.map((name) => hostRecords[name][0] as HostRecord);
  const rows = [
    row(
      '',
      newest.map(({ title }) => title),
    ),
    row(
      '---',
      newest.map(() => '---'),
    ),
    row('measured version', newest.map(versionsOf)),
    row(
      'record used before',
      newest.map(({ usedBefore }) => usedBefore),
    ),
    ...answers.map((answer) =>
      row(
        answer,
        newest.map((record) => record.answers[answer]),
      ),
    ),
    row(
      'questions',
      newest.map(({ ask }) => (ask === 'prompt' ? 'its own prompt' : 'the store')),
    ),
  ];
  return [rows.join('\n'), ...newest.map(sectionOf)].join('\n\n');
}

function row(name: string, cells: readonly string[]): string {
  return `| ${[name, ...cells].join(' | ')} |`;
}

function versionsOf({ versions: { from, to } }: HostRecord): string {
  return from === to ? from : `${from} to ${to}`;
}

function sectionOf(record: HostRecord): string {
  const { title, shell, points, unhooked, switchedOffBy, gaps } = record;
  const reached = Object.entries(points).map(([point, event]) => `\`${point}\` (\`${event}\`)`);
  return [
    `### ${title}`,
    [
      '| | |',
      '|---|---|',
      row('shell', [cell(shell.program)]),
      row('startup files', [cell(shell.startupFiles)]),
      row('persists', [cell(shell.persists)]),
      row('points', [reached.join(', ')]),
      row('no event for', [
        pointsWithoutEvent(record)
          .map((point) => `\`${point}\``)
          .join(', '),
      ]),
    ].join('\n'),
    'Ways to run something that no hook sees:',
    listOf(unhooked.map(({ path, instead }) => `${path} ${instead}`)),
    'What switches the hook off:',
    listOf(switchedOffBy),
    'What remains open with the hook installed:',
    listOf(gaps),
  ].join('\n\n');
}

function listOf(texts: readonly string[]): string {
  return texts.map((text) => `- ${text}`).join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', String.raw`\|`);
}
