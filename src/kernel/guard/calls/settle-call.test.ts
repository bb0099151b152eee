/** After a call ran: exactly one postToolCall, the error told by the right words, nothing let through by a failure. */

import {
  allowAll,
  errorMessage,
  onEvent,
  onToolError,
  postToolCall,
  recover,
  replace,
  transform,
  type PointPayloads,
  type Hook,
  type JsonValue,
} from 'bridle';
import type { Outcome, ToolError } from '../../hooks/points/payloads.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { runs } from '../../../../test/property-runs.ts';
import { entriesOf, eventsOf, later, never, only, rig } from '../../../../test/rigs/guard-rig.ts';

type Settled = PointPayloads['postToolCall'];

const fails = (text = 'no route'): never => {
  throw new TypeError(text);
};
const add = (name: string): Hook => postToolCall(({ result }) => transform(`${result as string}+${name}`), { name });
const answering = (kind: string, index: number) => () => {
  if (kind === 'recover') return recover(`value ${index}`);
  if (kind === 'message') return errorMessage(`text ${index}`);
  if (kind === 'throw') return fails('hook');
  return kind === 'nonsense' ? ({ type: 'nonsense' } as never) : undefined;
};
const keep = (list: Settled[]): Hook => postToolCall((payload) => void list.push(payload), { name: 'keep' });

describe('postToolCall', () => {
  const outcomes: Readonly<
    Record<string, { does: unknown; hooks?: readonly Hook[]; type: Outcome['type']; ms: number }>
  > = {
    'a value': { does: { n: 1 }, type: 'ok', ms: 0 },
    nothing: { does: () => undefined, type: 'ok', ms: 0 },
    'a promise': { does: async () => 'x', type: 'ok', ms: 0 },
    'an error': { does: () => fails(), type: 'error', ms: 0 },
    'a rejection': { does: async () => fails(), type: 'error', ms: 0 },
    'no JSON': { does: () => new Map(), type: 'error', ms: 0 },
    'an error that is recovered': {
      does: () => fails(),
      hooks: [onToolError(() => recover('instead'), { name: 'recover' })],
      type: 'recovered',
      ms: 0,
    },
    'no end': { does: never, type: 'timeout', ms: 1_100 },
  };

  for (const [name, { does, hooks = [], type, ms }] of Object.entries(outcomes)) {
    it(proves('G06')(`fires once for a tool that gives ${name}, with the outcome and the time it took`), async () => {
      const seen: Settled[] = [];
      const rigged = await rig({
        policy: allowAll(),
        hooks: [...hooks, keep(seen)],
        does: { act: does },
        grant: { timeoutMs: 1_000 },
      });
      const pending = rigged.call('act', { n: 1 });
      await rigged.clock.advance(1_200);
      const result = await pending;
      expect(only(seen)).toMatchObject({
        outcome: { type },
        call: { tool: 'act', args: { n: 1 } },
        result: result.type === 'denied' ? '' : result.value,
      });
      expect(result).toMatchObject({ type, elapsedMs: only(seen).elapsedMs });
      expect(Math.abs(only(seen).elapsedMs - ms)).toBeLessThanOrEqual(100);
      expect(only(eventsOf(rigged, 'tool_settled'))).toMatchObject({ outcome: type, elapsedMs: only(seen).elapsedMs });
      expect(only(entriesOf(rigged, 'settled'))).toMatchObject({ status: type, elapsedMs: only(seen).elapsedMs });
    });
  }

  it(proves('G06')('fires once for a call that was cancelled while it ran, with the elapsed time'), async () => {
    const seen: Settled[] = [];
    const rigged = await rig({ policy: allowAll(), hooks: [keep(seen)], does: { act: never } });
    const pending = rigged.call('act');
    await rigged.clock.advance(250);
    rigged.turn.cancel();
    expect(await pending).toMatchObject({ type: 'cancelled', isError: true, elapsedMs: 250 });
    expect(only(seen)).toMatchObject({ outcome: { type: 'cancelled' }, elapsedMs: 250 });
  });

  it(proves('G06')('measures what the tool took, not what came before and after'), async () => {
    const work = later<string>();
    const rigged = await rig({
      policy: allowAll(),
      hooks: [{ name: 'slow', timeoutMs: 60_000, preToolCall: () => wait(500), postToolCall: () => wait(500) }],
      does: { act: () => work.promise },
    });
    const wait = (ms: number) =>
      new Promise<void>((resolve) => {
        const stop = rigged.clock.every(ms, () => (stop(), resolve()));
      });
    const pending = rigged.call('act');
    await rigged.clock.advance(500);
    await rigged.clock.advance(300);
    work.resolve('done');
    await rigged.clock.advance(600);
    expect(await pending).toMatchObject({ type: 'ok', elapsedMs: 300 });
  });

  it(proves('G06', 'G04')('does not fire for a call that did not run'), async () => {
    const seen: Settled[] = [];
    const { call } = await rig({ policy: [], default: 'deny', hooks: [keep(seen)] });
    await call('act');
    await call('nowhere');
    expect(seen).toEqual([]);
  });
});

