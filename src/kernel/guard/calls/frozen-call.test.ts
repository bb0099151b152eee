/** What was decided is what runs. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  allow,
  allowAll,
  ask,
  createGuard,
  postToolCall,
  preToolCall,
  transform,
  type ApprovalRequest,
  type Journal,
  type JournalEntry,
  type RunContext,
  type StandardSchema,
  type ToolCall,
} from 'bridle';
import type { CheckedPath, Grant } from '../../call.ts';
import { workspaceOnly } from 'bridle/facts';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { runs } from '../../../../test/property-runs.ts';
import { entriesOf, only, rig } from '../../../../test/rigs/guard-rig.ts';

/** Tries everything that could change a value in place; frozen data makes each a TypeError or a no-op. */
function vandalise(value: unknown, seen = new Set<unknown>()): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  for (const key of Reflect.ownKeys(value)) vandalise(Reflect.get(value, key), seen);
  for (const key of Reflect.ownKeys(value)) {
    Reflect.set(value, key, 'vandalised');
    Reflect.deleteProperty(value, key);
  }
  Reflect.set(value, 'vandalised', true);
  Reflect.setPrototypeOf(value, { vandalised: true });
  if (Array.isArray(value)) {
    try {
      value.length = 0;
      value.push('vandalised');
    } catch (error) {
      expect(error).toBeInstanceOf(TypeError);
    }
  }
}

function expectFrozen(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  expect(Object.isFrozen(value)).toBe(true);
  for (const each of Object.values(value)) expectFrozen(each);
}

/** Gives the next of the values each time, the last one from then on. */
function shifting(values: readonly unknown[]): () => unknown {
  let at = 0;
  return () => values[Math.min(at++, values.length - 1)];
}

const args = () => ({ list: [1, { deep: 'x' }], name: 'a', nested: { of: { value: true } } });

