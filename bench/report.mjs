/** Rows as a table for the terminal and as RESULTS.md. */

import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { goals } from './goals.mjs';
import { suites } from './suites.mjs';

/** Bridle, the limit, how far apart they are, then each peer and how many times as long it takes. */
export function toTable(suite, rows) {
  const lines = [...cells(suite, rows, plain)];
  const widths = lines[0].map((_, i) => Math.max(...lines.map((line) => line[i].length)));
  const align = (line) =>
    line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  ');
  const table = lines.map(align);
  const rule = '─'.repeat(table[0].length);
  const checks = goalLines(suite, rows).map(({ met, text }) => `${met ? '✓' : '✗'} ${text}`);
  const notes = [...skips(rows).map((text) => `skipped: ${text}`), ...checks, ''];
  return [`${suite}: ${suites[suite].title}`, rule, table[0], rule, ...table.slice(1), rule, ...notes].join('\n');
}

function* cells(suite, rows, peerFigure) {
  const peers = Object.keys(rows[0].peers);
  const extra = rows[0].bytes === undefined ? [] : ['bytes'];
  yield [suite, 'bridle', 'limit', 'bridle/limit', ...extra, ...peers];
  for (const row of rows) {
    const { ratios, bytes } = row;
    yield [
      row.case,
      spread(row.ours, row.unit, row.spread.bridle),
      spread(row.limit, row.unit, row.spread.limit),
      factor(ratios.limit),
      ...(bytes === undefined ? [] : [String(Math.round(bytes))]),
      ...peers.map((peer) => {
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

const plain = (value, unit) => (unit === 'bytes' ? size(value) : time(value));

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

function goalLines(suite, rows) {
  return goals
    .filter((goal) => goal.suite === suite)
    .map(({ text, misses }) => {
      const missed = misses(rows);
      return { met: missed.length === 0, text: missed.length === 0 ? text : `${text}: not at ${missed.join(', ')}` };
    });
}

export function toMarkdown(rows) {
  const parts = [
    '# Results',
    'Written by `npm run bench -- --write`; what the rows mean is in [README.md](README.md).',
    environment().join('\n'),
  ];
  for (const suite of Object.keys(suites)) {
    const own = rows.filter((row) => row.suite === suite);
    const lines = [...cells(suite, own, spread)].map((line) => `| ${line.join(' | ')} |`);
    const header = `|${'---|'.repeat(lines[0].split('|').length - 2)}`;
    parts.push(`## ${suite}: ${suites[suite].title}`, [lines[0], header, ...lines.slice(1)].join('\n'));
    const checks = goalLines(suite, own).map(({ met, text }) => `- ${met ? 'met' : '**missed**'}: ${text}`);
    const left = skips(own).map((text) => `- ${text}`);
    const behind = losing(own).map((text) => `- ${text}`);
    if (left.length > 0) parts.push(`Skipped:\n\n${left.join('\n')}`);
    if (checks.length > 0) parts.push(`Goals:\n\n${checks.join('\n')}`);
    if (behind.length > 0) parts.push(`Rows in which a peer is ahead:\n\n${behind.join('\n')}`);
  }
  return `${parts.join('\n\n')}\n`;
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
  const peers = names.map((name) => `${name} ${version(`node_modules/${name}/package.json`)}`);
  const processors = cpus();
  return [
    `- ${new Date().toISOString().slice(0, 10)}, bridle ${version('../package.json')}`,
    `- Node ${process.versions.node} (V8 ${process.versions.v8}), ${process.platform} ${process.arch}`,
    `- ${processors.length} × ${processors[0].model}`,
    `- ${peers.join(', ')}`,
  ];
}

function version(path) {
  return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')).version;
}
