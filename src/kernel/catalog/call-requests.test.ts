/** What can be asked for, and what becomes of everything else: a problem, told; never a throw, a hang or an allow. */

import {
  allow,
  allowAll,
  createGuard,
  deny,
  onEvent,
  postToolCall,
  preToolCall,
  transform,
  type BridleEvent,
  type StandardSchema,
  type ToolDeclaration,
} from 'bridle';
import { defaultLimits, type Limits } from '../limits.ts';
import type { CallRequest } from '../call.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { proves } from '../../../test/contract/cite.ts';
import { runs } from '../../../test/property-runs.ts';
import {
  entriesOf,
  eventsOf,
  later,
  never,
  only,
  rig,
  story,
  thenable,
  untouchable,
} from '../../../test/rigs/guard-rig.ts';

const schema = (validate: (value: unknown) => unknown): StandardSchema => ({
  '~standard': { version: 1, vendor: 'test', validate: validate as StandardSchema['~standard']['validate'] },
});
const trap = (): never => {
  throw new TypeError('trap');
};

describe('a name', () => {
  const names = [
    '',
    ' ',
    ' act',
    'act ',
    'Act',
    'ACT',
    'act\0',
    'act\n',
    'a\u0063\u0074\u200b',
    'асt',
    'ａct',
    'act/act',
    '*',
    's/act',
    'mcp_s_act',
    'constructor',
    '__proto__',
    'prototype',
    'toString',
    'hasOwnProperty',
    'valueOf',
    '\ud800',
    '\u202eact',
    'x'.repeat(10_000_000),
  ];
  for (const name of names) {
    it(proves('G11')(`finds nothing unless it is exact: ${JSON.stringify(name.slice(0, 20))}`), async () => {
      let consulted = 0;
      const rigged = await rig({
        tools: [{ name: 'act' }, { name: 'act', server: 's' }],
        servers: [{ name: 's' }],
        policy: allow('*', { when: () => ++consulted > 0 }),
      });
      for (const request of [{ tool: name }, { tool: name, server: 's' }, { tool: 'act', server: name }]) {
        const result = await rigged.turn.guard(request, rigged.host);
        expect(result).toMatchObject({ type: 'invalid', isError: true });
        expect(result.text).toMatch(/Unknown (tool|server)|longer than 256/);
        expect(result.text.length).toBeLessThan(500);
        expect(result.call.tool.length + (result.call.server?.length ?? 0)).toBeLessThan(700);
      }
      expect([rigged.host.calls.length, consulted]).toEqual([0, 0]);
      expect(JSON.stringify([rigged.events, rigged.journal.entries()]).length).toBeLessThan(20_000);
    });
  }

  it(
    proves('G11')('of a tool is not that of another place: local and server tools do not answer for each other'),
    async () => {
      const { call } = await rig({
        tools: [{ name: 'here' }, { name: 'there', server: 's' }],
        servers: [{ name: 's' }],
        policy: allowAll(),
      });
      expect((await call('here')).type).toBe('ok');
      expect((await call('there', {}, 's')).type).toBe('ok');
      expect(await call('there')).toMatchObject({
        type: 'invalid',
        text: expect.stringContaining('Unknown tool "there"'),
      });
      expect(await call('here', {}, 's')).toMatchObject({
        type: 'invalid',
        text: expect.stringContaining('on server "s"'),
      });
    },
  );

  it(proves('G11', 'M05')('of a hidden tool finds nothing, and is not suggested'), async () => {
    const tools = ['shown', 'hidden'].map((name) => ({ name, server: 's' }));
    for (const server of [
      { name: 's', enabledTools: ['shown'] },
      { name: 's', disabledTools: ['hidden'] },
    ]) {
      const { call, host } = await rig({ tools, servers: [server], policy: allowAll() });
      expect((await call('shown', {}, 's')).type).toBe('ok');
      const result = await call('hidden', {}, 's');
      expect(result).toMatchObject({ type: 'invalid' });
      expect(result.text.match(/hidden/g)).toHaveLength(1);
      expect(host.calls).toHaveLength(1);
    }
  });

  it(proves('G11')('that is unknown is reported with the closest one, and recorded with the request'), async () => {
    const rigged = await rig({ policy: allowAll() });
    const result = await rigged.turn.guard({ id: 'c1', tool: 'lok', args: { n: 1 } }, rigged.host);
    expect(result).toMatchObject({ type: 'invalid', reason: expect.stringMatching(/Unknown tool "lok".*"look"/) });
    expect(only(entriesOf(rigged, 'decided'))).toMatchObject({
      status: 'denied',
      call: 'c1',
      tool: 'lok',
      requested: { n: 1 },
      args: {},
      reason: result.text,
    });
    expect(only(eventsOf(rigged, 'tool_requested'))).toMatchObject({ callId: 'c1', tool: 'lok', args: { n: 1 } });
  });

  it(proves('G11', 'G03')('that is unknown is refused before policy and hooks see it'), async () => {
    const heard: string[] = [];
    const { call } = await rig({
      policy: allow('*', { when: () => heard.push('policy') > 0 }),
      hooks: [preToolCall(() => void heard.push('hook'), { name: 'hook' })],
    });
    await call('unknown');
    await call('act', 'no object');
    expect(heard).toEqual([]);
  });

  it(proves('G11')('may be any text: nothing but the declared tools is ever found'), async () => {
    const rigged = await rig({ tools: [{ name: 'act' }], policy: allowAll() });
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary', maxLength: 40 }),
        fc.option(fc.string(), { nil: undefined }),
        async (tool, server) => {
          const result = await rigged.turn.guard({ tool, server }, rigged.host);
          expect(result.type).toBe(tool === 'act' && server === undefined ? 'ok' : 'invalid');
        },
      ),
      { numRuns: runs(500) },
    );
  });
});

