/** Policy files in force: read again when they change, kept when they cannot be, loosened only by trust. */

import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Approver, BridleError, createGuard, safeDefaults } from 'bridle';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import type { PolicyChange } from '../../kernel/guard/guard-options.ts';
import { openPolicy, type OpenPolicyOptions } from './open-policy.ts';
import { readPolicyFiles } from '../read/read-policy-files.ts';
import { distrustPolicy, isTrusted, listTrusted, trustPolicy } from './trust.ts';

let folder: string;
let home: string;
let file: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'policy-')));
  home = join(folder, 'home');
  mkdirSync(join(folder, 'work'));
  file = join(folder, 'work', 'bridle.yaml');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const tools = [
  { name: 'view', tier: 'observe' },
  { name: 'push' },
  { name: 'write', paths: ['path'], touches: { writes: ['path'] } },
] as const;
const approver: Approver = () => true;

function write(text: string): void {
  // As editors do it, so that no half of a file is ever there.
  writeFileSync(`${file}.new`, `version: 1\n${text}`);
  renameSync(`${file}.new`, file);
}

function trust(): void {
  trustPolicy(home, readPolicyFiles(file, { cwd: join(folder, 'work') }), 1);
}

async function open(options: OpenPolicyOptions = {}) {
  const policy = openPolicy(file, { cwd: join(folder, 'work'), home, ...options });
  const changes: PolicyChange[] = [];
  const unwatch = policy.watch((change) => changes.push(change));
  const guard = createGuard({ tools, policy, approver });
  const session = await guard.start({ cwd: join(folder, 'work') });
  const turn = session.turn();
  const call = async (tool: string, args: unknown = {}): Promise<string> =>
    (await turn.guard({ tool, args }, { run: () => 'done' })).type;
  unwatch();
  policy.watch((change) => changes.push(change))();
  return { call, changes, guard, policy, watch: () => policy.watch((change) => changes.push(change)) };
}

const allowPush = 'rules: [{ allow: push }, { allow: view }]';
const denyPush = 'rules: [{ deny: push, reason: not today }, { allow: view }]';

