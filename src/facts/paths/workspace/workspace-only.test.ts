import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import type { RuleCheckResult, ToolCall } from '../../../kernel/call.ts';
import { newId, type CallId, type SessionId } from '../../../kernel/ids.ts';
import type { JsonObject } from '../../../kernel/json.ts';
import type { ToolDeclaration } from '../../../kernel/tool.ts';
import { allowAll, compilePolicy } from 'bridle';
import { builtinTools } from 'bridle/tools';
import { workspaceOnly, type WorkspaceRule, type WorkspaceOptions } from './workspace-only.ts';

const base = realpathSync.native(mkdtempSync(join(tmpdir(), 'workspace-')));
const ws = join(base, 'ws');
const isCaseSensitive = statSync(base.toUpperCase(), { throwIfNoEntry: false }) === undefined;

beforeAll(() => {
  for (const folder of ['ws/a', 'ws-evil', 'out', 'home']) mkdirSync(join(base, folder), { recursive: true });
  for (const file of ['ws/file', 'ws-evil/file', 'out/secret']) writeFileSync(join(base, file), 'x');
  symlinkSync('ws', join(base, 'alias'));
  symlinkSync('../out', join(ws, 'far'));
  symlinkSync('../out/secret', join(ws, 'leak'));
  symlinkSync('../ws-evil', join(ws, 'evil'));
  symlinkSync('nowhere', join(ws, 'dangling'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

function callOf(args: JsonObject, cwd?: string): ToolCall {
  return {
    id: newId<CallId>(),
    tool: 'tool',
    server: undefined,
    displayName: 'tool',
    tier: 'observe',
    args,
    requested: args,
    cwd,
    session: newId<SessionId>(),
    turn: 1,
    step: 1,
    agent: [],
  };
}

function check(rule: WorkspaceRule, args: JsonObject, paths: readonly string[] = ['path']): RuleCheckResult {
  return rule.check(callOf(args), { name: 'tool', paths });
}

const rule = workspaceOnly([ws], { cwd: ws, home: join(base, 'home') });
const isDenied = (path: string): boolean => check(rule, { path }).matched;

describe('workspaceOnly', () => {
  it(proves('W03')('compares name by name'), () => {
    expect(isDenied('../ws-evil/file')).toBe(true);
    expect(isDenied(`${ws}-evil`)).toBe(true);
    expect(isDenied('evil/file')).toBe(true);
    expect(isDenied('.')).toBe(false);
    expect(isDenied(ws)).toBe(false);
    expect(isDenied(`${ws}///`)).toBe(false);
    expect(isDenied('a/')).toBe(false);
    expect(isDenied('..')).toBe(true);
    expect(isDenied(base)).toBe(true);
    expect(isDenied('/')).toBe(true);
  });

  it(proves('W03')('accepts a workspace that is a link, in both spellings'), () => {
    for (const dir of [join(base, 'alias'), join(base, 'alias/'), ws, `${ws}/a/..`]) {
      const linked = workspaceOnly([dir]);
      for (const path of ['alias/file', 'ws/file', 'alias', 'ws', 'alias/new/leaf']) {
        expect(check(linked, { path: join(base, path) }).matched).toBe(false);
      }
      expect(check(linked, { path: join(base, 'out/secret') }).matched).toBe(true);
    }
  });

  it(proves('W03')('respects the case of the file system'), () => {
    const upper = join(base, 'WS', 'file');
    expect(check(workspaceOnly([ws]), { path: upper }).matched).toBe(isCaseSensitive);
    mkdirSync(join(base, 'WS'), { recursive: true });
    expect(check(workspaceOnly([ws]), { path: upper }).matched).toBe(isCaseSensitive);
  });

  it(proves('W02')('denies paths that lead outside or nowhere, in every spelling'), () => {
    const outside = [
      'far/secret',
      'leak',
      'far/new',
      'a/../../out',
      './/.././out',
      '~',
      '~/x',
      '/etc/passwd',
      'file:///etc/passwd',
      `file://${base}/out/secret`,
      'a/../far/../out/secret',
      '/proc/self/root/etc',
      '/dev/stdin',
      '/dev/null',
    ];
    const nowhere = [
      'dangling',
      'new/../file',
      'file/',
      'file/..',
      '',
      'a\0',
      'file://host/x',
      'x'.repeat(256),
      'a/'.repeat(4000),
    ];
    for (const path of [...outside, ...nowhere]) {
      const finding = check(rule, { path });
      expect(finding.matched, path).toBe(true);
      expect(finding.reason).toMatch(/^Argument "path": \S+/);
    }
    for (const path of ['new', 'new/deep/leaf', 'a/../file', '...', '..\\..\\etc', '..%2f', '~user'])
      expect(isDenied(path), path).toBe(false);
  });

  it(proves('W01')('checks single paths, lists, nested paths, sources and destinations'), () => {
    const paths = ['source', 'destination', 'paths', 'edits[].path', 'options.output', 'deep[].list[].to'];
    const good = {
      source: 'file',
      destination: 'new',
      paths: ['file', ['a']],
      edits: [{ path: 'file' }],
      options: { output: 'out.txt' },
    };
    expect(check(rule, good, paths)).toMatchObject({ matched: false });
    expect(check(rule, good, paths).paths?.map((checked) => checked.at)).toEqual([
      ['source'],
      ['destination'],
      ['paths', 0],
      ['paths', 1, 0],
      ['edits', 0, 'path'],
      ['options', 'output'],
    ]);
    const bad: readonly [string, JsonObject][] = [
      ['source', { source: '/etc/passwd' }],
      ['destination', { source: 'file', destination: '../out/x' }],
      ['paths', { paths: '../out' }],
      ['paths[1]', { paths: ['file', '../out'] }],
      ['paths[0][1]', { paths: [['file', '../out']] }],
      ['edits[1].path', { edits: [{ path: 'file' }, { path: 'leak' }] }],
      ['edits.path', { edits: { path: 'leak' } }],
      ['options.output', { options: { output: '/tmp/x' } }],
      ['options[0].output', { options: [{ output: '/tmp/x' }] }],
      ['deep[0].list[0].to', { deep: [{ list: [{ to: '/' }] }] }],
    ];
    for (const [where, args] of bad)
      expect(check(rule, args, paths).reason).toContain(`Argument ${JSON.stringify(where)}:`);
  });

  it(proves('W01')('finds properties whose names contain dots or brackets'), () => {
    expect(check(rule, { 'a.b': '/etc/passwd' }, ['a.b']).matched).toBe(true);
    expect(check(rule, { a: { b: '/etc/passwd' } }, ['a.b']).matched).toBe(true);
    expect(check(rule, { 'files[]': ['/etc/passwd'] }, ['files[]']).matched).toBe(true);
  });

  it.each([7, null, true, { path: 'file' }, [7], [null], ['file', 7]])(
    proves('W01', 'W02')('denies %j where a path is declared'),
    (path) => {
      const finding = check(rule, { path });
      expect(finding.matched).toBe(true);
      expect(finding.reason).toMatch(/not a string/);
    },
  );

  it.each(['file', '[{"path":"/etc/passwd"}]', 7, null, [['file']], [null]])(
    proves('W01')('denies %j where an object with a path is declared'),
    (edits) => {
      expect(check(rule, { edits }, ['edits[].path'])).toMatchObject({
        matched: true,
        reason: expect.stringContaining('not an object') as string,
      });
    },
  );

  it(proves('W01')('denies an argument that satisfies only one of two declarations'), () => {
    for (const paths of [
      ['edits', 'edits[].path'],
      ['edits[].path', 'edits'],
    ]) {
      expect(check(rule, { edits: 'file' }, paths).matched).toBe(true);
      expect(check(rule, { edits: [{ path: 'file' }] }, paths).matched).toBe(true);
    }
  });

  it(proves('W01')('does not apply if no path is given or declared'), () => {
    expect(check(rule, {})).toEqual({ matched: false, paths: [] });
    expect(check(rule, { path: [] })).toEqual({ matched: false, paths: [] });
    expect(check(rule, { edits: [{}] }, ['edits[].path'])).toEqual({ matched: false, paths: [] });
    expect(rule.check(callOf({ path: '/etc/passwd' }), { name: 'tool' })).toEqual({ matched: false, paths: [] });
  });

  it(proves('W01')('refuses more paths than the limit'), () => {
    expect(check(rule, { path: Array.from({ length: 1000 }, () => 'file') }).matched).toBe(false);
    expect(check(rule, { path: Array.from({ length: 1001 }, () => 'file') }).matched).toBe(true);
  });

  it(proves('W02')('starts at the folder of the call, else of the rule, else of the process at that time'), () => {
    const tool: ToolDeclaration = { name: 'tool', paths: ['path'] };
    expect(rule.check(callOf({ path: 'file' }, join(base, 'out')), tool).matched).toBe(true);
    expect(rule.check(callOf({ path: '../file' }, join(ws, 'a')), tool).matched).toBe(false);
    expect(rule.check(callOf({ path: 'file' }, 'relative'), tool).matched).toBe(true);
    const here = workspaceOnly(['.']);
    expect(here.check(callOf({ path: 'package.json' }), tool).paths?.[0]?.path).toBe(
      join(realpathSync.native(process.cwd()), 'package.json'),
    );
  });

  it(proves('W05')('denies every call with a path if there is no workspace'), () => {
    const none = workspaceOnly([]);
    expect(check(none, { path: '.' })).toMatchObject({
      matched: true,
      reason: expect.stringContaining('no workspace') as string,
    });
    expect(check(none, {}).matched).toBe(false);
  });

  it(proves('W05')('forbids, for every tool, and gives the same result when applied twice'), () => {
    expect(rule).toMatchObject({ type: 'rule', effect: 'forbid', target: { type: 'all' }, name: 'workspace_only' });
    const again = workspaceOnly([ws, ws], { cwd: ws, home: join(base, 'home') });
    for (const path of ['file', 'leak', 'new', '..'])
      expect(check(again, { path }).matched).toBe(check(rule, { path }).matched);
  });

  it(proves('W03')('contains nothing while a workspace does not exist'), () => {
    const later = join(base, 'later');
    const waiting = workspaceOnly([later]);
    expect(check(waiting, { path: later }).matched).toBe(true);
    expect(check(waiting, { path: join(later, 'x') })).toMatchObject({
      reason: expect.stringContaining('does not exist') as string,
    });
    expect(waiting.review([])).toEqual([expect.stringContaining('does not exist')]);
    mkdirSync(later);
    expect(check(waiting, { path: join(later, 'x') }).matched).toBe(false);
    expect(waiting.review([])).toEqual([]);
  });

  it(proves('W03')('does not change when a link replaces the workspace'), () => {
    const fenced = join(base, 'fenced');
    mkdirSync(join(fenced, 'sub'), { recursive: true });
    const inner = workspaceOnly([join(fenced, 'sub'), join(fenced, 'missing')]);
    renameSync(join(fenced, 'sub'), join(fenced, 'old'));
    symlinkSync('/', join(fenced, 'sub'));
    symlinkSync('/', join(fenced, 'missing'));
    for (const path of ['/etc/passwd', join(fenced, 'sub/etc'), join(fenced, 'missing/etc'), join(fenced, 'sub')]) {
      expect(check(inner, { path }).matched).toBe(true);
    }
  });

  it(proves('W02')('allows nothing in a workspace that cannot be resolved'), () => {
    const closed = workspaceOnly([join(ws, 'dangling')]);
    expect(check(closed, { path: join(ws, 'nowhere') }).matched).toBe(true);
    expect(closed.review([])).toEqual([expect.stringContaining('dangling')]);
  });

  it(proves('W02')('names the argument, its value, its target and what is allowed; no more, and bounded'), () => {
    expect(check(rule, { path: 'leak' }).reason).toBe(
      `Argument "path": "leak" resolves to ${JSON.stringify(join(base, 'out/secret'))}, outside the workspace ${JSON.stringify(ws)}.`,
    );
    expect(check(workspaceOnly([ws, join(base, 'home')]), { path: '/' }).reason).toMatch(
      /outside the workspaces ".*", ".*"\.$/,
    );
    expect(check(rule, { path: '../\u001b[2J\u202e\n' }).reason).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(check(rule, { path: `../${'x/'.repeat(1500)}` }).reason?.length).toBeLessThan(1000);
  });

  it(proves('W06')('records identity and folder of every path'), () => {
    const args = { path: ['a/../file', 'new'], other: 'a/../file' };
    const { paths = [] } = check(rule, args);
    const stats = statSync(join(ws, 'file'), { bigint: true });
    expect(paths[0]).toMatchObject({
      given: 'a/../file',
      identity: { device: String(stats.dev), inode: String(stats.ino) },
      ancestor: { path: ws },
    });
    expect(paths[1]).toMatchObject({ given: 'new', identity: undefined, ancestor: { path: ws } });
  });

  it.each([[['']], [['a\0']], [[7]], [[null]], ['ws'], [undefined]])(
    proves('W05', 'P07')('refuses %j as workspaces'),
    (dirs) => {
      expect(() => workspaceOnly(dirs as unknown as string[])).toThrow(
        expect.objectContaining({ code: 'OPTION_INVALID' }),
      );
    },
  );

  it(proves('P07')('refuses a cwd or home that is not absolute'), () => {
    expect(() => workspaceOnly(['.'], { cwd: 'here' })).toThrow('"cwd"');
    expect(() => workspaceOnly(['.'], { home: '' })).toThrow('"home"');
  });
});

describe('the options of workspaceOnly', () => {
  const tools = [{ name: 'tool', paths: ['path'] }];
  const outside = { tool: 'tool', args: { path: '/etc/passwd' } };

  it(proves('P07')('set a name and a reason'), async () => {
    const rule = workspaceOnly([ws], { name: 'fence', reason: 'Stay inside' });
    const decision = await compilePolicy([rule], { tools }).decide(outside);
    expect([decision.effect, decision.reason, decision.rule?.name]).toEqual(['deny', 'Stay inside', 'fence']);
  });

  it(proves('P07', 'P05')('limit it with when, which denies if it is not a boolean'), async () => {
    const answers: readonly [() => unknown, string][] = [
      [() => true, 'deny'],
      [() => false, 'allow'],
      [() => undefined, 'deny'],
      [() => Promise.resolve(true), 'deny'],
      [() => Promise.resolve(false), 'allow'],
      [() => Promise.resolve(0), 'deny'],
      [() => Promise.reject(new Error('broken')), 'deny'],
      [() => JSON.parse('{'), 'deny'],
    ];
    for (const [when, effect] of answers) {
      const policy = compilePolicy([workspaceOnly([ws], { when: when as () => boolean })], { tools });
      expect(await policy.decide(outside)).toMatchObject({ effect });
    }
  });

  it(proves('P15', 'W01')('let when read arguments under their aliases'), async () => {
    const fence = workspaceOnly([ws], { when: (args) => typeof args['path'] === 'string' });
    const policy = compilePolicy([fence, allowAll()], { tools: builtinTools });
    for (const name of ['path', 'file_path', 'TargetFile']) {
      const call = { tool: 'view_file', args: { [name]: '/etc/passwd' } };
      expect(await policy.decide(call)).toMatchObject({ effect: 'deny', rule: { name: 'workspace_only' } });
    }
  });

  it(proves('P05')('skip the paths of a call that when excludes'), async () => {
    const policy = compilePolicy([workspaceOnly([ws], { when: () => false })], { tools });
    expect((await policy.decide(outside)).paths).toEqual([]);
  });

  it(proves('P07')('are refused by name if unknown'), () => {
    const misspelt = { hme: base } as WorkspaceOptions;
    expect(() => workspaceOnly([ws], misspelt)).toThrow('option "hme" is not known; did you mean "home"?');
    expect(() => workspaceOnly([ws], { zzzzzz: 1 } as WorkspaceOptions)).toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID' }),
    );
  });

  it(proves('W02', 'G01')('cannot make two rules resolve one path differently'), async () => {
    const rules = [ws, base].map((cwd) => workspaceOnly([base], { cwd }));
    const { decision, considered } = await compilePolicy(rules, { tools }).explain({
      tool: 'tool',
      args: { path: 'new' },
    });
    expect(decision.effect).toBe('deny');
    expect(decision.reason).toContain('differently');
    expect(considered.map(({ outcome }) => outcome)).toEqual(['did not apply', 'could not be evaluated']);
  });

  it(proves('Q01', 'W05')('with other folders make another policy'), () => {
    const versions = [[ws], [base], [ws, base]].map((dirs) => compilePolicy([workspaceOnly(dirs)]).version);
    expect(new Set(versions).size).toBe(3);
    expect(compilePolicy([workspaceOnly([ws])]).version).toBe(versions[0]);
    const [here, there] = [ws, base].map((cwd) => compilePolicy([workspaceOnly(['.'], { cwd })]).version);
    expect(here).not.toBe(there);
    expect(compilePolicy([workspaceOnly([join(base, 'alias')])]).version).toBe(versions[0]);
  });
});
