/** Guarding tools with one call: `wrap` and `call`, and the session they share. */

import {
  allow,
  allowAll,
  ask,
  BridleError,
  createGuard,
  deny,
  denyAll,
  stateKey,
  errorMessage,
  onSessionEnd,
  onSessionStart,
  onToolError,
  postToolCall,
  preToolCall,
  reject,
  transform,
  type CallResult,
  type GuardOptions,
  type Turn,
} from 'bridle';
import { fakeClock, memoryJournal } from 'bridle/testing';
import { toStandardSchema } from 'bridle/tools';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { proves } from '../../../test/contract/cite.ts';
import { later, story } from '../../../test/rigs/guard-rig.ts';
import { nameSearches } from '../../../test/rigs/name-searches.ts';

const one = (): number => 1;

async function* yieldTwice() {
  yield 'part';
  yield 'whole';
}

const tools = [{ name: 'read', tier: 'observe' }, { name: 'write' }] as const;

function guardOf(options: Partial<GuardOptions> = {}) {
  return createGuard({ tools, policy: [allow('read'), deny('write', { reason: 'Read only' })], ...options });
}

const count = stateKey<number>('count', 0);
/** Lets two calls through in a session. */
const atMostTwo = preToolCall(
  async (_payload, ctx) => {
    const made = await ctx.session.update(count, (before) => before + 1);
    return made > 2 ? reject('Two calls are enough') : undefined;
  },
  { name: 'atMostTwo' },
);

describe('call', () => {
  it(proves('G18')('guards one call: the run function gets the args that were decided'), async () => {
    const schema = z.object({ path: z.string(), lines: z.number().default(10) });
    await using guard = guardOf({ tools: [{ name: 'read', tier: 'observe', schema }], policy: [] });
    const result = await guard.call('read', { path: 'a' }, (args) => args);
    expect(result).toMatchObject({ type: 'ok', value: { path: 'a', lines: 10 } });
    expect(await guard.call('read', { path: 1 }, () => 'ran')).toMatchObject({ type: 'invalid' });
    expect(await guard.call('nothing', {}, () => 'ran')).toMatchObject({ type: 'invalid' });
  });

  it(proves('G18', 'G04')('follows the path of every call: a refused call is a value, and recorded'), async () => {
    const journal = memoryJournal();
    await using guard = guardOf({ journal });
    let ran = 0;
    const result = await guard.call('write', {}, () => ++ran);
    expect(result).toMatchObject({ type: 'denied', text: 'Read only', isError: true });
    expect([ran, story({ journal })]).toEqual([0, ['decided denied']]);
  });

  it(proves('G18')('shares one session, so limits count, and each call is a turn'), async () => {
    const turns: number[] = [];
    const sessions = new Set<string>();
    const look = preToolCall(
      (_payload, ctx) => {
        turns.push(ctx.turnNumber);
        sessions.add(ctx.sessionId);
        ctx.turn.set('seen', turns.length);
      },
      { name: 'look', priority: 1 },
    );
    await using guard = guardOf({ hooks: [look, atMostTwo] });
    const wrapped = guard.wrap({ read: () => 'text' });
    const results = [
      (await guard.call('read', {}, () => 1)).type,
      await wrapped.read(),
      (await guard.call('read', {}, () => 1)).text,
    ];
    expect(results).toEqual(['ok', 'text', 'Two calls are enough']);
    expect([turns, sessions.size]).toEqual([[1, 2, 3], 1]);
  });

  it(proves('G18')('belongs to a turn that is passed'), async () => {
    await using guard = guardOf();
    await using session = await guard.start();
    const turn = session.turn();
    const numbers = [
      (await guard.call({ tool: 'read', turn, id: 'mine' }, {}, () => 1)).call,
      (await guard.call({ tool: 'read', turn }, {}, () => 1)).call,
    ];
    expect(numbers).toMatchObject([
      { id: 'mine', turn: turn.number, session: session.id },
      { turn: turn.number, session: session.id },
    ]);
    await guard.wrap({ read: () => 1 }, { turn }).read();
    turn.end();
    await expect(guard.call({ tool: 'read', turn }, {}, () => 1)).rejects.toMatchObject({ code: 'SESSION_ENDED' });
    await expect(guard.wrap({ read: () => 1 }, { turn }).read()).rejects.toMatchObject({ code: 'SESSION_ENDED' });
  });

  it(proves('G18')('needs a function that runs the tool'), async () => {
    await using guard = guardOf();
    await expect(guard.call('read', {}, undefined as never)).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  });

  it(proves('G18')('runs concurrently with others, each in its own turn'), async () => {
    await using guard = guardOf();
    const results = await Promise.all(Array.from({ length: 20 }, (_, at) => guard.call('read', {}, async () => at)));
    expect(results.map((each) => each.value)).toEqual(results.map((_, at) => at));
    expect(new Set(results.map(({ call }) => call.turn)).size).toBe(20);
  });

  it(proves('G18')('tries a session again that a hook has rejected'), async () => {
    let closed = true;
    const hours = onSessionStart(() => (closed ? reject('Closed') : undefined), { name: 'hours' });
    await using guard = guardOf({ hooks: [hours] });
    await expect(guard.call('read', {}, () => 1)).rejects.toMatchObject({ code: 'SESSION_REJECTED' });
    closed = false;
    expect((await guard.call('read', {}, () => 1)).type).toBe('ok');
  });
});