describe('a policy file that changes', () => {
  it(proves('D02', 'D12')('becomes stricter immediately'), async () => {
    write(allowPush);
    const { call, guard } = await open();
    expect(await call('push')).toBe('ok');
    const { version } = guard.policy;
    write(denyPush);
    expect(await call('push')).toBe('denied');
    expect(guard.policy.version).not.toBe(version);
  });

  it.each([
    ['is removed', 'rules: [{ allow: view }]'],
    ['gets a condition', 'rules: [{ allow: push, when: "false" }, { allow: view }]'],
    ['is removed with all others', 'default: deny'],
  ])(proves('D12', 'D02')('so that an allow %s ends immediately'), async (_title, text) => {
    write(allowPush);
    const { call } = await open();
    expect(await call('push')).toBe('ok');
    write(text);
    expect(await call('push')).toBe('denied');
  });

  it(proves('M04')('or not may name servers that are not connected'), async () => {
    write('default: allow\nservers: [github]\nrules: [{ ask: github/* }, { deny: github/drop }]');
    const { call } = await open();
    expect(await call('push')).toBe('ok');
  });

  it(proves('D02')('between opening and use is noticed'), async () => {
    write(allowPush);
    const policy = openPolicy(file, { cwd: join(folder, 'work'), home });
    write(denyPush);
    const turn = (await createGuard({ tools, policy, approver }).start()).turn();
    expect((await turn.guard({ tool: 'push' }, { run: () => 'x' })).type).toBe('denied');
  });

  it(proves('D12')('becomes looser only when its contents are trusted'), async () => {
    write(denyPush);
    const { call } = await open();
    expect(await call('push')).toBe('denied');
    write(allowPush);
    expect(await call('push')).toBe('denied');
    trust();
    expect(await call('push')).toBe('ok');
    write(`${allowPush} # one more word`);
    expect(await call('push')).toBe('ok');
    write(`default: allow\n${denyPush}`);
    expect(await call('push')).toBe('denied');
  });

  it(proves('D12')('ignores the default of untrusted contents'), async () => {
    write('rules: [{ deny: push }]');
    const { call } = await open();
    expect(await call('view')).toBe('denied');
    write('default: allow');
    expect(await call('view')).toBe('denied');
    expect(await call('push')).toBe('denied');
  });

  it(proves('D12')('allows nothing that only the default denied'), async () => {
    write('rules: [{ allow: view }]');
    const { call } = await open();
    expect(await call('push')).toBe('denied');
    write('rules: [{ allow: push }, { ask: write }, { allow: view }]');
    expect(await call('push')).toBe('denied');
    expect(await call('write', { path: 'x' })).toBe('denied');
    expect(await call('view')).toBe('ok');
  });

  it(proves('D12')('replaces the old one if writers of the file are trusted'), async () => {
    write(denyPush);
    const { call } = await open({ reload: 'replace' });
    write(allowPush);
    expect(await call('push')).toBe('ok');
  });

  it.each([
    ['is not YAML', 'rules: ['],
    ['has an unknown key', 'ruels: []'],
    ['has a condition that does not type', 'rules: [{ allow: push, when: "1 + true" }]'],
    ['is empty', '#'],
  ])(proves('D02')('and %s keeps the last valid one, and reports it'), async (_title, text) => {
    write(allowPush);
    const { call, changes, watch } = await open();
    const unwatch = watch();
    writeFileSync(file, text);
    expect(await call('push')).toBe('ok');
    expect(await call('write', { path: 'x' })).toBe('denied');
    expect(changes).toMatchObject([
      { type: 'failed', message: expect.stringContaining('so the previous policy stays in force') as string },
    ]);
    write(denyPush);
    expect(await call('push')).toBe('denied');
    unwatch();
  });

  it(proves('D02')('by being deleted keeps the last valid one'), async () => {
    write(denyPush);
    const { call } = await open();
    rmSync(file);
    expect(await call('push')).toBe('denied');
    expect(await call('view')).toBe('ok');
  });

  it(proves('D02')('is reported even while no call is made'), async () => {
    write(allowPush);
    const { changes, watch } = await open();
    const unwatch = watch();
    write(denyPush);
    await expect
      .poll(() => changes, { timeout: 10_000 })
      .toMatchObject([{ type: 'changed', trusted: false, files: [file] }]);
    unwatch();
  });

  it(proves('D02', 'D05')('in a file it extends counts too'), async () => {
    const upper = join(folder, 'org.yaml');
    writeFileSync(upper, 'version: 1\nrules: [{ allow: "*" }]');
    write(`extends: ../org.yaml\n${allowPush}`);
    const { call } = await open();
    expect(await call('push')).toBe('ok');
    writeFileSync(upper, 'version: 1\nrules: [{ forbid: push }]');
    expect(await call('push')).toBe('denied');
  });

  it(proves('Q01', 'D02')('while an approval is pending voids the answer'), async () => {
    write('rules: [{ ask: push }]');
    const policy = openPolicy(file, { cwd: join(folder, 'work'), home });
    let asked = 0;
    const thinking: Approver = () => {
      if (asked++ === 0) write('rules: [{ ask: push, reason: another question }]');
      return asked < 3;
    };
    const guard = createGuard({ tools, policy, approver: thinking });
    const turn = (await guard.start()).turn();
    expect(await turn.guard({ tool: 'push' }, { run: () => 'done' })).toMatchObject({ type: 'ok' });
    expect(asked).toBe(2);
  });

  it(proves('D02')('while an approval is pending, into a denial, denies'), async () => {
    write('rules: [{ ask: push }]');
    const policy = openPolicy(file, { cwd: join(folder, 'work'), home });
    const thinking: Approver = () => {
      write(denyPush);
      return true;
    };
    const turn = (await createGuard({ tools, policy, approver: thinking }).start()).turn();
    const result = await turn.guard({ tool: 'push' }, { run: () => expect.unreachable() });
    expect(result).toMatchObject({ type: 'denied', text: 'not today [bridle.yaml:2]' });
  });
});

