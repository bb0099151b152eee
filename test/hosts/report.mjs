/** Results as a table for the terminal, and as the section "Measured on the real hosts" of the reference. */

import { readFileSync, writeFileSync } from 'node:fs';
import { cases } from './cases.mjs';
import { drivers } from './driver.mjs';

const page = new URL('../../docs/reference/hosts.md', import.meta.url);
const begin = '<!-- measured: written by npm run test:hosts -- --write -->';
const end = '<!-- /measured -->';
const marks = { pass: 'yes', fail: '**no**', skipped: '–' };

/** Rows are cases, columns are hosts. */
function toCells(results) {
  const hosts = Object.keys(drivers).filter((host) => results.some((row) => row.host === host));
  const find = (host, name) => results.find((row) => row.host === host && row.case === name);
  const rows = cases
    .filter(({ name }) => results.some((row) => row.case === name))
    .map(({ name, title }) => ({ name, title, cells: hosts.map((host) => find(host, name)) }));
  return { hosts, rows };
}

function toLine(name, cells) {
  return `${name.padEnd(22)}${cells.map((cell) => cell.padEnd(10)).join('')}`.trimEnd();
}

export function toTable(results) {
  const { hosts, rows } = toCells(results);
  const lines = rows.map(({ name, cells }) =>
    toLine(
      name,
      cells.map((row) => row?.result ?? ''),
    ),
  );
  const count = (result) => results.filter((row) => row.result === result).length;
  const sum = `${count('pass')} passed, ${count('fail')} failed, ${count('skipped')} skipped`;
  return [toLine('case', hosts), ...lines, '', sum].join('\n');
}

function toRow(cells) {
  return `| ${cells.join(' | ')} |`;
}

/** Hosts by the limit that rules cases out. */
function toLimits(results) {
  const skipped = results.filter(({ result }) => result === 'skipped');
  return [...new Set(skipped.map(({ detail }) => detail))].map((limit) => {
    const hosts = new Set(skipped.filter(({ detail }) => detail === limit).map(({ host }) => drivers[host].title));
    return `- ${[...hosts].join(', ')}: ${limit}.`;
  });
}

function toSection(results) {
  const { hosts, rows } = toCells(results);
  const version = (host) => results.find((row) => row.host === host).version;
  return [
    begin,
    '## Measured on the real hosts',
    '',
    `\`npm run test:hosts\` runs the real programs without a network, against a scripted model, with Bridle installed by`,
    '`bridle install`. Each case checks whether the call really ran, what the model was told, and what the journal says.',
    `Last run: ${new Date().toISOString().slice(0, 10)}, Linux, headless.`,
    '',
    toRow(['case', ...hosts.map((host) => `${drivers[host].title} ${version(host)}`)]),
    toRow(['---', ...hosts.map(() => '---')]),
    ...rows.map(({ title, cells }) => toRow([title, ...cells.map(({ result }) => marks[result])])),
    '',
    '`–` means that the case does not apply:',
    '',
    ...toLimits(results),
    end,
  ].join('\n');
}

/** Replaces the section between its marks; adds it at the end if it is missing. */
export function writePage(results) {
  const text = readFileSync(page, 'utf8');
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  const section = toSection(results);
  const changed =
    from === -1 || to === -1
      ? `${text.trimEnd()}\n\n${section}\n`
      : `${text.slice(0, from)}${section}${text.slice(to + end.length)}`;
  writeFileSync(page, changed);
}
