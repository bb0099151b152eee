/** What it costs to know what a command line does, and who is fooled by how it is written. */

import { analyseCommand } from '../../dist/shell/index.js';
import { compare, toRow, warm } from '../measure.mjs';
import { bridleAnalysis, bridleFacts, bridleFiles, bridleRunsRm, linesPerCall } from '../peers/bridle-shell.mjs';
import { gemini, safetyNet, shellQuote, unbash } from '../peers/splitters.mjs';
import { readLines } from '../shell/read-lines.mjs';

const peers = [gemini, safetyNet, shellQuote];
const cases = { commands: bridleAnalysis, 'with facts': bridleFacts, 'with facts and files': bridleFiles };

export async function run(pace, emit) {
  quietly();
  const lines = readLines('commands.txt');
  checkForgets(lines);
  const entries = [];
  for (const [name, ours] of Object.entries(cases)) {
    const contestants = [ours, unbash, ...peers];
    entries.push({ name, runs: await Promise.all(contestants.map((contestant) => toEntry(contestant, lines))) });
  }
  for (const { runs } of entries) await warm(runs.slice(0, 2), pace.warmMs * 10);
  for (const { name, runs } of entries) emit(perLine(toRow('shell', name, await compare(runs, pace))));
  emit(answers());
}

async function toEntry({ name, setup }, lines) {
  return { name, call: await setup(lines) };
}

/** A call takes many lines; a row tells one. */
function perLine(row) {
  const divided = (figures) => Object.fromEntries(Object.entries(figures).map(([name, ns]) => [name, over(ns)]));
  const over = (ns) => (Array.isArray(ns) ? ns.map(over) : ns === null ? null : ns / linesPerCall);
  return {
    ...row,
    ours: over(row.ours),
    limit: over(row.limit),
    peers: divided(row.peers),
    spread: divided(row.spread),
  };
}

/** The latest answers are kept, fewer than there are lines: each pass analyses anew all but the few that rules name. */
function checkForgets(lines) {
  const first = lines.map(analyseCommand);
  const again = lines.map(analyseCommand);
  const kept = again.filter((analysis, i) => analysis === first[i]).length;
  if (kept > lines.length / 100) throw new Error(`${kept} of ${lines.length} analyses were kept`);
}

/** Does it run rm? Lines that do, however they are written, and lines that only look like it. */
function answers() {
  const asked = { bridle: bridleRunsRm, ...Object.fromEntries(peers.map(({ name, runsRm }) => [name, runsRm])) };
  const evasions = count(asked, readLines('evasions.txt'));
  const lookalikes = count(asked, readLines('lookalikes.txt'));
  const total = (counts) => counts.bridle.yes + counts.bridle.unsure + counts.bridle.no;
  const line = (title, counts, answer) => [title, ...Object.values(counts).map((found) => String(found[answer]))];
  return {
    suite: 'shell',
    case: 'does it run rm?',
    missed: evasions.bridle.no,
    table: [
      ['does it run rm?', ...Object.keys(asked)],
      line(`it does (${total(evasions)}): yes`, evasions, 'yes'),
      line('it does: unsure, asks', evasions, 'unsure'),
      line('it does: no, **missed**', evasions, 'no'),
      line(`it does not (${total(lookalikes)}): no`, lookalikes, 'no'),
      line('it does not: unsure, asks', lookalikes, 'unsure'),
      line('it does not: yes, false alarm', lookalikes, 'yes'),
    ],
  };
}

function count(asked, lines) {
  return Object.fromEntries(
    Object.entries(asked).map(([name, runsRm]) => {
      const found = { yes: 0, unsure: 0, no: 0 };
      for (const line of lines) found[runsRm(line)] += 1;
      return [name, found];
    }),
  );
}

/** Gemini's parser logs each line that it cannot parse, which would be most of its time. */
function quietly() {
  for (const kind of ['log', 'debug', 'error', 'warn']) console[kind] = () => undefined;
}