describe('a policy file that was merely found', () => {
  const found = { untrusted: safeDefaults() };

  it(proves('D12')('can only make the base rules stricter'), async () => {
    write('default: allow\nrules: [{ allow: push }, { deny: view }]');
    const policy = openPolicy(file, { cwd: join(folder, 'work'), home, ...found });
    expect(policy.trusted).toBe(false);
    const asked: string[] = [];
    const guard = createGuard({ tools, policy, approver: ({ call }) => asked.push(call.tool) > 0 });
    const turn = (await guard.start()).turn();
    const typeOf = async (tool: string): Promise<string> => (await turn.guard({ tool }, { run: () => 'x' })).type;
    expect(await typeOf('push')).toBe('ok');
    expect(asked).toEqual(['push']);
    expect(await typeOf('view')).toBe('denied');
  });

  it(proves('D12')('takes full effect once it is trusted, even while in force'), async () => {
    write('rules: [{ deny: push }, { allow: view }]');
    const { call } = await open(found);
    expect(await call('push')).toBe('denied');
    trust();
    expect(await call('view')).toBe('ok');
    // Its default counts now.
    expect(await call('write', { path: 'x' })).toBe('denied');
    expect(openPolicy(file, { cwd: join(folder, 'work'), home, ...found }).trusted).toBe(true);
  });

  it(proves('D12')('loses its effect when trust is revoked'), async () => {
    write('rules: [{ allow: push }]');
    trust();
    const asked: string[] = [];
    const policy = openPolicy(file, { cwd: join(folder, 'work'), home, ...found });
    const guard = createGuard({ tools, policy, approver: ({ call }) => asked.push(call.tool) > 0 });
    const turn = (await guard.start()).turn();
    await turn.guard({ tool: 'push' }, { run: () => 'x' });
    expect(asked).toEqual([]);
    distrustPolicy(home, file);
    await turn.guard({ tool: 'push' }, { run: () => 'x' });
    expect(asked).toEqual(['push']);
  });

  it(proves('D12')('is not trusted with other contents, another path, or another extended file'), () => {
    const upper = join(folder, 'org.yaml');
    writeFileSync(upper, 'version: 1\nrules: []');
    write(`extends: ../org.yaml\n${denyPush}`);
    const files = () => readPolicyFiles(file, { cwd: folder });
    trust();
    expect(isTrusted(home, files())).toBe(true);
    writeFileSync(upper, 'version: 1\nrules: [{ allow: "*" }]');
    expect(isTrusted(home, files())).toBe(false);
    writeFileSync(upper, 'version: 1\nrules: []');
    expect(isTrusted(home, files())).toBe(true);
    mkdirSync(join(folder, 'copy'));
    writeFileSync(join(folder, 'copy', 'bridle.yaml'), readFileSync(file));
    expect(isTrusted(home, readPolicyFiles(join(folder, 'copy', 'bridle.yaml'), { cwd: folder }))).toBe(false);
    expect(distrustPolicy(home, file)).toBe(true);
    expect(isTrusted(home, files())).toBe(false);
    expect(distrustPolicy(home, file)).toBe(false);
  });

  it(proves('D12')('is not trusted by a trust file that others can write, or that is damaged'), () => {
    write(allowPush);
    trust();
    const trustFile = join(home, 'trust.json');
    expect(listTrusted(home)).toHaveLength(1);
    chmodSync(trustFile, 0o666);
    expect(() => listTrusted(home)).toThrow('other users can write to it');
    chmodSync(trustFile, 0o600);
    for (const text of ['', '{}', '[]', '{"version":2,"policies":[]}', '{"version":1,"policies":[{"file":1}]}']) {
      writeFileSync(trustFile, text);
      expect(() => listTrusted(home), text).toThrow(BridleError);
    }
  });
});

