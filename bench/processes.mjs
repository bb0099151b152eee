/** Projects in which `bridle check` and the hook of Claude Code run as processes, with a policy of 100 rules. */

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { built } from './dist.mjs';

export const main = built('cli/main.cjs');
export const node = process.execPath;

const recorded = new URL('../test/hosts/fixtures/claude/hook-env.json', import.meta.url);

/** Gives `work` a folder and removes it afterwards. */
export async function withFolder(work) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-bench-')));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The environment of a process that is measured. Certificates that are loaded at the start of every Node would hide its own work. */
export function environment() {
  const removed = ['NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS', 'BRIDLE_HOME', 'BRIDLE_STORE', 'BRIDLE_DIST'];
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !removed.includes(name)));
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

/** A folder with the policy, and the command that decides one call. */
export function prepareCheck(folder) {
  const place = { cwd: folder, env: { ...environment(), BRIDLE_HOME: join(folder, 'state') }, maxBuffer: 2 ** 28 };
  const policy = join(folder, 'policy.yaml');
  writeFileSync(policy, makePolicy());
  const one = ['--tool', 'run_command', '--args', JSON.stringify({ command_line: 'git status' })];
  const start = [main, 'check', '--policy', policy, ...one];
  // The first starts read the policy and compile; what they keep is what later ones use.
  for (let i = 0; i < 3; i++) {
    const { stdout, stderr } = spawnSync(node, start, { ...place, encoding: 'utf8' });
    if (JSON.parse(stdout).decision !== 'allow') throw new Error(`bridle: ${stdout}${stderr}`);
  }
  return { place, policy, start };
}

/** A user with a trusted policy, and the hook installed, as Claude Code starts it. */
export function prepareHook(folder) {
  const [home, project] = [join(folder, 'home'), join(folder, 'project')];
  for (const each of [home, project]) mkdirSync(each);
  // By it the hook knows the version of Claude Code. Commands of an unknown version are denied.
  const { AI_AGENT } = JSON.parse(readFileSync(recorded, 'utf8')).env;
  const place = { cwd: project, env: { ...environment(), HOME: home, AI_AGENT } };
  const bridle = (...args) => execFileSync(node, [main, ...args], { ...place, stdio: 'pipe' });
  writeFileSync(join(project, 'bridle.yaml'), makePolicy());
  bridle('trust', '--yes');
  bridle('install', 'claude', '--yes');
  // Claude Code writes it when the first command of a session runs.
  const snapshots = join(home, '.claude/shell-snapshots');
  mkdirSync(snapshots, { recursive: true });
  writeFileSync(join(snapshots, 'snapshot-bash-1794833750318-x1y2z3.sh'), '# Snapshot file\nshopt -s expand_aliases\n');
  const data = join(home, '.bridle');
  const installed = readdirSync(data, { recursive: true }).map((path) => join(data, path));
  const find = (pattern) => installed.find((path) => pattern.test(path));
  const handler = [find(/handlers\/[^/]+\/hook\.cjs$/), '--host', 'claude', '--limit', '60'];
  return { place, handler, wrapper: find(/hosts\/claude\/hook$/), payload: payloadIn(project) };
}

/** What Claude Code writes to the hook. Every call has its own id, as in a session. */
function payloadIn(project) {
  let calls = 0;
  return (command) =>
    JSON.stringify({
      session_id: '5f0c9c1e-9f6b-4a41-8f1c-1c1c0c5d7a11',
      transcript_path: join(project, 'transcript.jsonl'),
      cwd: project,
      permission_mode: 'default',
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: { command, description: 'Look at the repository' },
      tool_use_id: `toolu_${++calls}`,
    });
}
