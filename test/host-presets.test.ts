/** The presets decide the calls of coding agents: patches of several files, background commands, interactive programs. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createAgent } from 'bridle/agent';
import { scriptedModel } from 'bridle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HostCall } from '../src/hosts/host.ts';
import { commandCall, patchCall, planCall, subagentCall } from '../src/hosts/host-tools.ts';
import { type PresetName, presetNames } from '../src/policy-files/init/presets.ts';
import { starterFile } from '../src/policy-files/init/starter-file.ts';
import { loadPolicy } from '../src/policy-files/load/load-policy.ts';
import { proves } from './contract/cite.ts';

const files = {
  'package.json': '{"scripts":{"test":"vitest","build":"tsc","dev":"vite"}}',
  'README.md': '',
  '.git/HEAD': '',
  '.gitignore': '.env\n',
  '.env': 'KEY=1',
};

let top: string;
beforeAll(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-host-presets-')));
  for (const preset of presetNames) {
    const folder = join(top, preset);
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    writeFileSync(join(folder, 'bridle.yaml'), starterFile(folder, preset).text);
  }
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

/** Loaded policies by preset and declared tool. Loading takes far longer than deciding. */
const loaded = new Map<string, ReturnType<typeof loadPolicy>>();

/** Decides as the hook of a coding agent does: the call brings its own declaration. */
async function decide(preset: PresetName, { tool, args, declaration }: HostCall): Promise<string> {
  const cwd = join(top, preset);
  const key = JSON.stringify([preset, declaration]);
  const policy =
    loaded.get(key) ?? loadPolicy(join(cwd, 'bridle.yaml'), { cwd, home: join(top, 'home'), tools: [declaration] });
  loaded.set(key, policy);
  const { effect, problem } = await policy.decide({ tool, args });
  expect(problem).toBeUndefined();
  return effect;
}

const parts = { id: undefined };

describe('a patch of several files', () => {
  it.each([
    ['edit_file', ['src/a.ts', 'src/b.ts'], ['ask', 'allow', 'allow']],
    ['create_file', ['src/a.ts', 'docs/b.md'], ['ask', 'allow', 'allow']],
    ['edit_file', ['src/a.ts', '.env'], ['deny', 'deny', 'deny']],
    ['create_file', ['src/a.ts', 'certs/server.pem'], ['deny', 'deny', 'deny']],
    ['edit_file', ['src/a.ts', 'package.json'], ['ask', 'ask', 'ask']],
    ['create_file', ['src/a.ts', '.github/workflows/ci.yml'], ['ask', 'ask', 'ask']],
    ['edit_file', ['src/a.ts', 'bridle.yaml'], ['deny', 'deny', 'deny']],
    ['create_file', ['src/a.ts', '.claude/settings.json'], ['deny', 'deny', 'deny']],
    ['create_file', ['src/a.ts', 'sub/opencode.json'], ['deny', 'deny', 'deny']],
    ['create_file', ['src/a.ts', '.gemini/.env'], ['deny', 'deny', 'deny']],
    ['edit_file', ['src/a.ts', '../other/x'], ['deny', 'ask', 'ask']],
    ['create_file', ['src/a.ts', '~/.claude/plans/a.md'], ['deny', 'ask', 'ask']],
    ['edit_file', ['src/a.ts', '~/.claude/settings.json'], ['deny', 'deny', 'deny']],
    ['edit_file', ['.git/config', 'src/a.ts'], ['deny', 'deny', 'deny']],
  ] as const)(proves('C04', 'D10')('is decided by all of them: %s %j'), async (tool, paths, expected) => {
    const decided = await Promise.all(
      presetNames.map((preset) => decide(preset, patchCall(tool, { files: paths, patch: '*** Begin Patch' }, parts))),
    );
    expect(decided).toEqual(expected);
  });
});