describe('await using', () => {
  it(proves('G18')('ends the session of a guard, and what still runs in it'), async () => {
    const ended: string[] = [];
    const started = later<void>();
    const watch = onSessionEnd(({ reason }) => void ended.push(reason), { name: 'watch' });
    let pending: Promise<CallResult>;
    {
      await using guard = guardOf({ hooks: [watch] });
      pending = guard.call('read', {}, () => {
        started.resolve();
        return new Promise(() => {});
      });
      await started.promise;
    }
    expect(ended).toEqual(['stopped']);
    expect((await pending).type).toBe('cancelled');
  });

  it(proves('G18')('ends a session, once, and does nothing for a guard that started none'), async () => {
    let ended = 0;
    const watch = onSessionEnd(() => void ended++, { name: 'watch' });
    {
      await using guard = guardOf({ hooks: [watch] });
      await using session = await guard.start();
      await session.end();
      await expect(session.call('read', {}, () => 1)).rejects.toMatchObject({ code: 'SESSION_ENDED' });
    }
    expect(ended).toBe(1);
  });
});

describe('wrap', () => {
  const schema = z.object({ path: z.string() });
  const json = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
  const spellings: Readonly<Record<string, object>> = {
    'execute and inputSchema': { inputSchema: schema, execute: ({ path }: { path: string }) => `text of ${path}` },
    'run and schema': { schema, run: ({ path }: { path: string }) => `text of ${path}` },
    'handler and parameters': { parameters: json, handler: async ({ path }: { path: string }) => `text of ${path}` },
    'func and input_schema': { input_schema: json, func: ({ path }: { path: string }) => `text of ${path}` },
    'a schema of the AI SDK': {
      inputSchema: { [Symbol.for('vercel.ai.schema')]: true, jsonSchema: json, validate: undefined },
      execute: ({ path }: { path: string }) => `text of ${path}`,
    },
    'a schema of the AI SDK that validates': {
      inputSchema: {
        [Symbol.for('vercel.ai.schema')]: true,
        jsonSchema: {},
        validate: (value: unknown) => {
          const { success, data, error } = schema.safeParse(value);
          return success ? { success, value: data } : { success, error };
        },
      },
      execute: ({ path }: { path: string }) => `text of ${path}`,
    },
    'a schema that is made when needed': {
      inputSchema: () => schema,
      run: ({ path }: { path: string }) => `text of ${path}`,
    },
  };
  type Ran = Record<string, (args: unknown, ...rest: unknown[]) => Promise<unknown>>;

  for (const [what, tool] of Object.entries(spellings)) {
    it(proves('G18', 'G17')(`gives back a tool with ${what}, guarded, with its schema enforced`), async () => {
      await using guard = guardOf({ toStandardSchema });
      const field = ['execute', 'run', 'handler', 'func'].find((each) => each in tool) as string;
      const byName = guard.wrap({ read: { description: 'Reads', ...tool } as Ran & { description: string } });
      const [listed] = guard.wrap([{ name: 'read', ...tool } as object as Ran]);
      expect(Object.keys(byName.read)).toEqual(['description', ...Object.keys(tool)]);
      expect(byName.read.description).toBe('Reads');
      for (const wrapped of [byName.read, listed as Ran]) {
        expect(await wrapped[field]?.({ path: 'a' })).toBe('text of a');
        expect(await wrapped[field]?.({ path: 1 })).toContain('Invalid args for');
      }
    });
  }

  it(proves('G18')('accepts plain functions by name'), async () => {
    await using guard = guardOf();
    const wrapped = guard.wrap({ read: async ({ n }: { n: number }) => n + 1, write: () => 'written' });
    expect(await wrapped.read({ n: 1 })).toBe(2);
    expect(await wrapped.write()).toBe('Read only');
    expectTypeOf(wrapped.read).parameter(0).toEqualTypeOf<{ n: number }>();
  });

  it(proves('G18', 'G04')('returns the reason of a refused call, or the value of the denied option'), async () => {
    await using guard = guardOf();
    const tool = { write: () => 'written' };
    expect(await guard.wrap(tool).write()).toBe('Read only');
    const asData = guard.wrap(tool, { denied: ({ type, text }) => ({ type, text }) });
    expect(await asData.write()).toEqual({ type: 'denied', text: 'Read only' });
    const throwing = guard.wrap(tool, {
      denied: ({ text }) => {
        throw new RangeError(text);
      },
    });
    await expect(throwing.write()).rejects.toThrow('Read only');
  });

  it(proves('G18', 'G08')('throws what a tool throws, unless a hook has other words for it'), async () => {
    const broken = new RangeError('secret: 1234');
    const fails = (): string => {
      throw broken;
    };
    await using guard = guardOf();
    await expect(guard.wrap({ read: fails }).read()).rejects.toBe(broken);
    await using hiding = guardOf({ hooks: [onToolError(() => errorMessage('It failed'), { name: 'hide' })] });
    const error = await hiding
      .wrap({ read: fails })
      .read()
      .then(undefined, (thrown: unknown) => thrown as BridleError);
    expect(error).toMatchObject({ code: 'TOOL_FAILED', message: 'It failed' });
    expect((error as BridleError).cause).toBeUndefined();
  });

  it(proves('G18')('uses what hooks make of args and results'), async () => {
    const hooks = [
      preToolCall(({ call }) => transform({ ...call.args, n: 2 }), { name: 'args' }),
      postToolCall(({ result }) => transform(`${JSON.stringify(result)}!`), { name: 'result' }),
    ];
    await using guard = guardOf({ hooks });
    expect(await guard.wrap({ read: ({ n }: { n: number }) => n }).read({ n: 1 })).toBe('2!');
  });

  it(proves('G18')('passes on what else a tool is called with, and the id and the signal of the AI SDK'), async () => {
    const clock = fakeClock();
    await using guard = guardOf({ clock, policy: allowAll(), grant: { timeoutMs: 1000 } });
    const seen: unknown[] = [];
    const ids: string[] = [];
    const hook = preToolCall(({ call }) => void ids.push(call.id), { name: 'ids' });
    guard.register(hook);
    const aborter = new AbortController();
    const read = {
      offset: 1,
      execute(args: { n: number }, options: object, last?: unknown) {
        seen.push(this.offset + args.n, options, last);
        const { abortSignal } = options as { abortSignal?: AbortSignal };
        return new Promise((_, no) => abortSignal?.addEventListener('abort', () => no(new RangeError('stopped'))));
      },
    };
    const wrapped = guard.wrap({ read }).read;
    const options = { toolCallId: 'call_1', abortSignal: aborter.signal, messages: ['hi'] };
    const pending = wrapped.execute({ n: 2 }, options, 'last');
    const failed = pending.then(undefined, (error: unknown) => error);
    await clock.advance(10);
    expect(seen).toEqual([3, { ...options, abortSignal: expect.any(AbortSignal) as AbortSignal }, 'last']);
    expect(ids).toEqual(['call_1']);
    aborter.abort();
    expect(await failed).toMatchObject({ code: 'TOOL_FAILED', message: 'The call was cancelled.' });
    expect(await wrapped.execute({ n: 2 }, options)).toContain('cancelled');
    const slow = wrapped.execute({ n: 2 }, { ...options, abortSignal: new AbortController().signal });
    const [error] = await Promise.all([slow.then(undefined, (late: unknown) => late), clock.advance(2000)]);
    expect(error).toMatchObject({ message: expect.stringContaining('did not finish within 1000 ms') as string });
  });

  it(proves('G18')('uses the last value of a tool that yields several'), async () => {
    await using guard = guardOf();
    expect(await guard.wrap({ read: yieldTwice }).read()).toBe('whole');
  });

  it(proves('G18', 'G17')('refuses a tool that was not declared and that no rule covers'), async () => {
    await using guard = guardOf();
    const fetched = { fetch: () => 'page' };
    expect(() => guard.wrap(fetched)).toThrow('no rule covers "fetch"');
    expect(() => guard.wrap({ fetch: { tier: 'observe', run: () => 'page' } })).not.toThrow();
    await using open = guardOf({ policy: allowAll() });
    expect(await open.wrap(fetched).fetch()).toBe('page');
    await using asking = guardOf({ policy: [ask('*')], approver: () => ({ type: 'deny', reason: 'No' }) });
    expect(await asking.wrap(fetched).fetch()).toBe('No');
  });

  it(proves('G18', 'G11')('searches for similar names only to report a tool as unknown'), async () => {
    await using guard = guardOf({ policy: allowAll() });
    const { reed } = guard.wrap({ reed: one });
    expect(await nameSearches('reed', async () => expect(await reed()).toBe(1))).toBe(0);
    await using session = await guard.start({ hides: ({ name }) => name === 'read' });
    const { fetch } = session.wrap({ fetch: one });
    expect(await nameSearches('fetch', async () => expect(await fetch()).toBe(1))).toBe(0);
    const unknown = async (): Promise<void> => {
      const result = await guard.call('reed', {}, one);
      expect(result.text).toBe('Unknown tool "reed"; did you mean "read"?');
    };
    expect(await nameSearches('reed', unknown)).toBe(1);
  });

  it(proves('G18', 'G17')('checks the declared schema and the one of the tool'), async () => {
    await using guard = guardOf({
      tools: [{ name: 'read', tier: 'observe', schema: z.object({ n: z.number().default(5) }) }],
      policy: [],
    });
    const schema = z.object({ n: z.number().max(6) });
    const { read } = guard.wrap({ read: { schema, run: async ({ n }: { n?: number }) => n } });
    expect(await read.run({})).toBe(5);
    expect(await read.run({ n: 7 })).toContain('Invalid args for');
    expect(await read.run({ n: 'x' as never })).toContain('Invalid args for');
  });

  it(proves('G18')('leaves a tool hidden that its session hides'), async () => {
    const guard = guardOf({ policy: allowAll() });
    await using session = await guard.start({ hides: ({ name }) => name === 'write' });
    const wrapped = session.wrap({ read: () => 'text', write: () => 'written' });
    expect([await wrapped.read(), await wrapped.write()]).toEqual(['text', 'Unknown tool "write".']);
  });

  it(proves('G18', 'G03')('refuses a turn of another guard, whose rules would decide instead'), async () => {
    const strict = guardOf({ policy: [denyAll()] });
    await using loose = await guardOf({ policy: allowAll() }).start();
    const turn = loose.turn();
    const forged = Object.create(turn) as Turn;
    for (const passed of [turn, forged, { guard: () => ({ type: 'ok' }) } as never]) {
      await expect(strict.call({ tool: 'write', turn: passed }, {}, one)).rejects.toThrow('not a turn of this guard');
      await expect(strict.wrap({ write: one }, { turn: passed }).write()).rejects.toThrow('not a turn of this guard');
    }
    await using own = await strict.start();
    expect(await strict.call({ tool: 'write', turn: own.turn() }, {}, one)).toMatchObject({ type: 'denied' });
  });

  it(proves('G18')('refuses every call after its end, also if there was none before'), async () => {
    const guard = guardOf({ policy: allowAll() });
    await guard.end();
    await expect(guard.call('read', {}, one)).rejects.toThrow('the guard has ended');
    await expect(guard.wrap({ read: one }).read()).rejects.toThrow('the guard has ended');
  });

  it(proves('G18')('guards every function of a tool that runs it'), async () => {
    class Tool {
      readonly name = 'write';
      async func(): Promise<string> {
        return 'written';
      }
      invoke(): Promise<string> {
        return this.func();
      }
      call(): Promise<string> {
        return this.invoke();
      }
    }
    const [tool] = guardOf({ policy: [denyAll()] }).wrap([new Tool()]);
    for (const text of [await tool?.func(), await tool?.invoke(), await tool?.call()]) expect(text).toContain('Denied');
    const [free] = guardOf({ policy: allowAll() }).wrap([new Tool()]);
    expect(await free?.call()).toBe('written');
  });

  it(proves('G18', 'G17')('enforces every schema of a tool, also that of a function'), async () => {
    const [text, short] = [z.object({ path: z.string() }), z.object({ path: z.string().max(3) })];
    const read = { schema: text, inputSchema: short, run: one };
    const look = Object.assign(() => 1, { schema: short });
    const wrapped = guardOf({ policy: allowAll(), default: 'allow' }).wrap({ read, look }) as never as {
      read: { run: (args: unknown) => unknown };
      look: (args: unknown) => unknown;
    };
    expect(await wrapped.read.run({ path: 'long' })).toEqual(expect.stringContaining('path'));
    expect(await wrapped.look({ path: 'long' })).toEqual(expect.stringContaining('path'));
    expect([await wrapped.read.run({ path: 'a' }), await wrapped.look({ path: 'a' })]).toEqual([1, 1]);
  });

  it(proves('G18')('guards a tool that is frozen'), async () => {
    const [tool] = guardOf({ policy: [denyAll()] }).wrap([Object.freeze({ name: 'write', run: async () => 1 })]);
    expect(await tool?.run()).toEqual(expect.stringContaining('Denied'));
  });

  it.each(['argsSchema', 'args_schema', 'schema', 'parameters', 'inputSchema', 'input_schema'])(
    proves('G18', 'G17')('enforces a schema that is called %s'),
    async (field) => {
      const read = { [field]: z.object({ path: z.string() }), run: one };
      const wrapped = guardOf().wrap({ read }) as { read: { run: (args: unknown) => unknown } };
      expect(await wrapped.read.run({ path: 5 })).toEqual(expect.stringContaining('path'));
      expect(await wrapped.read.run({ path: '.' })).toBe(1);
    },
  );

  it.each([
    ['a text', 'read' as never, 'not a string'],
    ['a tool without a name', [{ run: one }], 'is not a tool'],
    ['a tool that nothing runs', { read: { description: 'x' } }, 'cannot run: none of'],
    ['a hole', [undefined as never], 'is not a tool'],
    [
      'a name twice',
      [
        { name: 'read', run: one },
        { name: 'read', run: one },
      ],
      'two tools are named "read"',
    ],
    ['a JSON Schema that nobody reads', { read: { parameters: {}, run: one } }, 'createGuard({ …, toStandardSchema })'],
    ['a schema of no kind', { read: { schema: 5, run: one } }, 'is not a Standard Schema'],
    ['a misspelled schema', { read: { inputSchemas: {}, run: one } }, 'did you mean "inputSchema"?'],
    ['a misspelled function', { read: { excute: one, run: one } }, 'did you mean "execute"?'],
    [
      'a schema that fails',
      {
        read: {
          inputSchema: () => {
            throw new RangeError('no');
          },
          run: one,
        },
      },
      'cannot be used: no',
    ],
  ])(proves('G18', 'G17')('refuses %s'), (_what, given, problem) => {
    expect(() => guardOf().wrap(given)).toThrow(problem);
    expect(() => guardOf().wrap(given)).toThrow(BridleError);
  });
});
