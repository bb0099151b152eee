/** Hooks that a policy file names: loaded only if they are trusted, exactly as they were read, or not at all. */

import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Approver, createGuard, safeDefaults } from 'bridle';
import { createAgent } from 'bridle/agent';
import { scriptedModel } from 'bridle/testing';
import { builtinTools } from 'bridle/tools';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { readPolicyFiles } from '../read/read-policy-files.ts';
import { openPolicy, type OpenPolicy, type OpenPolicyOptions } from './open-policy.ts';
import { loadPolicyHooks } from './policy-hooks.ts';
import { trustPolicy } from './trust.ts';

let folder: string;
let home: string;
let cwd: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'policy-hooks-')));
  home = join(folder, 'home');
  cwd = join(folder, 'work');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): string {
  const path = join(cwd, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
  return path;
}

const withHook = 'version: 1\ndefault: allow\nhooks: [./hooks/guard.mjs]\n';
const rejecting = (word: string): string => `export default {
  name: 'guard',
  preToolCall({ call }) {
    if (JSON.stringify(call.args).includes('${word}')) return { type: 'reject', reason: 'no ${word}' };
  },
};
`;

const approver: Approver = () => false;

function open(options: OpenPolicyOptions = {}): OpenPolicy {
  return openPolicy(join(cwd, 'bridle.yaml'), { cwd, home, ...options });
}

async function callWith(policy: OpenPolicy, hooks = policy.loadHooks()) {
  const guard = createGuard({ tools: builtinTools, policy, hooks: await hooks, approver });
  const turn = (await guard.start({ cwd })).turn();
  return async (file_path: string, tool = 'view_file') => {
    const result = await turn.guard(
      { tool, args: { file_path, ...(tool === 'create_file' && { contents: '' }) } },
      { run: () => 'x' },
    );
    return result.type === 'denied' ? `denied: ${result.reason}` : result.type;
  };
}

function trust(): void {
  trustPolicy(home, readPolicyFiles(join(cwd, 'bridle.yaml'), { cwd }), 1);
}

function load(name = 'bridle.yaml'): Promise<readonly unknown[]> {
  return loadPolicyHooks(readPolicyFiles(join(cwd, name), { cwd }), { timeoutMs: 300 });
}

describe('hooks of a policy file', () => {
  it(proves('D12', 'D04')('run on every call of a guard that loads them'), async () => {
    write('bridle.yaml', withHook);
    write('hooks/guard.mjs', rejecting('secret'));
    const call = await callWith(open());
    expect(await call('a.md')).toBe('ok');
    expect(await call('secret.md')).toContain('no secret');
  });

  it(proves('D12')('are loaded by an agent that starts with the file'), async () => {
    write('bridle.yaml', withHook);
    write('hooks/guard.mjs', rejecting('secret'));
    const model = scriptedModel([
      { toolCalls: [{ tool: 'view_file', args: { file_path: 'secret.md' } }] },
      { text: 'done' },
    ]);
    const agent = await createAgent({ model, policy: 'bridle.yaml', cwd, approver }).start();
    await agent.chat('go');
    await agent.stop();
    expect(JSON.stringify(model.calls.at(-1))).toContain('no secret');
  });

  it(proves('D12')('deny every call until they are loaded'), async () => {
    write('bridle.yaml', withHook);
    write('hooks/guard.mjs', rejecting('secret'));
    const call = await callWith(open(), Promise.resolve([]));
    expect(await call('a.md')).toContain('the hooks of bridle.yaml are not loaded');
  });

  it.each([
    ['a hook', 'export default { name: "a", preTurn() {} }', ['a']],
    ['a list', 'export default [{ name: "a", preTurn() {} }, { name: "b", postTurn() {} }]', ['a', 'b']],
    [
      'a function hook',
      'export default ({ preToolCall, reject }) => preToolCall(function c() { return reject("x") })',
      ['c'],
    ],
    ['a function that returns a promise of a list', 'export default async () => [{ name: "d" }]', ['d']],
    [
      'a hook that uses a module of Node',
      'import { sep } from "node:path"; export default { name: `e${sep}` }',
      ['e/'],
    ],
  ])(proves('D04')('are the default export of a module: %s'), async (_title, code, names) => {
    write('bridle.yaml', withHook);
    write('hooks/guard.mjs', code);
    expect(await load()).toMatchObject(names.map((name) => ({ name })));
  });

  it(proves('D03')('of files that it extends count too, and come first'), async () => {
    write('org/bridle.yaml', 'version: 1\nhooks: top.mjs\n');
    write('org/top.mjs', 'export default { name: "top" }');
    write('bridle.yaml', `extends: org/bridle.yaml\n${withHook}`);
    write('hooks/guard.mjs', 'export default { name: "own" }');
    expect(await load()).toMatchObject([{ name: 'top' }, { name: 'own' }]);
  });

  const canStrip = 'stripTypeScriptTypes' in (process.getBuiltinModule('node:module') as object);
  it(proves('D04')('may be TypeScript if this version of Node can remove types'), async () => {
    write('bridle.yaml', 'version: 1\nhooks: typed.ts\n');
    write('typed.ts', 'import type { Hook } from "bridle";\nexport default { name: "typed" } satisfies Hook;\n');
    const loaded = load().catch((error: Error) => error.message);
    if (canStrip) expect(await loaded).toMatchObject([{ name: 'typed' }]);
    else
      expect(await loaded).toContain('bridle.yaml:2:8: the hook module typed.ts is TypeScript, which needs Node 22.13');
  });
});

describe('a hook module that cannot be used makes the policy invalid, with its position', () => {
  it.each([
    ['throws', 'throw new Error("boo")', 'cannot be loaded: boo'],
    ['is not JavaScript', 'const = 3', 'cannot be loaded: '],
    ['never finishes loading', 'await new Promise(() => {})', 'did not load within 300 ms'],
    ['exports nothing', 'export const hook = {}', 'has no default export'],
    ['exports text', 'export default "hook"', 'exports a string, not a hook'],
    ['exports an empty list', 'export default []', 'exports an empty list'],
    ['exports a list with null', 'export default [null]', 'exports null, not a hook'],
    [
      'exports a hook without a name',
      'export default { preToolCall() {} }',
      'is invalid: a hook with preToolCall has no name',
    ],
    ['misspells a point', 'export default { name: "x", preToolcall() {} }', 'is invalid: '],
    ['exports the same hook twice', 'export default [{ name: "x" }, { name: "x" }]', 'one with that name already'],
    ['has a function that fails', 'export default () => { throw new TypeError("boo") }', 'cannot be loaded: boo'],
    [
      'imports a file',
      'import "../src/x.mjs"; export default { name: "x" }',
      'imports "../src/x.mjs"; a hook module can import only',
    ],
    [
      'imports a file later',
      'await import("./x.mjs"); export default { name: "x" }',
      'imports "./x.mjs"; a hook module can import only',
    ],
    [
      'imports a package',
      'import "bridle"; export default { name: "x" }',
      'imports "bridle"; a hook module can import only',
    ],
  ])(proves('D02', 'D12')('%s'), async (_title, code, problem) => {
    write('bridle.yaml', withHook);
    write('hooks/guard.mjs', code);
    write('src/x.mjs', '');
    write('hooks/x.mjs', '');
    await expect(load()).rejects.toThrow('bridle.yaml:3:9: the hook module hooks/guard.mjs ');
    await expect(load()).rejects.toThrow(problem);
  });

  it.each([
    ['does not exist', () => undefined, 'The hook module hooks/guard.mjs does not exist.'],
    [
      'is a folder',
      () => mkdirSync(join(cwd, 'hooks/guard.mjs'), { recursive: true }),
      'is a folder; name a hook module',
    ],
    ['is not text', () => write('hooks/guard.mjs', '\0'.repeat(1024 * 1024 + 1)), 'the limit for a hook module'],
  ])(proves('D02')('%s'), (_title, make, problem) => {
    write('bridle.yaml', withHook);
    make();
    expect(() => open()).toThrow('bridle.yaml:3:9: the hook module "./hooks/guard.mjs" cannot be read: ');
    expect(() => open()).toThrow(problem);
  });
});

describe('hooks of a policy file that Bridle found', () => {
  const untrusted = { untrusted: safeDefaults() };
  /** Leaves a trace when it runs. */
  const traced = 'globalThis.hookRan = (globalThis.hookRan ?? 0) + 1; export default { name: "traced" };';

  it(proves('D12')('never run before the file and its modules are trusted'), async () => {
    write('bridle.yaml', withHook);
    write('hooks/guard.mjs', traced);
    expect(await open(untrusted).loadHooks()).toEqual([]);
    expect(globalThis).not.toHaveProperty('hookRan');
    trust();
    expect(await open(untrusted).loadHooks()).toMatchObject([{ name: 'traced' }]);
    expect(globalThis).toHaveProperty('hookRan', 1);
  });

  it(proves('D12')('lose the trust when any module changes'), async () => {
    write('bridle.yaml', withHook);
    write('hooks/guard.mjs', rejecting('secret'));
    trust();
    expect(open(untrusted).trusted).toBe(true);
    write('hooks/guard.mjs', 'export default { name: "guard" }');
    expect(open(untrusted).trusted).toBe(false);
    expect(await open(untrusted).loadHooks()).toEqual([]);
  });

  it(proves('D12')('run as they were read, even if the module is replaced before it is loaded'), async () => {
    write('bridle.yaml', withHook);
    write('hooks/guard.mjs', rejecting('secret'));
    trust();
    const policy = open(untrusted);
    write('hooks/guard.mjs', 'export default { name: "guard" }');
    const call = await callWith(policy);
    expect(await call('secret.md')).toContain('no secret');
  });

  it(proves('D12', 'D02')('stay in force in a running agent, and a change cannot loosen the policy'), async () => {
    write('bridle.yaml', `${withHook}rules: [{ deny: create_file }]\n`);
    write('hooks/guard.mjs', rejecting('secret'));
    trust();
    const call = await callWith(open(untrusted));
    expect(await call('a.md')).toBe('ok');
    write('bridle.yaml', 'version: 1\ndefault: allow\n');
    trust();
    expect(await call('secret.md')).toContain('no secret');
    expect(await call('a.md', 'create_file')).toContain('denied');
  });

  it(proves('D12', 'D02')('do not keep a change of the rules from being trusted'), async () => {
    write('bridle.yaml', `${withHook}rules: [{ deny: create_file }]\n`);
    write('hooks/guard.mjs', rejecting('secret'));
    trust();
    const call = await callWith(open(untrusted));
    expect(await call('a.md', 'create_file')).toContain('denied');
    write('bridle.yaml', withHook);
    expect(await call('a.md', 'create_file')).toContain('denied');
    trust();
    expect(await call('a.md', 'create_file')).toBe('ok');
    expect(await call('secret.md', 'create_file')).toContain('no secret');
  });
});

describe('the engine', () => {
  it(proves('D11')('forbids writing a hook module, also through a link to it, whatever the rules allow'), async () => {
    write('bridle.yaml', 'version: 1\ndefault: allow\nhooks: [./hooks/guard.mjs, ./linked.mjs]\n');
    write('hooks/guard.mjs', 'export default { name: "guard" }');
    const target = write('src/real.mjs', 'export default { name: "real" }');
    symlinkSync(target, join(cwd, 'linked.mjs'));
    const call = await callWith(open());
    for (const path of ['hooks/guard.mjs', 'hooks/../hooks/guard.mjs', 'linked.mjs', 'src/real.mjs'])
      expect(await call(path, 'create_file')).toContain('only people may change it');
    expect(await call('hooks/other.mjs', 'create_file')).toBe('ok');
  });
});