describe('tools that only plan, and subagents', () => {
  it(proves('C04', 'D10')('are allowed, except that strict asks about subagents'), async () => {
    const plan = planCall('TodoWrite', { todos: [] }, parts);
    const subagent = subagentCall({ agent: 'helper', prompt: 'look' }, parts);
    for (const preset of presetNames) expect(await decide(preset, plan)).toBe('allow');
    expect(await Promise.all(presetNames.map((preset) => decide(preset, subagent)))).toEqual(['ask', 'allow', 'allow']);
  });

  it.each(presetNames)(
    proves('P14', 'D10')('cause no warning in an agent that does not have them: %s'),
    async (preset) => {
      const cwd = join(top, preset);
      const model = scriptedModel([{ text: 'done' }]);
      const agent = await createAgent({ model, cwd, policy: 'bridle.yaml', approver: () => false }).start();
      expect(agent.warnings).toEqual([]);
      await agent.stop();
    },
  );
});

describe('a program that takes commands while it runs', () => {
  const shells = ['bash', 'bash -i', 'bash -l', 'bash --login', 'sh', 'sh -i', 'dash', 'zsh', 'zsh -i', 'fish', 'ksh'];
  const interpreters =
    `python|python3|python3 -i|node|node -i|deno|deno repl|bun repl|irb|pry|ruby|perl -de1|php -a|lua|ghci
    R|julia|iex|erl|scala|jshell|tclsh|gdb|rails console`.split(/[|\n]\s*/);
  const clients = `psql|psql mydb|mysql|sqlite3|sqlite3 a.db|redis-cli|mongosh|ssh host|ssh -t host|telnet host|ftp host
    sftp host|docker exec -it a bash|docker run -it a sh|kubectl exec -it a -- sh`.split(/[|\n]\s*/);
  const terminals = [
    'tmux',
    'tmux new -d',
    'tmux send-keys ls Enter',
    'screen',
    'screen -dmS x',
    'script',
    'script -q log',
  ];
  const wrapped =
    `env bash|exec bash|command bash|nohup bash|setsid bash|timeout 60 bash|stdbuf -o0 bash|sudo -i|su|(bash)|bash &
    coproc bash|nice python3|busybox sh|npx node|read x; eval "$x"|while read l; do eval "$l"; done|cat \\| bash
    bash < /dev/stdin|bash /dev/stdin|source /dev/stdin|xargs -I{} sh -c {}`
      .replaceAll('\\|', '\0')
      .split(/[|\n]\s*/)
      .map((line) => line.replaceAll('\0', '|'));
  const pagers = [
    'less README.md',
    'more README.md',
    'vim',
    'vi README.md',
    'nano',
    'emacs -nw',
    'man ls',
    'ed',
    'git add -p',
  ];
  const lines = [...shells, ...interpreters, ...clients, ...terminals, ...wrapped, ...pagers];

  it.each(presetNames)(proves('C11')('is never allowed by %s, in the foreground or the background'), async (preset) => {
    const allowed: string[] = [];
    for (const command of lines) {
      for (const background of [false, true]) {
        for (const isBash of [false, true]) {
          const effect = await decide(preset, commandCall({ command, background, isBash }, parts));
          if (effect === 'allow') allowed.push(`${command} (background: ${background}, bash: ${isBash})`);
        }
      }
    }
    expect(lines.length).toBeGreaterThan(70);
    expect(allowed).toEqual([]);
  });

  it.each([
    ['strict', ['ask', 'ask', 'ask']],
    ['balanced', ['allow', 'ask', 'ask']],
    ['trusting', ['allow', 'allow', 'ask']],
  ] as const)(proves('C11', 'D10')('differs from a command that %s allows by name'), async (preset, expected) => {
    const background = ['npm test', 'npm run dev', './server.sh'].map((command) =>
      decide(preset, commandCall({ command, background: true, isBash: true }, parts)),
    );
    expect(await Promise.all(background)).toEqual(expected);
  });

  it.each(presetNames)(
    proves('C04', 'C11')('and any command of another shell than bash is not allowed by %s'),
    async (preset) => {
      for (const command of ['ls', 'npm test', 'cat README.md'])
        expect(await decide(preset, commandCall({ command, isBash: false }, parts))).not.toBe('allow');
    },
  );
});