describe('the decided call', () => {
  it(proves('G01')('is a copy: the request can be changed at every later moment without effect'), async () => {
    const request = { id: 'one', tool: 'act', server: undefined as string | undefined, args: args() };
    const spoil = (): void => {
      request.tool = 'look';
      request.server = 'elsewhere';
      request.id = 'two';
      request.args.name = 'spoiled';
      request.args.list.push(2);
      (request.args.list[1] as { deep: string }).deep = 'spoiled';
    };
    const seen: string[] = [];
    const look = (stage: string, call: ToolCall): void => {
      seen.push(`${stage} ${call.id} ${call.tool} ${JSON.stringify(call.args)}`);
      spoil();
    };
    const { turn, host, journal } = await rig({
      policy: ask('act', { when: (_args, call) => (look('policy', call), true) }),
      hooks: [
        preToolCall(({ call }) => look('pre', call), { name: 'pre' }),
        postToolCall(({ call }) => look('post', call), { name: 'post' }),
      ],
      approver: ({ call }) => (look('approver', call), true),
      does: { act: (call: ToolCall) => (look('tool', call), 'ok') },
    });
    const pending = turn.guard(request, host);
    spoil();
    const result = await pending;
    const kept = JSON.stringify(args());
    expect(result.type).toBe('ok');
    expect(seen.map((line) => line.replace(/^\w+ /, ''))).toEqual(seen.map(() => `one act ${kept}`));
    expect(new Set(seen.map((line) => line.split(' ')[0]))).toEqual(
      new Set(['policy', 'pre', 'approver', 'tool', 'post']),
    );
    expect(entriesOf({ journal }, 'decided').map((entry) => JSON.stringify(entry.args))).toEqual([kept, kept]);
    expect(JSON.stringify(only(host.calls).args)).toBe(kept);
  });

  it(proves('G01')('is read once: a request whose getters change their mind is decided by one answer'), async () => {
    const answers = { tool: ['look', 'act'], server: [undefined, 'evil'], id: ['a', 'b'] };
    const request = Object.defineProperties({} as { tool: string }, {
      tool: { get: shifting(answers.tool) },
      server: { get: shifting(answers.server) },
      id: { get: shifting(answers.id) },
      args: { get: shifting([{ n: 1 }, { n: 2 }]) },
    });
    const { turn, host, journal, events } = await rig({
      tools: [{ name: 'look', tier: 'observe' }, { name: 'act' }, { name: 'look', server: 'evil' }],
      servers: [{ name: 'evil' }],
      policy: [allow('look')],
      default: 'deny',
    });
    const result = await turn.guard(request, host);
    expect(result).toMatchObject({ type: 'ok', call: { id: 'a', tool: 'look', server: undefined, args: { n: 1 } } });
    expect(only(host.calls)).toMatchObject({
      id: 'a',
      tool: 'look',
      server: undefined,
      args: { n: 1 },
      tier: 'observe',
    });
    expect(only(entriesOf({ journal }, 'decided'))).toMatchObject({ call: 'a', tool: 'look', requested: { n: 1 } });
    expect(events.flatMap((event) => ('callId' in event ? [event.callId] : []))).toEqual(['a', 'a', 'a']);
  });

  it(proves('G01')('cannot be changed by a predicate, a hook, an approver, a tool or a result hook'), async () => {
    const { call, host, journal } = await rig({
      policy: ask('act', {
        reason: (seen) => (vandalise(seen), 'Sure?'),
        when: (given, seen) => (vandalise(given), vandalise(seen), true),
      }),
      hooks: [
        preToolCall((payload) => vandalise(payload), { name: 'pre' }),
        postToolCall((payload) => vandalise(payload), { name: 'post' }),
      ],
      approver: (request) => (vandalise(request), true),
      does: { act: (seen: ToolCall, context: RunContext) => (vandalise(seen), vandalise(context.grant), 'ok') },
    });
    const result = await call('act', args());
    expect(result).toMatchObject({ type: 'ok', call: { tool: 'act', args: args(), requested: args() } });
    expect(only(host.calls)).toMatchObject({ tool: 'act', args: args(), requested: args(), agent: ['main'] });
    for (const entry of entriesOf({ journal }, 'decided')) {
      expect(entry).toMatchObject({ tool: 'act', args: args(), requested: args(), rule: { name: 'ask act' } });
    }
  });

  it(proves('G01')('is deeply frozen for everyone who is shown it'), async () => {
    const seen: unknown[] = [];
    const keep = (value: unknown): undefined => void seen.push(value);
    const { call } = await rig({
      policy: ask('act', { when: (given, whole) => (keep(given), keep(whole), true) }),
      hooks: [
        preToolCall((payload) => keep(payload), { name: 'pre' }),
        preToolCall(({ call: { args: given } }) => transform({ ...given, more: [{ a: 1 }] }), { name: 'change' }),
        preToolCall((payload) => keep(payload), { name: 'after' }),
        postToolCall((payload) => keep(payload), { name: 'post' }),
      ],
      approver: (request) => (keep(request), true),
      does: {
        act: (whole: ToolCall, { grant, paths }: RunContext) => (
          keep(Object.freeze([whole, grant, paths])),
          { deep: [{ a: 1 }] }
        ),
      },
    });
    await call('act', args());
    expect(seen).toHaveLength(11);
    for (const value of seen) expectFrozen(value);
  });

  it(proves('G01', 'P18')('keeps its grant: a hook cannot widen it by changing what it is shown'), async () => {
    const grants: Grant[] = [];
    const { call } = await rig({
      policy: allowAll(),
      hooks: [
        preToolCall(
          ({ grant }) => void (Reflect.set(grant, 'timeoutMs', 1e9), Reflect.set(grant, 'outputBytes', 1e9)),
          {
            name: 'widen',
          },
        ),
      ],
      does: { act: (_call: ToolCall, { grant }: RunContext) => void grants.push({ ...grant }) },
    });
    await call('act');
    await call('act');
    const fixed = { timeoutMs: 600_000, outputBytes: 1024 * 1024 };
    expect(grants).toEqual([fixed, fixed]);
  });

  it(proves('G01')('applies to any JSON, and tool, journal and policy see the same'), async () => {
    const json = fc.jsonValue({ maxDepth: 4 }).filter((value) => !JSON.stringify(value).includes('__proto__'));
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), json), async (given): Promise<void> => {
        const decided: string[] = [];
        const { turn, host, journal } = await rig({
          policy: allow('act', { when: (seen) => decided.push(JSON.stringify(seen)) > 0 }),
        });
        const text = JSON.stringify(given);
        const result = await turn.guard({ tool: 'act', args: given }, host);
        if (result.type !== 'ok') {
          expect(text.isWellFormed() && !text.includes('__proto__')).toBe(false);
          expect(result).toMatchObject({ type: 'invalid', isError: true });
          return;
        }
        const ran = only(host.calls).args;
        expectFrozen(ran);
        expect(ran).toEqual(JSON.parse(text));
        expect(new Set(decided)).toEqual(new Set([JSON.stringify(ran)]));
        expect(only(entriesOf({ journal }, 'decided')).args).toEqual(ran);
      }),
      { numRuns: runs(200) },
    );
  });

  it(
    proves('G01', 'G16')('is what the schema gave: a schema that keeps its output and changes it later has no effect'),
    async () => {
      const kept: { path: string }[] = [];
      const schema: StandardSchema = {
        '~standard': {
          version: 1,
          vendor: 'test',
          validate: () => {
            const value = { path: 'checked' };
            kept.push(value);
            return { value };
          },
        },
      };
      const change = (): void => kept.forEach((value) => (value.path = 'changed'));
      const { call, host } = await rig({
        tools: [{ name: 'act', schema }],
        policy: allow('act', { when: ({ path }) => (change(), path === 'checked') }),
        default: 'deny',
        hooks: [preToolCall(change, { name: 'change' })],
      });
      expect((await call('act', { path: 'given' })).type).toBe('ok');
      expect(only(host.calls).args).toEqual({ path: 'checked' });
    },
  );

  it(
    proves('G01', 'Q05')('is in the record as it was, although the journal writes later than the tool runs'),
    async () => {
      const taken: JournalEntry[] = [];
      const journal: Journal = { append: (entry) => void taken.push(entry) };
      const { call } = await rig({
        journal,
        does: { act: (seen: ToolCall, { paths }: RunContext) => (vandalise(seen.args), vandalise(paths), 'ok') },
      });
      await call('act', args());
      expect(JSON.parse(JSON.stringify(taken[0]))).toMatchObject({ kind: 'decided', args: args(), requested: args() });
    },
  );
});