describe('a result', () => {
  it(
    proves('G07')('that hooks transform is what the model sees, from last hook to first; the journal keeps both'),
    async () => {
      const { call, journal } = await rig({ hooks: [add('first'), add('second')], does: { act: 'raw' } });
      expect(await call('act')).toMatchObject({ type: 'ok', value: 'raw+second+first', text: 'raw+second+first' });
      expect(only(entriesOf({ journal }, 'settled'))).toMatchObject({ result: 'raw+second+first', original: 'raw' });
    },
  );

  const hidden: readonly JsonValue[] = [null, false, 0, '', [], {}];
  for (const value of hidden) {
    for (const how of [transform, replace]) {
      it(
        proves('G07')(`that a hook puts ${JSON.stringify(value)} in the place of is gone, by ${how(1).type}`),
        async () => {
          const rigged = await rig({
            hooks: [postToolCall(() => how(value), { name: 'redact' })],
            does: { act: { password: 'hunter2' } },
          });
          const result = await rigged.call('act');
          expect(result).toMatchObject({ type: 'ok', value });
          expect(JSON.stringify([result, rigged.events])).not.toContain('hunter2');
          expect(only(entriesOf(rigged, 'settled'))).toMatchObject({
            result: value,
            original: { password: 'hunter2' },
          });
        },
      );
    }
  }

  it(proves('G07')('is kept once in the journal if no hook changed it'), async () => {
    const { call, journal } = await rig({
      hooks: [postToolCall(() => undefined, { name: 'look' })],
      does: { act: { n: 1 } },
    });
    await call('act');
    expect(only(entriesOf({ journal }, 'settled'))).toMatchObject({ result: { n: 1 } });
    expect(only(entriesOf({ journal }, 'settled'))).not.toHaveProperty('original');
  });

  it(proves('G07')('reaches the model as text and as data'), async () => {
    const results: readonly (readonly [unknown, JsonValue, string])[] = [
      ['text', 'text', 'text'],
      [{ b: 1, a: [null] }, { b: 1, a: [null] }, '{"b":1,"a":[null]}'],
      [undefined, null, 'null'],
      [0, 0, '0'],
      [false, false, 'false'],
      ['', '', ''],
    ];
    for (const [given, value, text] of results) {
      const { call } = await rig({ does: { act: () => given } });
      expect(await call('act')).toMatchObject({ type: 'ok', value, text, isError: false });
    }
  });

  const failing: Readonly<Record<string, Hook['postToolCall']>> = {
    throws: () => fails('broken'),
    rejects: async () => fails('broken'),
    'throws what it saw': ({ result }) => fails(`cannot read ${JSON.stringify(result)}`),
    'answers nonsense': () => 'fine' as never,
    'answers what is no JSON': () => transform(() => 1) as never,
    'answers another action': () => recover('x') as never,
    hangs: never,
  };
  for (const [name, method] of Object.entries(failing)) {
    for (const raw of ['hunter2', { deep: ['hunter2'] }]) {
      it(
        proves('H07', 'G06')(`is withheld from everyone if a hook that must not fail ${name} (${typeof raw})`),
        async () => {
          const rigged = await rig({
            hooks: [{ name: 'redact', failOpen: false, timeoutMs: 100, postToolCall: method }],
            does: { act: () => raw },
          });
          const pending = rigged.call('act');
          await rigged.clock.advance(300);
          const result = await pending;
          expect(result).toMatchObject({ type: 'error', isError: true, text: expect.stringContaining('"redact"') });
          expect(JSON.stringify(result)).not.toContain('hunter2');
          // What the hook itself said is in the event of its failure, and nowhere else.
          const others = rigged.events.filter(({ type }) => type !== 'hook_failed');
          expect(JSON.stringify(others)).not.toContain('hunter2');
          expect(only(eventsOf(rigged, 'tool_settled')).outcome).toBe('error');
          expect(only(entriesOf(rigged, 'settled'))).toMatchObject({
            status: 'error',
            result: result.text,
            original: raw,
          });
        },
      );
    }
  }

  it(proves('H07')('of a failed tool is withheld too, and so is the text of the error'), async () => {
    const rigged = await rig({
      hooks: [postToolCall(() => fails('broken'), { name: 'redact', failOpen: false })],
      does: { act: () => fails('hunter2 is not a number') },
    });
    const result = await rigged.call('act');
    expect(result).toMatchObject({ type: 'error' });
    expect(JSON.stringify([result, rigged.events])).not.toContain('hunter2');
  });

  it(
    proves('H07')('comes through if a hook that may fail fails; the others still run, and it is recorded'),
    async () => {
      const rigged = await rig({
        hooks: [
          postToolCall(({ result }) => transform(`${result as string}, mended`), { name: 'mend' }),
          postToolCall(() => fails('broken'), { name: 'broken' }),
        ],
        does: { act: 'raw' },
      });
      expect(await rigged.call('act')).toMatchObject({ type: 'ok', text: 'raw, mended' });
      expect(only(eventsOf(rigged, 'hook_failed'))).toMatchObject({ hook: 'broken', point: 'postToolCall' });
      expect(only(entriesOf(rigged, 'noted'))).toMatchObject({ status: 'hook_failed', detail: { hook: 'broken' } });
    },
  );
});

