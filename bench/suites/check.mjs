/** `bridle check` as a command: many calls in a row, and the start for one call. */

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { quantile, toRow } from '../measure.mjs';

const main = fileURLToPath(new URL('../../dist/cli/main.cjs', import.meta.url));
const manyCalls = 100_000;

/** Reads lines of JSON and writes as many: what any command of this kind must do. */
const echo = `let rest = '';
process.stdin.setEncoding('utf8').on('data', (text) => {
  const lines = (rest + text).split('\\n');
  rest = lines.pop();
  let out = '';
  for (const line of lines) out += JSON.stringify({ decision: 'allow', rule: JSON.parse(line).tool, reason: '', at: null }) + '\\n';
  process.stdout.write(out);
});`;

export async function run(pace, emit) {
  const folder = mkdtempSync(join(tmpdir(), 'bridle-bench-'));
  try {
    const place = prepare(folder);
    emit(throughput(place, Math.max(3, Math.round(pace.rounds / 10))));
    emit(startTime(place, Math.max(11, pace.rounds)));
    const counted = startInstructions(place);
    if (counted !== undefined) emit(counted);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function prepare(folder) {
  // Certificates that are loaded at the start of every Node hide what is measured.
  const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, ...inherited } = process.env;
  const place = { cwd: folder, env: { ...inherited, BRIDLE_HOME: join(folder, 'state') }, maxBuffer: 2 ** 28 };
  const policy = join(folder, 'policy.yaml');
  const calls = join(folder, 'calls.jsonl');
  writeFileSync(policy, makePolicy());
  writeFileSync(calls, makeCalls());
  const one = ['--tool', 'run_command', '--args', JSON.stringify({ command_line: 'git status' })];
  const start = [main, 'check', '--policy', policy, ...one];
  // The first starts read the policy and compile; what they keep is what later ones use.
  for (let i = 0; i < 3; i++) {
    const { stdout, stderr } = spawnSync(process.execPath, start, place);
    if (JSON.parse(String(stdout)).decision !== 'allow') throw new Error(String(stdout) + String(stderr));
  }
  return { ...place, start, many: [main, 'check', '--policy', policy, calls], calls };
}

/** 100 rules: commands by facts, files by place, tools by name. */
function makePolicy() {
  const rules = [
    '  - allow: run_command\n    when: runsOnly("ls", "git status", "npm test")',
    '  - deny: run_command\n    when: runs("rm") || runs("sudo")',
    '  - forbid: "*"\n    when: writes("**/.env")',
    '  - allow: [view_file, list_directory]',
    ...Array.from({ length: 96 }, (_, i) =>
      i % 4 === 0
        ? `  - deny: tool_${i}\n    when: args.mode == "write"`
        : `  - ${['allow', 'ask', 'deny'][i % 3]}: tool_${i}`,
    ),
  ];
  return `version: 1\ndefault: ask\nrules:\n${rules.join('\n')}\n`;
}

function makeCalls() {
  const kinds = [
    (i) => ({ tool: `tool_${i % 96}`, args: { mode: i % 2 ? 'read' : 'write' } }),
    (i) => ({ tool: 'run_command', args: { command_line: `git status src/${i % 1000}` } }),
    (i) => ({ tool: 'view_file', args: { file_path: `src/${i % 1000}.ts` } }),
    (i) => ({ tool: 'run_command', args: { command_line: `npm test -- ${i} && rm -rf build/${i}` } }),
  ];
  return Array.from({ length: manyCalls }, (_, i) => `${JSON.stringify(kinds[i % kinds.length](i))}\n`).join('');
}

function throughput(place, rounds) {
  const input = { ...place, input: execFileSync('cat', [place.calls], { maxBuffer: 2 ** 28 }) };
  const contestants = [
    { name: 'bridle', args: place.many, given: { ...place, input: '' } },
    { name: 'limit', args: ['-e', echo], given: input },
  ];
  const results = takeTurns(contestants, rounds, (ns) => ns / manyCalls);
  return toRow('check', '1 of 100,000 calls', results);
}

function startTime(place, rounds) {
  const contestants = [
    { name: 'bridle', args: place.start, given: place },
    { name: 'limit', args: ['-e', '0'], given: place },
  ];
  return toRow(
    'check',
    'start for one call',
    takeTurns(contestants, rounds, (ns) => ns),
  );
}

function takeTurns(contestants, rounds, per) {
  const samples = contestants.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (let k = 0; k < contestants.length; k++) {
      const turn = (round + k) % contestants.length;
      const { args, given } = contestants[turn];
      const from = process.hrtime.bigint();
      const { status, stderr } = spawnSync(process.execPath, args, given);
      const ns = Number(process.hrtime.bigint() - from);
      if (status === null || status === 2) throw new Error(String(stderr));
      samples[turn].push(per(ns));
    }
  }
  return contestants.map(({ name }, i) => {
    const sorted = samples[i].toSorted((a, b) => a - b);
    return { name, ns: quantile(sorted, 0.5), p25: quantile(sorted, 0.25), p75: quantile(sorted, 0.75) };
  });
}

/** Far steadier than time; undefined where there is no valgrind. */
function startInstructions(place) {
  const count = (args) => {
    const tool = ['--tool=cachegrind', '--cachegrind-out-file=/dev/null', process.execPath];
    const { stderr, error } = spawnSync('valgrind', [...tool, ...args], place);
    const [, figure] = /I\s+refs:\s+([\d,]+)/.exec(String(stderr)) ?? [];
    return error === undefined && figure !== undefined ? Number(figure.replaceAll(',', '')) : undefined;
  };
  const median = (args) => {
    const counts = Array.from({ length: 5 }, () => count(args));
    return counts.includes(undefined)
      ? undefined
      : quantile(
          counts.toSorted((a, b) => a - b),
          0.5,
        );
  };
  const limit = median(['-e', '0']);
  if (limit === undefined) return undefined;
  const results = [
    { name: 'bridle', ns: median(place.start) },
    { name: 'limit', ns: limit },
  ];
  return { ...toRow('check', 'start for one call, instructions', results), unit: 'instructions' };
}