const found = (): CheckedPath => ({
  at: ['file'],
  given: 'x',
  path: '/checked',
  identity: undefined,
  ancestor: { path: '/', identity: { device: '1', inode: '2' } },
});

describe('paths that were checked', () => {
  let folder: string;

  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-frozen-')));
    mkdirSync(join(folder, 'real'));
    writeFileSync(join(folder, 'real', 'a.txt'), 'a');
    writeFileSync(join(folder, 'real', 'b.txt'), 'b');
    symlinkSync('real', join(folder, 'link'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const tools = [{ name: 'act', paths: ['file', 'more[].path'] }];
  const given = { file: 'link/a.txt', more: [{ path: 'real/b.txt', note: 'kept' }], other: 'link/a.txt' };

  it(
    proves('W05', 'W06', 'G01')('are what the tool gets in the place of what was given, above any allow'),
    async () => {
      const seen: { call: ToolCall; paths: readonly CheckedPath[] }[] = [];
      const { call, journal } = await rig({
        tools,
        policy: [allowAll(), workspaceOnly([folder], { cwd: folder })],
        does: { act: (whole: ToolCall, { paths }: RunContext) => (seen.push({ call: whole, paths }), 'ok') },
      });
      expect(await call('act', given)).toMatchObject({ type: 'ok', call: { args: given } });
      const [ran] = seen;
      expect(ran?.call.args).toEqual({
        file: join(folder, 'real/a.txt'),
        more: [{ path: join(folder, 'real/b.txt'), note: 'kept' }],
        other: 'link/a.txt',
      });
      expectFrozen(ran?.call);
      expectFrozen(ran?.paths);
      expect(ran?.paths.map(({ at, given: text }) => [at, text])).toEqual([
        [['file'], 'link/a.txt'],
        [['more', 0, 'path'], 'real/b.txt'],
      ]);
      // The record keeps both: what was decided, and what it leads to.
      const decided = only(entriesOf({ journal }, 'decided'));
      expect(decided.args).toEqual(given);
      expect(decided.paths?.map(({ path }) => path)).toEqual(ran?.paths.map(({ path }) => path));
      const outside = await call('act', { file: '/etc/passwd' });
      expect(outside).toMatchObject({ type: 'denied', rule: { name: 'workspace_only', effect: 'forbid' } });
      expect(seen).toHaveLength(1);
    },
  );

  it(proves('G01', 'W06')('cannot be changed by an approver or a tool that is shown them'), async () => {
    const asked: ApprovalRequest[] = [];
    const ran: ToolCall[] = [];
    const { call, journal } = await rig({
      tools,
      policy: [ask('act'), workspaceOnly([folder], { cwd: folder })],
      approver: (request) => {
        asked.push(request);
        vandalise(request.paths);
        return true;
      },
      does: { act: (whole: ToolCall, { paths }: RunContext) => (ran.push(whole), vandalise(paths), 'ok') },
    });
    expect((await call('act', given)).type).toBe('ok');
    expect(asked).toHaveLength(1);
    expect(only(ran).args['file']).toBe(join(folder, 'real/a.txt'));
    expect(entriesOf({ journal }, 'decided').at(-1)?.paths?.[0]?.path).toBe(join(folder, 'real/a.txt'));
  });

  it(proves('G01')('come from any rule as a copy: what it keeps and changes later has no effect'), async () => {
    const kept: CheckedPath[] = [];
    const check = () => {
      const path = found();
      kept.push(path);
      return { matched: false, paths: [path] };
    };
    const { call, host } = await rig({
      tools,
      policy: [allowAll(), { type: 'rule', effect: 'forbid', target: { type: 'all' }, name: 'own', check }],
      hooks: [preToolCall(() => kept.forEach((path) => Object.assign(path, { path: '/changed' })), { name: 'change' })],
      journal: { append: () => kept.forEach((path) => Object.assign(path, { path: '/changed' })) },
    });
    expect((await call('act', { file: 'x' })).type).toBe('ok');
    expect(only(host.calls).args).toEqual({ file: '/checked' });
  });

  it(proves('G04', 'G01')('that are nonsense deny the call instead of breaking it'), async () => {
    for (const paths of [[null], [{}], [{ at: 5, path: 'x' }], 'text']) {
      const rule = {
        type: 'rule',
        effect: 'forbid',
        target: { type: 'all' },
        check: () => ({ matched: false, paths }),
      };
      const { call, host } = await rig({ tools, policy: [allowAll(), rule as never] });
      expect(await call('act', { file: 'x' })).toMatchObject({ type: 'denied', isError: true });
      expect(host.calls).toEqual([]);
    }
  });
});

describe('a guard', () => {
  it(
    proves('P18')('has a grant that hooks cannot change for the calls to come, without an own one or with one'),
    async () => {
      for (const grant of [undefined, { timeoutMs: 5 }]) {
        const frozen: boolean[] = [];
        const guard = createGuard({
          tools: [{ name: 'act' }],
          policy: allowAll(),
          grant,
          hooks: [preToolCall((payload) => void frozen.push(Object.isFrozen(payload.grant)), { name: 'look' })],
        });
        const session = await guard.start();
        await session.turn().guard({ tool: 'act' }, { run: () => 1 });
        expect(frozen).toEqual([true]);
      }
    },
  );
});