describe('a request', () => {
  const requests: readonly (readonly [string, unknown])[] = [
    ['null', null],
    ['undefined', undefined],
    ['a text', 'act'],
    ['a number', 7],
    ['a symbol', Symbol('act')],
    ['a function', () => ({ tool: 'act' })],
    ['a list', ['act']],
    ['an empty object', {}],
    ['a tool that is a number', { tool: 7 }],
    ['a tool that is null', { tool: null }],
    ['a tool that is an object', { tool: { toString: () => 'act' } }],
    ['a tool that is a String', { tool: Object('act') }],
    ['a tool that is a list', { tool: ['act'] }],
    ['a server that is null', { tool: 'act', server: null }],
    ['a server that is a number', { tool: 'act', server: 1 }],
    [
      'a tool that throws to be read',
      {
        get tool() {
          return trap();
        },
      },
    ],
    [
      'args that throw to be read',
      {
        tool: 'act',
        get args() {
          return trap();
        },
      },
    ],
    [
      'an id that throws to be read',
      {
        tool: 'act',
        get id() {
          return trap();
        },
      },
    ],
    ['a proxy that throws', new Proxy({}, { get: trap })],
    ['a revoked proxy', revoked()],
    ['a thenable', thenable(trap)],
    ['one that cannot be asked', untouchable()],
  ];
  for (const [name, request] of requests) {
    it(proves('G11', 'G12')(`that is ${name} is invalid, recorded once, and nothing is thrown`), async () => {
      const rigged = await rig({ policy: allowAll() });
      const result = await rigged.turn.guard(request as CallRequest, rigged.host);
      expect(result).toMatchObject({ type: 'invalid', isError: true, call: { args: {}, tier: 'confirm' } });
      expect(result.text).not.toBe('');
      expect(result.call.id).not.toBe('');
      expect(rigged.host.calls).toEqual([]);
      expect(story(rigged)).toEqual(['decided denied']);
      expect(eventsOf(rigged, 'tool_denied')).toHaveLength(1);
    });
  }

  it(proves('G11')('has the id it was given, if that can be one, and an own one otherwise'), async () => {
    const { turn, host } = await rig({ policy: allowAll() });
    const idOf = async (id: unknown) => (await turn.guard({ id: id as string, tool: 'act' }, host)).call.id;
    expect(await idOf('call_1')).toBe('call_1');
    for (const id of [undefined, null, '', 7, {}, '\ud800', 'x'.repeat(1_000)]) {
      expect(await idOf(id)).toMatch(/^[0-9a-f-]{36}$/);
    }
  });
});

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function levels(count: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < count; i++) value = [value];
  return { value };
}