describe('an agent and the files that control it', () => {
  it(proves('D11')('cannot write them, whether they exist or not'), async () => {
    write('default: allow\nrules: [{ allow: write }]');
    const { call } = await open();
    expect(await call('write', { path: 'notes.txt' })).toBe('ok');
    for (const path of [
      'bridle.yaml',
      './bridle.yaml',
      'bridle.json',
      '../work/bridle.yml',
      join(home, 'trust.json'),
    ]) {
      expect(await call('write', { path }), path).toBe('denied');
      expect(existsSync(join(folder, 'work', 'bridle.json'))).toBe(false);
    }
    symlinkSync(file, join(folder, 'work', 'innocent.txt'));
    expect(await call('write', { path: 'innocent.txt' })).toBe('denied');
  });
});

describe('a tool declaration in a file', () => {
  it(
    proves('D11', 'W01')('applies to the rules that protect the session, even if the tool declares nothing'),
    async () => {
      write(`default: allow
servers: [{ name: fs, paths: { put: [path] } }]
tools:
  save: { paths: [target], touches: { writes: [target] } }
  shell: { touches: { bash: [line] } }
  claims: { tier: observe, paths: [target], touches: { reads: [target] } }`);
      const policy = openPolicy(file, { cwd: join(folder, 'work'), home });
      const declared = [
        { name: 'save' },
        { name: 'shell' },
        { name: 'claims', paths: ['target'] },
        { name: 'put', server: 'fs' },
      ];
      const guard = createGuard({ tools: declared, servers: [{ name: 'fs' }], policy, approver });
      const turn = (await guard.start({ cwd: join(folder, 'work') })).turn();
      const typeOf = async (tool: string, args: object, server?: string): Promise<string> =>
        (await turn.guard({ tool, server, args }, { run: () => 'done' })).type;
      expect(await typeOf('save', { target: 'notes.txt' })).toBe('ok');
      expect(await typeOf('save', { target: 'bridle.yaml' })).toBe('denied');
      expect(await typeOf('put', { path: './bridle.yaml' }, 'fs')).toBe('denied');
      expect(await typeOf('shell', { line: 'echo x > bridle.yaml' })).toBe('denied');
      // That it only reads is not believed of a tool that may have side effects.
      expect(await typeOf('claims', { target: 'bridle.yaml' })).toBe('denied');
    },
  );
});

describe('a policy file that cannot be used', () => {
  it.each([
    ['does not exist', () => undefined, 'does not exist'],
    ['is a folder', () => mkdirSync(file), 'is a folder'],
    ['is too large', () => writeFileSync(file, `version: 1\n#${'x'.repeat(1024 * 1024)}`), 'is larger than'],
    ['is not UTF-8', () => writeFileSync(file, Buffer.from([0xc3, 0x28])), 'is not UTF-8'],
    ['extends itself', () => write('extends: ./bridle.yaml'), 'which extends this file'],
    ['extends nothing', () => write('extends: ./missing.yaml'), 'missing.yaml does not exist'],
  ])(proves('D02', 'D03')('because it %s causes an error at the start'), (_title, make, says) => {
    make();
    expect(() => openPolicy(file, { cwd: folder, home })).toThrow(says);
  });

  it(proves('P10')('asks without an approver: it names the rule and the default'), () => {
    write('default: ask');
    expect(() => createGuard({ tools, policy: openPolicy(file, { cwd: folder, home }) })).toThrow('the default is ask');
    write('rules: [{ ask: push, name: careful }]');
    expect(() => createGuard({ tools, policy: openPolicy(file, { cwd: folder, home }) })).toThrow('rule "careful"');
  });

  it(proves('M04')('is about an undeclared server'), () => {
    write('rules: [{ deny: gh/push }]');
    expect(() => createGuard({ tools, policy: openPolicy(file, { cwd: folder, home }) })).toThrow(
      'no server is named "gh"',
    );
  });
});
