/** `bridle check` as a command: many calls in a row, and the start for one call. */

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canCount, medianInstructions } from '../cachegrind.mjs';
import { quantile, toRow } from '../measure.mjs';
import { main, node, prepareCheck, withFolder } from '../processes.mjs';

const manyCalls = { full: 100_000, quick: 100_000, smoke: 1_000 };

/** Reads lines of JSON and writes as many: what any command of this kind must do. */
const echo = `let rest = '';
process.stdin.setEncoding('utf8').on('data', (text) => {
  const lines = (rest + text).split('\\n');
  rest = lines.pop();
  let out = '';
  for (const line of lines) out += JSON.stringify({ decision: 'allow', rule: JSON.parse(line).tool, reason: '', at: null }) + '\\n';
  process.stdout.write(out);
});`;

export function run(pace, emit) {
  return withFolder(async (folder) => {
    const { place, policy, start } = prepareCheck(folder);
    emit(throughput({ place, policy }, manyCalls[pace.name], { full: 6, quick: 3, smoke: 1 }[pace.name]));
    emit(startTime(place, start, pace.rounds));
    if (canCount && pace.name !== 'smoke') emit(await startInstructions(place, start));
  });
}

function makeCalls(count) {
  const kinds = [
    (i) => ({ tool: `tool_${i % 96}`, args: { mode: i % 2 ? 'read' : 'write' } }),
    (i) => ({ tool: 'run_command', args: { command_line: `git status src/${i % 1000}` } }),
    (i) => ({ tool: 'view_file', args: { file_path: `src/${i % 1000}.ts` } }),
    (i) => ({ tool: 'run_command', args: { command_line: `npm test -- ${i} && rm -rf build/${i}` } }),
  ];
  return Array.from({ length: count }, (_, i) => `${JSON.stringify(kinds[i % kinds.length](i))}\n`).join('');
}

function throughput({ place, policy }, count, rounds) {
  const calls = join(place.cwd, 'calls.jsonl');
  writeFileSync(calls, makeCalls(count));
  const contestants = [
    { name: 'bridle', args: [main, 'check', '--policy', policy, calls], given: { ...place, input: '' } },
    { name: 'limit', args: ['-e', echo], given: { ...place, input: readFileSync(calls) } },
  ];
  const answered = (stdout) => stdout.length > 0 && String(stdout).trimEnd().split('\n').length === count;
  const results = takeTurns(
    contestants.map((each) => ({ ...each, answered })),
    rounds,
  );
  const perCall = results.map(({ name, ns, p25, p75 }) => ({
    name,
    ns: ns / count,
    p25: p25 / count,
    p75: p75 / count,
  }));
  return toRow('check', `1 of ${count.toLocaleString('en')} calls`, perCall);
}

function startTime(place, start, rounds) {
  const contestants = [
    { name: 'bridle', args: start, given: place, answered: (stdout) => String(stdout).includes('"allow"') },
    { name: 'limit', args: ['-e', '0'], given: place, answered: () => true },
  ];
  return toRow('check', 'start for one call', takeTurns(contestants, rounds));
}

function takeTurns(contestants, rounds) {
  const samples = contestants.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (let k = 0; k < contestants.length; k++) {
      const turn = (round + k) % contestants.length;
      const { name, args, given, answered } = contestants[turn];
      const from = process.hrtime.bigint();
      const { status, stdout, stderr } = spawnSync(node, args, given);
      samples[turn].push(Number(process.hrtime.bigint() - from));
      if (status === null || status === 2 || !answered(stdout)) throw new Error(`${name} did not answer: ${stderr}`);
    }
  }
  return contestants.map(({ name }, i) => {
    const sorted = samples[i].toSorted((a, b) => a - b);
    return { name, ns: quantile(sorted, 0.5), p25: quantile(sorted, 0.25), p75: quantile(sorted, 0.75) };
  });
}

async function startInstructions(place, start) {
  const count = (args) => medianInstructions([node, ...args], () => place);
  const results = [
    { name: 'bridle', ns: await count(start) },
    { name: 'limit', ns: await count(['-e', '0']) },
  ];
  return { ...toRow('check', 'start for one call, instructions', results), unit: 'instructions' };
}
