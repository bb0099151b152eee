/** Rows as a table for the terminal and as RESULTS.md. */

import { existsSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { acceptedSection, readAccepted } from './compare/accepted.mjs';
import { goals } from './goals.mjs';
import { suites } from './suites.mjs';

/** Bridle, the limits and how far apart they are, then each peer and how many times as long it takes. */
export function toTable(suite, all) {
  const { rows, tables } = apart(all);
  const counted = tables.flatMap(({ table }) => [...aligned(table), '']);
  const table = aligned([...cells(suite, rows, plain)]);
  const rule = '─'.repeat(table[0].length);
  const checks = goalLines(suite, all).map(({ met, text }) => `${met ? '✓' : '✗'} ${text}`);
  const notes = [...skips(rows).map((text) => `skipped: ${text}`), ...checks, '', ...counted];
  return [`${suite}: ${suites[suite].title}`, rule, table[0], rule, ...table.slice(1), rule, ...notes].join('\n');
}

/** What was measured, and tables of something else than time. */
function apart(all) {
  return {
    rows: all.filter(({ table }) => table === undefined),
    tables: all.filter(({ table }) => table !== undefined),
  };
}

export function aligned(lines) {
  const widths = lines[0].map((_, i) => Math.max(...lines.map((line) => line[i].length)));
  const align = (line) =>
    line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  ');
  return lines.map(align);
}

function* cells(suite, rows, peerFigure) {
  const peers = [...new Set(rows.flatMap((row) => Object.keys(row.peers)))];
  const limits = Object.keys(rows[0].limits ?? {});
  const extra = rows[0].bytes === undefined ? [] : ['bytes'];
  yield [suite, 'bridle', 'limit', 'bridle/limit', ...limits, ...extra, ...peers];
  for (const row of rows) {
    const { ratios, bytes } = row;
    yield [
      row.case,
      spread(row.ours, row.unit, row.spread.bridle),
      spread(row.limit, row.unit, row.spread.limit),
      factor(ratios.limit),
      ...limits.map((name) => `${plain(row.limits[name], row.unit)} ${factor(ratios[name])}`),
      ...(bytes === undefined ? [] : [String(Math.round(bytes))]),
      ...peers.map((peer) => {
        if (!(peer in row.peers)) return '–';
        const value = row.peers[peer];
        return value === null ? 'skipped' : `${peerFigure(value, row.unit, row.spread[peer])} ${factor(ratios[peer])}`;
      }),
    ];
  }
}

/** The median, and half the distance from the first to the third quartile in percent of it; one sample has none. */
function spread(value, unit, quartiles) {
  const figure = plain(value, unit);
  if (quartiles === undefined) return figure;
  const [p25, p75] = quartiles;
  return `${figure} ±${Math.round(((p75 - p25) / 2 / value) * 100)}%`;
}

const figures = { ns: time, bytes: size, instructions: (count) => `${digits(count / 1e6)} M` };
const plain = (value, unit) => figures[unit](value);

function size(bytes) {
  if (bytes < 1e3) return `${digits(bytes)} B`;
  if (bytes < 1e6) return `${digits(bytes / 1e3)} kB`;
  return `${digits(bytes / 1e6)} MB`;
}

function time(ns) {
  if (ns < 1e3) return `${digits(ns)} ns`;
  if (ns < 1e6) return `${digits(ns / 1e3)} µs`;
  return `${digits(ns / 1e6)} ms`;
}

function factor(ratio) {
  return `${digits(ratio)}×`;
}

function digits(value) {
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value.toFixed(value >= 10 ? 1 : 2);
}

/** One line per row and reason. */
function skips(rows) {
  return rows.flatMap((row) => {
    const byReason = new Map();
    for (const [name, reason] of Object.entries(row.skipped)) {
      byReason.set(reason, [...(byReason.get(reason) ?? []), name]);
    }
    return Array.from(byReason, ([reason, names]) => `${row.case}: ${names.join(', ')}: ${reason}`);
  });
}

function goalLines(suite, all) {
  const { rows, tables } = apart(all);
  return goals
    .filter((goal) => goal.suite === suite)
    .map(({ text, misses }) => {
      const missed = misses(rows, tables);
      return { met: missed.length === 0, text: missed.length === 0 ? text : `${text}: not at ${missed.join(', ')}` };
    });
}

export function toMarkdown(rows) {
  const parts = [
    '# Results',
    'Written by `npm run bench -- --write`. [README.md](README.md) explains the rows.',
    environment().join('\n'),
    ...Object.keys(suites).map((suite) => section(suite, rows)),
    acceptedSection(readAccepted()),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** The text of RESULTS.md with new sections for these suites. Each says when it was measured. */
export function withSections(text, names, rows) {
  const [head, ...old] = withoutAccepted(text).split(/^(?=## )/m);
  const known = new Map(old.map((part) => [/^## (\w+):/.exec(part)[1], part.trimEnd()]));
  for (const name of names) known.set(name, section(name, rows, environment().slice(0, 3).join('\n')));
  const parts = Object.keys(suites).flatMap((name) => known.get(name) ?? []);
  return `${[head.trimEnd(), ...parts, acceptedSection(readAccepted())].join('\n\n')}\n`;
}

/** The text of RESULTS.md with the accepted losses of today. */
export function withAccepted(text) {
  return `${withoutAccepted(text).trimEnd()}\n\n${acceptedSection(readAccepted())}\n`;
}

/** Their section is the last one. */
function withoutAccepted(text) {
  return text.split(/^(?=## Accepted losses$)/m)[0];
}

function section(suite, rows, note) {
  const all = rows.filter((row) => row.suite === suite);
  const { rows: own, tables } = apart(all);
  const parts = [`## ${suite}: ${suites[suite].title}`, ...(note === undefined ? [] : [note])];
  parts.push(markdownTable([...cells(suite, own, spread)]), ...tables.map(({ table }) => markdownTable(table)));
  const checks = goalLines(suite, all).map(({ met, text }) => `- ${met ? 'met' : '**missed**'}: ${text}`);
  const left = skips(own).map((text) => `- ${text}`);
  const behind = losing(own).map((text) => `- ${text}`);
  if (left.length > 0) parts.push(`Skipped:\n\n${left.join('\n')}`);
  if (checks.length > 0) parts.push(`Goals:\n\n${checks.join('\n')}`);
  if (behind.length > 0) parts.push(`Rows in which a peer is ahead:\n\n${behind.join('\n')}`);
  return parts.join('\n\n');
}

function markdownTable(lines) {
  const [head, ...rest] = lines.map((line) => `| ${line.join(' | ')} |`);
  return [head, `|${'---|'.repeat(lines[0].length)}`, ...rest].join('\n');
}

function losing(rows) {
  return rows.flatMap((row) =>
    Object.keys(row.peers)
      .filter((peer) => row.ratios[peer] !== null && row.ratios[peer] < 1)
      .map(
        (peer) =>
          `${row.case}: ${peer} takes ${factor(row.ratios[peer])} the ${row.unit === 'bytes' ? 'memory' : 'time'}`,
      ),
  );
}

function environment() {
  const names = Object.values(suites).flatMap(({ packages }) => packages);
  const peers = [...new Set(names)].map((name) => `${name} ${version(placeOf(name))}`);
  const processors = cpus();
  return [
    `- ${new Date().toISOString().slice(0, 10)}, bridle ${version('../package.json')}`,
    `- Node ${process.versions.node} (V8 ${process.versions.v8}), ${process.platform} ${process.arch}`,
    `- ${processors.length} × ${processors[0].model}`,
    `- ${peers.join(', ')}`,
  ];
}

/** Of a peer, or of a package that Bridle itself uses. */
function placeOf(name) {
  const own = `node_modules/${name}/package.json`;
  return existsSync(new URL(own, import.meta.url)) ? own : `../${own}`;
}

function version(path) {
  return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')).version;
}
