/** The results as a table for a terminal, and as the page docs/reference/frameworks.md. */

import { writeFileSync } from 'node:fs';
import { cases } from './cases.mjs';

const marks = { passed: '✓', skipped: '–', failed: '✗' };

export function toTable(results) {
  const lines = results.map(({ name, rows, versions, node }) => {
    const count = (kind) => rows.filter(({ result }) => result === kind).length;
    const packages = Object.entries(versions).map(([each, version]) => `${each} ${version}`);
    return `${name.padEnd(18)} ${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped  (${packages.join(', ')}; Node ${node})`;
  });
  return `${lines.join('\n')}\n`;
}

function table(lines) {
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

export function writePage(results) {
  const header = ['case', ...results.map(({ name }) => name)];
  const rows = Object.keys(cases).map((id) => [
    `\`${id}\``,
    ...results.map((suite) => marks[suite.rows.find((row) => row.case === id)?.result] ?? ' '),
  ]);
  const limits = results.flatMap(({ name, rows: all }) =>
    all.filter(({ result }) => result === 'skipped').map(({ case: id, reason }) => [name, `\`${id}\``, reason]),
  );
  const versions = results.map(({ name, versions: own, node }) => [
    name,
    Object.entries(own)
      .map(([each, version]) => `\`${each}\` ${version}`)
      .join(', '),
    node,
  ]);
  const page = `# What each framework can enforce

This page is written by \`npm run test:frameworks -- --write\`: every case ran on the real package with a scripted model. ✓
means that it passed, – that the framework cannot do it; the limits are below.

## Versions

${table([['framework', 'packages', 'Node'], ['---', '---', '---'], ...versions])}

## Cases

${table([header, header.map(() => '---'), ...rows])}

## Limits

${table([['framework', 'case', 'why'], ['---', '---', '---'], ...limits])}
`;
  writeFileSync(new URL('../../docs/reference/frameworks.md', import.meta.url), page);
}