describe('args', () => {
  const cyclic: Record<string, unknown> = { a: {} };
  (cyclic['a'] as Record<string, unknown>)['b'] = cyclic;
  const bad: readonly (readonly [string, unknown, RegExp])[] = [
    ['a text', 'x', /not an object/],
    ['a list', [1], /not an object/],
    ['a number', 1, /not an object/],
    ['a cycle', cyclic, /levels|larger/],
    ['a bigint', { n: 1n }, /bigint/],
    ['not a number', { n: Number.NaN }, /NaN/],
    ['infinity', { n: Number.NEGATIVE_INFINITY }, /Infinity/],
    ['a function', { n: trap }, /function/],
    ['a symbol', { n: Symbol('n') }, /symbol/],
    ['a list with a hole', { n: [undefined] }, /undefined/],
    ['a date', { n: new Date() }, /Date/],
    ['a map', { n: new Map() }, /Map/],
    ['a lone surrogate', { n: '\udc00' }, /surrogate/],
    ['a lone surrogate in a key', { '\udc00': 1 }, /surrogate/],
    ['64 levels too many', levels(70), /deeper than 64 levels/],
    ['a million levels', levels(1_000_000), /deeper than 64 levels/],
    ['10 MB of text', { n: 'x'.repeat(10_000_000) }, /larger than 1048576 bytes/],
    ['10 MB of key', { ['x'.repeat(10_000_000)]: 1 }, /larger than 1048576 bytes/],
    ['10 MB of numbers', { n: Array.from({ length: 5_000_000 }, () => 1) }, /larger than 1048576 bytes/],
    [
      'a getter that throws',
      {
        get n() {
          return trap();
        },
      },
      /trap/,
    ],
    ['a proxy that throws', { n: new Proxy({}, { ownKeys: trap }) }, /trap/],
    ['a list without end', { n: new Proxy([], { get: (_list, key) => (key === 'length' ? 2 ** 31 : 1) }) }, /larger/],
    ['a prototype of their own', JSON.parse('{"__proto__":{"polluted":1}}'), /__proto__/],
    ['a prototype inside', { n: JSON.parse('{"__proto__":{"polluted":1}}') }, /__proto__/],
  ];
  for (const [name, args, problem] of bad) {
    it(proves('G11', 'G12')(`that are or contain ${name} are an error that names it`), async () => {
      const rigged = await rig({ policy: allowAll() });
      const result = await rigged.call('act', args);
      expect(result).toMatchObject({ type: 'invalid', isError: true });
      expect(result.text).toMatch(problem);
      expect(result.text.length).toBeLessThan(5_000);
      expect(rigged.host.calls).toEqual([]);
      expect(story(rigged)).toEqual(['decided denied']);
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    });
  }

  it(proves('G11')('named like parts of objects are names like any other'), async () => {
    const args = { constructor: 'c', prototype: 'p', toString: 't', hasOwnProperty: 'h', length: 1 };
    const { call, host } = await rig({
      policy: deny('act', { when: ({ constructor: c }) => (c as unknown) !== 'c' }),
    });
    expect((await call('act', args)).type).toBe('ok');
    expect(only(host.calls).args).toEqual(args);
    expect((await call('act', {})).type).toBe('denied');
  });

  it(proves('G12')('of exactly the limits pass, one more does not'), async () => {
    const limits = { argsBytes: 64, depth: 4 };
    const { call } = await rig({ policy: allowAll(), limits });
    const fill = 'x'.repeat(64 - '{"n":""}'.length);
    expect((await call('act', { n: fill })).type).toBe('ok');
    expect(await call('act', { n: `${fill}x` })).toMatchObject({
      type: 'invalid',
      text: expect.stringContaining('64 bytes'),
    });
    expect((await call('act', { n: [[[1]]] })).type).toBe('ok');
    expect(await call('act', { n: [[[[1]]]] })).toMatchObject({
      type: 'invalid',
      text: expect.stringContaining('4 levels'),
    });
  });

  it(proves('G12')('left out are none'), async () => {
    const { turn, host } = await rig({ policy: allowAll() });
    for (const args of [undefined, null]) await turn.guard({ tool: 'act', args }, host);
    expect(host.calls.map(({ args }) => args)).toEqual([{}, {}]);
  });

  it(proves('G11', 'G12')('of any kind never throw, hang, pollute or run other than as they are'), async () => {
    const value = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withNullPrototype: true,
      withSparseArray: true,
      withTypedArray: true,
      withUnicodeString: true,
    });
    const rigged = await rig({ policy: allowAll() });
    await fc.assert(
      fc.asyncProperty(fc.oneof(value, fc.dictionary(fc.string(), value)), async (args) => {
        const before = rigged.host.calls.length;
        const result = await rigged.turn.guard({ tool: 'act', args }, rigged.host);
        if (result.type === 'invalid') {
          expect(rigged.host.calls).toHaveLength(before);
          return;
        }
        expect(result.type).toBe('ok');
        expect(JSON.parse(JSON.stringify(rigged.host.calls.at(-1)?.args))).toEqual(
          JSON.parse(JSON.stringify(args ?? {})),
        );
      }),
      { numRuns: runs(500) },
    );
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

const withSchema = (given: StandardSchema, more = {}) =>
  rig({ tools: [{ name: 'act', schema: given }], policy: allowAll(), timeoutMs: 1_000, ...more });

describe('a schema', () => {
  it(
    proves('G16')('fills in and changes: its output is what policy, hooks, approver, journal and tool see'),
    async () => {
      const seen: unknown[] = [];
      const see = (args: unknown): true => {
        seen.push(args);
        return true;
      };
      const rigged = await withSchema(
        z.object({
          path: z.string().trim().toLowerCase(),
          depth: z.number().default(3),
          when: z.string().transform((text) => ({ text })),
        }),
        {
          policy: [],
          default: 'ask',
          hooks: [
            preToolCall(({ call }) => void see(call.args), { name: 'pre' }),
            postToolCall(({ call }) => void see(call.args), { name: 'post' }),
          ],
          approver: ({ call }: { call: { args: unknown } }) => see(call.args),
          does: { act: ({ args }: { args: unknown }) => see(args) },
          start: { cwd: '/work' },
        },
      );
      const given = { path: ' Src ', when: 'now', extra: 1 };
      expect((await rigged.call('act', given)).type).toBe('ok');
      const made = { depth: 3, path: 'src', when: { text: 'now' } };
      expect(seen).toEqual([made, made, made, made]);
      expect(entriesOf(rigged, 'decided')).toMatchObject([
        { args: made, requested: given },
        { args: made, requested: given },
      ]);
      expect(only(rigged.host.calls)).toMatchObject({ cwd: '/work', requested: given });
    },
  );

  it(proves('G16')('may be asynchronous, on every pass'), async () => {
    const asynchronous = z.object({ n: z.number().refine(async (n) => n < 10) });
    const { call, host } = await withSchema(asynchronous, {
      hooks: [preToolCall(({ call: { args } }) => transform({ n: Number(args['n']) + 1 }), { name: 'plus' })],
    });
    expect((await call('act', { n: 1 })).type).toBe('ok');
    expect(only(host.calls).args).toEqual({ n: 2 });
    expect((await call('act', { n: 11 })).type).toBe('invalid');
    expect(await call('act', { n: 9 })).toMatchObject({
      type: 'denied',
      reason: expect.stringContaining('Invalid args for'),
    });
    expect(host.calls).toHaveLength(1);
  });

  const outputs: readonly (readonly [string, unknown])[] = [
    ['a date', { value: { at: new Date(0) } }],
    ['a map', { value: new Map() }],
    ['a bigint', { value: { n: 1n } }],
    ['undefined inside a list', { value: { n: [undefined] } }],
    ['a function', { value: { n: trap } }],
    ['a text', { value: 'text' }],
    ['a list', { value: [] }],
    ['null', { value: null }],
    ['nothing', { value: undefined }],
    ['too much', { value: { n: 'x'.repeat(2 ** 21) } }],
  ];
  for (const [name, output] of outputs) {
    it(proves('G16')(`whose output is ${name} makes the call an error`), async () => {
      for (const validate of [() => output, async () => output]) {
        const rigged = await withSchema(schema(validate));
        expect(await rigged.call('act', { n: 1 })).toMatchObject({ type: 'invalid', isError: true });
        expect(rigged.host.calls).toEqual([]);
        expect(only(entriesOf(rigged, 'decided'))).toMatchObject({ requested: { n: 1 }, args: {} });
      }
    });
  }

  const garbage: readonly (readonly [string, unknown])[] = [
    ['nothing', undefined],
    ['null', null],
    ['true', true],
    ['a number', 5],
    ['a text', 'fine'],
    ['an empty object', {}],
    ['issues that are null', { issues: null }],
    ['issues that are a text', { issues: 'bad' }],
    ['no issues at all', { issues: [] }],
    ['issues of nothing', { issues: [null] }],
    ['issues without a message', { issues: [{}] }],
    ['issues with odd paths', { issues: [{ message: 'm', path: 5 }] }],
    ['issues with a symbol', { issues: [{ message: Symbol('m'), path: [Symbol('p')] }] }],
    ['a value beside issues', { value: { n: 1 }, issues: [{ message: 'no' }] }],
    [
      'a value that throws',
      {
        get value() {
          return trap();
        },
      },
    ],
    ['a then that throws', thenable(trap)],
    ['a then that gives nothing back', thenable((yes) => yes({ issues: [{ message: 'x' }] }))],
  ];
  for (const [name, answer] of garbage) {
    it(proves('G16', 'G11')(`that answers ${name} lets nothing through`), async () => {
      for (const validate of [() => answer, async () => answer]) {
        const { call, host, clock } = await withSchema(schema(validate));
        const pending = call('act', { n: 1 });
        await clock.advance(1_200);
        const result = await pending;
        expect(result).toMatchObject({ type: 'invalid', isError: true });
        expect(result.text).not.toBe('');
        expect(host.calls).toEqual([]);
      }
    });
  }

  it(proves('G16', 'G11')('that throws or rejects lets nothing through, whatever it throws'), async () => {
    for (const what of [new TypeError('broken'), 'broken', undefined, null, Object.create(null)]) {
      for (const validate of [
        () => {
          throw what;
        },
        () => Promise.reject(what),
      ]) {
        const { call, host } = await withSchema(schema(validate));
        expect(await call('act')).toMatchObject({ type: 'invalid', text: expect.stringContaining('schema') });
        expect(host.calls).toEqual([]);
      }
    }
  });

  it(
    proves('G16')('that hangs is given up on, at the first pass and at a later one; what it says then is ignored'),
    async () => {
      const first = await withSchema(schema(never));
      const pending = first.call('act', { n: 1 });
      await first.clock.advance(1_200);
      expect(await pending).toMatchObject({ type: 'invalid', text: expect.stringContaining('1000 ms') });
      expect(only(entriesOf(first, 'decided'))).toMatchObject({ tool: 'act', requested: { n: 1 } });

      const late = later<{ value: unknown }>();
      let pass = 0;
      const second = await withSchema(
        schema((value) => (pass++ === 0 ? { value } : late.promise)),
        { hooks: [preToolCall(() => transform({ n: 2 }), { name: 'change' })] },
      );
      const changing = second.call('act', { n: 1 });
      await second.clock.advance(1_200);
      expect(await changing).toMatchObject({ type: 'denied', reason: expect.stringContaining('1000 ms') });
      late.resolve({ value: { n: 3 } });
      await second.clock.advance(100);
      expect(second.host.calls).toEqual([]);
      expect(story(second)).toEqual(['decided denied']);
    },
  );

  it(proves('G16', 'G01')('gets frozen args: one that changes them in place fails, and nothing runs'), async () => {
    const { call, host } = await withSchema(
      schema((value) => {
        (value as { n: number }).n = 5;
        return { value };
      }),
    );
    expect(await call('act', { n: 1 })).toMatchObject({ type: 'invalid' });
    expect(host.calls).toEqual([]);
  });

  it(proves('G11')('says which argument does not fit, and how, in bounded words'), async () => {
    const { call } = await withSchema(z.object({ edits: z.array(z.object({ line: z.number() })) }));
    expect((await call('act', { edits: [{ line: 1 }, { line: 'x' }] })).text).toMatch(/edits\.1\.line: .*number/);
    const many = await withSchema(
      schema(() => ({ issues: Array.from({ length: 1_000 }, () => ({ message: 'm'.repeat(10_000) })) })),
    );
    expect((await many.call('act')).text.length).toBeLessThan(2_000);
  });
});

describe('a tier', () => {
  it(proves('G14')('is confirm for a tool that declares none, whatever its server claims'), async () => {
    const hinted: ToolDeclaration = { name: 'list', description: 'Only reads. readOnlyHint: true' };
    const tiers: unknown[] = [];
    const guard = createGuard({
      tools: [{ name: 'quiet' }, { ...hinted, server: 's' }, { name: 'look', tier: 'observe' }],
      servers: [{ name: 's' }],
      policy: allowAll(),
      hooks: [preToolCall(({ call }) => void tiers.push(call.tier), { name: 'tiers' })],
    });
    guard.replaceServerTools('s', [hinted, { name: 'more' }]);
    const turn = (await guard.start()).turn();
    const host = { run: () => 'x' };
    for (const request of [
      { tool: 'quiet' },
      { tool: 'list', server: 's' },
      { tool: 'more', server: 's' },
      { tool: 'look' },
    ])
      await turn.guard(request, host);
    expect(tiers).toEqual(['confirm', 'confirm', 'confirm', 'observe']);
  });

  it(proves('G14')('cannot be asked for: a request, its args and a hook have no say in it'), async () => {
    const rigged = await rig({
      policy: allowAll(),
      hooks: [preToolCall(({ call }) => transform({ ...call.args, tier: 'observe' }), { name: 'try' })],
    });
    const request = { tool: 'act', tier: 'observe', args: { tier: 'observe' } } as CallRequest;
    expect((await rigged.turn.guard(request, rigged.host)).call.tier).toBe('confirm');
    expect(only(entriesOf(rigged, 'decided')).tier).toBe('confirm');
  });

  it(proves('G14')('that is neither of the two is refused when the guard is created'), () => {
    for (const tier of ['readonly', 'Observe', true, null] as never[]) {
      expect(() => createGuard({ tools: [{ name: 'act', tier }], policy: [] })).toThrow(/tier/);
    }
  });
});

const build = (limits: unknown) => () => createGuard({ tools: [], policy: [], limits: limits as Partial<Limits> });

describe('limits', () => {
  const huge = 'h'.repeat(50_000);
  const tried: { readonly [L in keyof Limits]?: (rigged: Awaited<ReturnType<typeof limited>>) => Promise<unknown> } = {
    argsBytes: ({ call }) => call('act', { n: huge }),
    depth: ({ call }) => call('act', { n: [[[[[[1]]]]]] }),
    resultBytes: ({ call }) => call('long'),
    nameLength: ({ call }) => call(huge),
    reasonLength: ({ call }) => call('denied'),
    answerBytes: ({ call }) => call('changed'),
    eventBytes: ({ call }) => call('act', { n: huge }),
  };
  const limited = (limits: Partial<Limits>) =>
    rig({
      tools: ['act', 'long', 'denied', 'changed'].map((name) => ({ name })),
      policy: [allowAll(), deny('denied', { reason: huge.slice(0, 4_000) })],
      hooks: [
        preToolCall(({ call }) => (call.tool === 'changed' ? transform({ n: huge }) : undefined), { name: 'change' }),
      ],
      does: { long: huge },
      limits,
    });
  const small: Readonly<Record<string, number>> = { depth: 3, nameLength: 40 };

  for (const [limit, attempt] of Object.entries(tried)) {
    it(proves('G12')(`can be set, and ${limit} bounds what it is for, with a note or a refusal`), async () => {
      const bound = small[limit] ?? 1_000;
      const usual = await limited({});
      const narrow = await limited({ [limit]: bound });
      const [before, after] = [await attempt(usual), await attempt(narrow)];
      const size = (rigged: typeof usual, result: unknown) => JSON.stringify([result, rigged.events]).length;
      expect(after).not.toEqual(before);
      expect(JSON.stringify([after, narrow.events])).toMatch(
        /cut: \d+ more|larger than|deeper than|longer than|omitted/,
      );
      if (limit !== 'depth' && limit !== 'eventBytes' && limit !== 'argsBytes') {
        expect(size(narrow, (after as { text: string }).text)).toBeLessThan(10 * bound + 5_000);
      }
    });
  }

  it(proves('G12')('are checked: each a whole number above 0, and known'), () => {
    for (const limit of Object.keys(defaultLimits)) {
      for (const value of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '5', null]) {
        expect(build({ [limit]: value })).toThrow(limit);
      }
      expect(build({ [limit]: 5 })).not.toThrow();
    }
    expect(build({ argBytes: 5 })).toThrow('argBytes');
    expect(build(5)).toThrow('limits');
  });

  it(proves('G12')('are what the contract says if nothing else is'), () => {
    expect(defaultLimits).toMatchObject({ argsBytes: 1024 * 1024, depth: 64 });
    for (const value of Object.values(defaultLimits)) expect(Number.isSafeInteger(value) && value > 0).toBe(true);
  });

  it(proves('G12')('apply to the event of a request: large args are omitted from it, not from the call'), async () => {
    const events: BridleEvent[] = [];
    const { call, host } = await rig({
      policy: allowAll(),
      hooks: [onEvent((event) => void events.push(event), { name: 'see' })],
    });
    await call('act', { n: 'x'.repeat(200_000) });
    await call('act', { n: 'x' });
    const requested = events.filter((event) => event.type === 'tool_requested');
    expect(requested.map(({ args }) => args)).toEqual(['[omitted: too large for an event]', { n: 'x' }]);
    expect(host.calls[0]?.args['n']).toHaveLength(200_000);
  });
});
