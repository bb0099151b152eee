/** One call of the hook that `bridle install claude` installs: a process per tool call. */

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { quantile, toRow } from '../measure.mjs';

const file = (path) => fileURLToPath(new URL(path, import.meta.url));
const main = file('../../dist/cli/main.cjs');
const bareHandler = file('../hook/bare-handler.cjs');
const safetyNet = file('../node_modules/cc-safety-net/dist/bin/cc-safety-net.js');
const node = process.execPath;

export async function run(pace, emit) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-bench-')));
  try {
    const contestants = prepare(folder);
    for (const contestant of contestants) checkAnswers(contestant);
    emit(wallTime(contestants, Math.max(11, pace.rounds)));
    const counted = instructions(contestants);
    if (counted !== undefined) emit(counted);
    checkRecords(contestants[0].place, ownCalls);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A user with a trusted policy of 100 rules, and the hook installed. */
function prepare(folder) {
  const [home, project] = [join(folder, 'home'), join(folder, 'project')];
  for (const each of [home, project]) mkdirSync(each);
  // Certificates that are loaded at the start of every Node hide what is measured.
  const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, BRIDLE_HOME: ___, BRIDLE_STORE: ____, ...inherited } = process.env;
  const place = { cwd: project, env: { ...inherited, HOME: home } };
  const bridle = (...args) => execFileSync(node, [main, ...args], { ...place, stdio: ['ignore', 'ignore', 'inherit'] });
  writeFileSync(join(project, 'bridle.yaml'), makePolicy());
  bridle('trust', '--yes');
  bridle('install', 'claude', '--yes');
  // Claude Code writes it when the first command of a session runs.
  const snapshots = join(home, '.claude/shell-snapshots');
  mkdirSync(snapshots, { recursive: true });
  writeFileSync(join(snapshots, 'snapshot-bash-1794833750318-x1y2z3.sh'), '# Snapshot file\nshopt -s expand_aliases\n');
  const { handler, wrapper } = findInstalled(join(home, '.bridle'));
  return [
    { name: 'bridle', command: [node, handler, '--host', 'claude', '--limit', '60'], denies: true },
    { name: 'bridle wrapper', command: [wrapper], denies: true },
    { name: 'limit', command: [node, '-e', '0'] },
    { name: 'limit bare', command: [node, bareHandler], denies: true },
    { name: 'cc-safety-net', command: [node, safetyNet, 'hook', '--claude-code'], denies: true },
  ].map((contestant) => ({ ...contestant, place, project }));
}

function findInstalled(data) {
  const all = readdirSync(data, { recursive: true }).map((path) => join(data, path));
  const find = (pattern) => all.find((path) => pattern.test(path));
  return { handler: find(/handlers\/[^/]+\/hook\.cjs$/), wrapper: find(/hosts\/claude\/hook$/) };
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

let calls = 0;
let ownCalls = 0;

/** Every call has its own id, as in a session. */
function payload(project, command) {
  calls += 1;
  return JSON.stringify({
    session_id: '5f0c9c1e-9f6b-4a41-8f1c-1c1c0c5d7a11',
    transcript_path: join(project, 'transcript.jsonl'),
    cwd: project,
    permission_mode: 'default',
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command, description: 'Look at the repository' },
    tool_use_id: `toolu_${calls}`,
  });
}

function start({ name, command: [program, ...args], place, project }, line = 'git status') {
  if (name.startsWith('bridle')) ownCalls += 1;
  return spawnSync(program, args, { ...place, input: payload(project, line) });
}

/** What was started first has filled the caches that later calls use. */
function checkAnswers(contestant) {
  for (let i = 0; i < 3; i++) {
    const { status, stdout, stderr } = start(contestant);
    if (status !== 0 || String(stdout).includes('deny')) throw new Error(`${contestant.name}: ${stdout}${stderr}`);
  }
  if (contestant.denies !== true) return;
  const { stdout, stderr } = start(contestant, 'rm -rf /');
  if (!String(stdout).includes('"deny"')) throw new Error(`${contestant.name} does not deny: ${stdout}${stderr}`);
}

function wallTime(contestants, rounds) {
  const samples = contestants.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (let k = 0; k < contestants.length; k++) {
      const turn = (round + k) % contestants.length;
      const from = process.hrtime.bigint();
      const { status, stderr } = start(contestants[turn]);
      samples[turn].push(Number(process.hrtime.bigint() - from));
      if (status !== 0) throw new Error(`${contestants[turn].name}: ${stderr}`);
    }
  }
  const results = contestants.map(({ name }, i) => {
    const sorted = samples[i].toSorted((a, b) => a - b);
    return { name, ns: quantile(sorted, 0.5), p25: quantile(sorted, 0.25), p75: quantile(sorted, 0.75) };
  });
  return toRow('hook', 'a call', results);
}

/** Of all processes that a call starts. Far steadier than time; undefined if there is no valgrind. */
function instructions(contestants) {
  const logs = join(contestants[0].place.env.HOME, 'valgrind');
  mkdirSync(logs);
  const flags = [
    '--tool=cachegrind',
    '--cachegrind-out-file=/dev/null',
    '--trace-children=yes',
    `--log-file=${logs}/%p`,
  ];
  const results = [];
  for (const contestant of contestants) {
    const counts = [];
    for (let i = 0; i < 5; i++) {
      const { error } = start({ ...contestant, command: ['valgrind', ...flags, ...contestant.command] });
      if (error !== undefined) return undefined;
      counts.push(sumOfCounts(logs));
    }
    const sorted = counts.toSorted((a, b) => a - b);
    results.push({ name: contestant.name, ns: quantile(sorted, 0.5) });
  }
  return { ...toRow('hook', 'a call, instructions', results), unit: 'instructions' };
}

/** Of the processes that have written a log; a process without a figure was replaced by another program. */
function sumOfCounts(logs) {
  let sum = 0;
  for (const name of readdirSync(logs)) {
    const [, figure = '0'] = /I\s+refs:\s+([\d,]+)/.exec(readFileSync(join(logs, name), 'utf8')) ?? [];
    sum += Number(figure.replaceAll(',', ''));
    rmSync(join(logs, name));
  }
  return sum;
}

/** Every decision was recorded. */
function checkRecords(place, expected) {
  const lines = execFileSync(node, [main, 'journal', 'export'], { ...place, maxBuffer: 2 ** 28 });
  const decided = String(lines).split('"kind":"decided"').length - 1;
  if (decided !== expected) throw new Error(`the journal has ${decided} decisions of ${expected} calls`);
}