describe('a tool that fails', () => {
  it(proves('G09')('says where: tool, server, call id and step, with the cause, to every hook'), async () => {
    const errors: ToolError[] = [];
    const cause = new TypeError('no route');
    const { turn, host } = await rig({
      tools: [{ name: 'act', server: 's' }],
      servers: [{ name: 's' }],
      hooks: [
        onToolError(({ error }) => void errors.push(error), { name: 'error' }),
        postToolCall(({ outcome }) => void errors.push(outcome.error as ToolError), { name: 'post' }),
      ],
      does: { 's/act': cause },
    });
    turn.nextStep();
    turn.nextStep();
    await turn.guard({ id: 'c7', tool: 'act', server: 's' }, host);
    const expected = { message: 'no route', tool: 'act', server: 's', callId: 'c7', step: 2 };
    expect(errors).toEqual([
      { ...expected, cause },
      { ...expected, cause },
    ]);
    expect(errors.every((error) => Object.isFrozen(error))).toBe(true);
  });

  it(proves('G09')('keeps the step it was called in, though the turn has gone on'), async () => {
    const errors: ToolError[] = [];
    const work = later<never>();
    const { turn, host, journal } = await rig({
      hooks: [onToolError(({ error }) => void errors.push(error), { name: 'error' })],
      does: { act: () => work.promise },
    });
    turn.nextStep();
    const pending = turn.guard({ tool: 'act' }, host);
    turn.nextStep();
    work.reject(new TypeError('late'));
    await pending;
    expect(only(errors).step).toBe(1);
    expect(journal.entries().map(({ step }) => step)).toEqual([1, 1]);
  });

  const thrown: readonly (readonly [unknown, RegExp])[] = [
    [new TypeError('no route'), /^no route$/],
    ['just a text', /^just a text$/],
    [{ code: 5 }, /^object/],
    [undefined, /undefined/],
    [null, /null/],
    [Symbol('odd'), /odd/],
    ['', /without an error message/],
    ['   ', /without an error message/],
    [new Error(''), /^Error$/],
    [Object.create(null), /./],
    [new Proxy(new Error('x'), { get: () => fails('trap') }), /./],
  ];
  for (const [what, text] of thrown) {
    it(proves('G08')(`informs the model, whatever it throws: ${text.source}`), async () => {
      for (const act of [
        () => {
          throw what;
        },
        () => Promise.reject(what),
      ]) {
        const rigged = await rig({ does: { act } });
        const result = await rigged.call('act');
        expect(result).toMatchObject({ type: 'error', isError: true, value: result.text });
        expect(result.text).toMatch(text);
        expect(only(entriesOf(rigged, 'settled'))).toMatchObject({ status: 'error', error: result.text });
      }
    });
  }

  it(proves('G08', 'G12')('gives the model a message of limited length'), async () => {
    const { call } = await rig({ does: { act: () => fails('e'.repeat(9_999)) }, limits: { reasonLength: 100 } });
    expect((await call('act')).text).toBe(`${'e'.repeat(100)}… [cut: 9899 more characters]`);
  });

  it(
    proves('G08')('and is recovered: the model sees the value; result, event and journal say so and keep the error'),
    async () => {
      const rigged = await rig({
        hooks: [onToolError(({ error }) => recover({ instead: error.message }), { name: 'recover' })],
        does: { act: () => fails() },
      });
      expect(await rigged.call('act')).toMatchObject({
        type: 'recovered',
        isError: false,
        value: { instead: 'no route' },
        error: 'no route',
      });
      expect(only(eventsOf(rigged, 'tool_settled')).outcome).toBe('recovered');
      expect(only(entriesOf(rigged, 'settled'))).toMatchObject({
        status: 'recovered',
        result: { instead: 'no route' },
        error: 'no route',
      });
    },
  );

  it(proves('G08')('and is recovered with null or false or nothing much: the value counts as it is'), async () => {
    for (const value of [null, false, 0, '']) {
      const { call } = await rig({
        hooks: [onToolError(() => recover(value), { name: 'r' })],
        does: { act: () => fails() },
      });
      expect(await call('act')).toMatchObject({ type: 'recovered', value, error: 'no route' });
    }
  });

  it(proves('G08')('is reported with the message of the first hook that has one, still as an error'), async () => {
    const rigged = await rig({
      hooks: [
        onToolError(() => undefined, { name: 'silent' }),
        onToolError(() => errorMessage('try the other one'), { name: 'first' }),
        onToolError(() => recover('never asked'), { name: 'second' }),
      ],
      does: { act: () => fails() },
    });
    expect(await rigged.call('act')).toMatchObject({
      type: 'error',
      isError: true,
      text: 'try the other one',
      error: 'no route',
    });
    expect(only(entriesOf(rigged, 'settled'))).toMatchObject({ result: 'try the other one', error: 'no route' });
  });

  it(proves('G08')('is recovered by the first hook that does, and the later ones are not called'), async () => {
    const called: string[] = [];
    const hook = (name: string, answer: ReturnType<NonNullable<Hook['onToolError']>>) =>
      onToolError(() => (called.push(name), answer), { name });
    const { call } = await rig({
      hooks: [hook('a', undefined), hook('b', recover('b')), hook('c', recover('c')), hook('d', errorMessage('d'))],
      does: { act: () => fails() },
    });
    expect(await call('act')).toMatchObject({ type: 'recovered', value: 'b' });
    expect(called).toEqual(['a', 'b']);
  });

  it(proves('G08')('is not hidden by an error hook that fails, in any way'), async () => {
    const ways: readonly Partial<Hook>[] = [
      { onToolError: () => fails('hook') },
      { onToolError: async () => fails('hook') },
      { onToolError: () => 'x' as never },
      { onToolError: never, timeoutMs: 100 },
      { onToolError: () => recover(new Map() as never) },
      { onToolError: () => errorMessage('') },
      { onToolError: () => fails('hook'), failOpen: false },
      { onToolError: () => transform('x') as never, failOpen: false },
    ];
    for (const way of ways) {
      const rigged = await rig({ hooks: [{ ...way, name: 'broken' }], does: { act: () => fails() } });
      const pending = rigged.call('act');
      await rigged.clock.advance(300);
      expect(await pending).toMatchObject({ type: 'error', isError: true, text: 'no route', error: 'no route' });
      expect(only(eventsOf(rigged, 'hook_failed'))).toMatchObject({ hook: 'broken', point: 'onToolError' });
    }
  });

  it(
    proves(
      'G08',
      'G06',
    )('for any mix of error hooks: the first that answers well decides, and post sees what it decided'),
    async () => {
      const answers = fc.array(fc.constantFrom('nothing', 'recover', 'message', 'throw', 'nonsense'), { maxLength: 5 });
      await fc.assert(
        fc.asyncProperty(answers, fc.boolean(), async (kinds, later) => {
          const seen: Settled[] = [];
          const { call } = await rig({
            hooks: [
              ...kinds.map((kind, i) => {
                const plain = answering(kind, i);
                return onToolError(later ? async () => plain() : plain, { name: `h${i}` });
              }),
              keep(seen),
            ],
            does: { act: () => fails() },
          });
          const first = kinds.findIndex((kind) => kind === 'recover' || kind === 'message');
          const expected =
            first < 0
              ? { type: 'error', text: 'no route' }
              : kinds[first] === 'recover'
                ? { type: 'recovered', text: `value ${first}` }
                : { type: 'error', text: `text ${first}` };
          expect(await call('act')).toMatchObject({ ...expected, error: 'no route' });
          expect(only(seen)).toMatchObject({
            outcome: { type: expected.type, error: { message: 'no route' } },
            result: expected.text,
          });
        }),
        { numRuns: runs(300) },
      );
    },
  );

  it(proves('G08')('is not offered to error hooks if it was only cancelled'), async () => {
    let asked = 0;
    const rigged = await rig({
      hooks: [onToolError(() => (asked++, recover('x')), { name: 'r' })],
      does: { act: never },
    });
    const pending = rigged.call('act');
    await rigged.clock.advance(0);
    rigged.turn.cancel();
    expect(await pending).toMatchObject({ type: 'cancelled' });
    expect(asked).toBe(0);
  });
});

describe('the events of one call', () => {
  it(proves('G06', 'G04')('come in order, each once'), async () => {
    const rigged = await rig({ hooks: [onEvent(() => undefined, { name: 'other' })] });
    await rigged.call('act');
    expect(rigged.events.map(({ type }) => type)).toEqual([
      'session_started',
      'turn_started',
      'tool_requested',
      'tool_started',
      'tool_settled',
    ]);
    expect(rigged.events.map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4]);
  });
});
