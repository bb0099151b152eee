/** What it costs to know what a command line does, and who is fooled by how it is written. */

import { parse } from 'unbash';
import { blaming, compare, perPart, toRow, warmCalls } from '../measure.mjs';
import { bridleAnalysis, bridleFacts, bridleFiles, bridleRunsRm, linesPerCall } from '../peers/bridle-shell.mjs';
import { gemini, safetyNet, shellQuote, unbash, unbashWalked } from '../peers/splitters.mjs';
import { readLines } from '../shell/read-lines.mjs';
import { load } from '../dist.mjs';

const { analyseCommand } = await load('facts/index.js');

const peers = [gemini, safetyNet, shellQuote];
const cases = { commands: bridleAnalysis, 'with facts': bridleFacts, 'with facts and files': bridleFiles };

export async function run(pace, emit) {
  quietly();
  const lines = readLines('commands.txt');
  checkForgets(lines);
  await checkAnswers();
  const entries = [];
  for (const [name, ours] of Object.entries(cases)) {
    const contestants = [ours, unbash, unbashWalked, ...peers];
    entries.push({ name, runs: await Promise.all(contestants.map((contestant) => toEntry(contestant, lines))) });
  }
  const passes = pace.name === 'smoke' ? 1 : 60;
  for (const { runs } of entries) await warmCalls(runs.slice(0, 3), (passes * lines.length) / linesPerCall);
  // A call takes many lines; a row tells one.
  for (const { name, runs } of entries) emit(perPart(toRow('shell', name, await compare(runs, pace)), linesPerCall));
  emit(answers());
}

async function toEntry({ name, setup }, lines) {
  return { name, call: await blaming(name, () => setup(lines)) };
}

/** Each peer must find the program of a plain line, and each parser its word. */
async function checkAnswers() {
  const [runs, runsNot] = ['rm -rf /', 'ls -la'];
  await gemini.setup([runs]);
  for (const peer of [{ name: 'bridle', runsRm: bridleRunsRm }, ...peers]) {
    const [yes, no] = await blaming(peer.name, () => [runs, runsNot].map((line) => peer.runsRm(line)));
    if (yes === 'yes' && no === 'no') continue;
    throw new Error(`${peer.name}: answers ${yes} to "${runs}" and ${no} to "${runsNot}"`);
  }
  if (!JSON.stringify(parse(runs)).includes('"rm"')) throw new Error(`limit: does not parse "${runs}"`);
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
  const asked = [{ name: 'bridle', runsRm: bridleRunsRm }, ...peers];
  const evasions = readLines('evasions.txt');
  const lookalikes = readLines('lookalikes.txt');
  const line = (title, lines, answer) => [title, ...asked.map((peer) => String(count(peer, lines, answer)))];
  return {
    suite: 'shell',
    case: 'does it run rm?',
    missed: count(asked[0], evasions, 'no'),
    table: [
      ['does it run rm?', ...asked.map(({ name }) => name)],
      line(`it does (${evasions.length}): yes`, evasions, 'yes'),
      line('it does: unsure, asks', evasions, 'unsure'),
      line('it does: no, missed', evasions, 'no'),
      line(`it does not (${lookalikes.length}): no`, lookalikes, 'no'),
      line('it does not: unsure, asks', lookalikes, 'unsure'),
      line('it does not: yes, false alarm', lookalikes, 'yes'),
    ],
  };
}

function count(peer, lines, answer) {
  return lines.filter((line) => peer.runsRm(line) === answer).length;
}

/** Gemini's parser logs each line that it cannot parse, which would be most of its time. */
function quietly() {
  for (const kind of ['log', 'debug', 'error', 'warn']) console[kind] = () => undefined;
}
