/** Running under a grant: time limits, late results, cancels, bounds on what comes back, hosts that misbehave. */

import {
  allow,
  allowAll,
  onToolError,
  postToolCall,
  recover,
  type RunContext,
  type ToolCall,
  type ToolHost,
} from 'bridle';
import { fakeClock } from 'bridle/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { runs } from '../../../../test/property-runs.ts';
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
} from '../../../../test/rigs/guard-rig.ts';

const trap = (): never => {
  throw new TypeError('trap');
};

describe('a tool that outlives its time limit', () => {
  it(proves('G15', 'P18')('has the outcome timeout; what it gives later is noted and never used'), async () => {
    const work = later<string>();
    const rigged = await rig({
      policy: allow('act', { grant: { timeoutMs: 1_000 } }),
      does: { act: () => work.promise },
    });
    const { call, clock } = rigged;
    const pending = call('act');
    await clock.advance(1_200);
    const result = await pending;
    expect(result).toMatchObject({ type: 'timeout', isError: true, text: 'The tool did not finish within 1000 ms.' });
    work.resolve('the late secret');
    await clock.advance(100);
    expect(only(eventsOf(rigged, 'tool_late'))).toMatchObject({
      callId: result.call.id,
      text: expect.stringContaining('after'),
    });
    expect(story(rigged)).toEqual(['decided allowed', 'settled timeout', 'noted late_result']);
    expect(JSON.stringify([result, rigged.events, rigged.journal.entries()])).not.toContain('the late secret');
  });

  it(proves('G15')('and fails later: the failure is noted, the outcome stays'), async () => {
    const work = later<string>();
    const rigged = await rig({ policy: allowAll(), grant: { timeoutMs: 100 }, does: { act: () => work.promise } });
    const pending = rigged.call('act');
    await rigged.clock.advance(300);
    expect((await pending).type).toBe('timeout');
    work.reject(new TypeError('gone'));
    await rigged.clock.advance(100);
    expect(only(entriesOf(rigged, 'noted'))).toMatchObject({
      status: 'late_result',
      detail: { text: expect.stringContaining('gone') },
    });
  });

  it(proves('G15')('by blocking has the outcome timeout when it comes back, and its value is not used'), async () => {
    let now = 0;
    const clock = { ...fakeClock(), now: () => now };
    for (const act of [
      () => ((now += 1_001), 'the late secret'),
      () => {
        now += 1_001;
        throw new TypeError('the late secret');
      },
    ]) {
      const rigged = await rig({ clock, policy: allowAll(), grant: { timeoutMs: 1_000 }, does: { act } });
      const result = await rigged.call('act');
      expect(result).toMatchObject({ type: 'timeout', isError: true, elapsedMs: 1_001 });
      expect(JSON.stringify(result)).not.toContain('secret');
      expect(eventsOf(rigged, 'tool_late')).toHaveLength(1);
      expect(entriesOf(rigged, 'noted')).toMatchObject([{ status: 'late_result' }]);
    }
    const inTime = await rig({
      clock,
      policy: allowAll(),
      grant: { timeoutMs: 1_000 },
      does: { act: () => ((now += 1_000), 'x') },
    });
    expect((await inTime.call('act')).type).toBe('ok');
  });

  it(proves('G15', 'G08')('can be recovered by an error hook like any failure'), async () => {
    const { call, clock } = await rig({
      policy: allowAll(),
      grant: { timeoutMs: 100 },
      hooks: [onToolError(({ error }) => recover(error.message), { name: 'r' })],
      does: { act: never },
    });
    const pending = call('act');
    await clock.advance(300);
    expect(await pending).toMatchObject({ type: 'recovered', value: 'The tool did not finish within 100 ms.' });
  });

  it(proves('G15', 'P18')('gets an aborted signal, even if it reads the signal only then'), async () => {
    const contexts: RunContext[] = [];
    const { call, clock } = await rig({
      policy: allowAll(),
      grant: { timeoutMs: 100 },
      does: { act: (_call: ToolCall, context: RunContext) => (contexts.push(context), never()) },
    });
    const [early, late] = [call('act'), call('act')];
    await clock.advance(10);
    const [first, second] = contexts as [RunContext, RunContext];
    expect(first.signal.aborted).toBe(false);
    expect(first.signal).toBe(first.signal);
    await clock.advance(300);
    await Promise.all([early, late]);
    expect([first.signal.aborted, first.signal.reason]).toEqual([true, 'timeout']);
    expect([second.signal.aborted, second.signal.reason]).toEqual([true, 'timeout']);
  });

  it(
    proves('P18')('is measured by the narrowest of the guard, the tool and the rule, to within 100 ms and never early'),
    async () => {
      const limit = fc.option(fc.integer({ min: 1, max: 2_000 }), { nil: undefined });
      await fc.assert(
        fc.asyncProperty(limit, limit, limit, async (guard, tool, rule) => {
          const narrowest = Math.min(...[guard, tool, rule, 600_000].filter((ms) => ms !== undefined));
          if (narrowest > 2_000) return;
          const { call, clock } = await rig({
            tools: [{ name: 'act', grant: { timeoutMs: tool } }],
            grant: { timeoutMs: guard },
            policy: allow('act', { grant: { timeoutMs: rule } }),
            does: { act: never },
          });
          const result = call('act');
          let ended = false;
          void result.then(() => (ended = true));
          await clock.advance(narrowest - 1);
          expect(ended).toBe(false);
          await clock.advance(200);
          expect(await result).toMatchObject({
            type: 'timeout',
            text: `The tool did not finish within ${narrowest} ms.`,
          });
        }),
        { numRuns: runs(50) },
      );
    },
  );
});

describe('a cancelled turn', () => {
  it(proves('G15', 'G06')('ends what runs with the outcome cancelled; what comes later is noted'), async () => {
    const work = later<string>();
    const signals: AbortSignal[] = [];
    const rigged = await rig({
      policy: allowAll(),
      does: { act: (_call: ToolCall, { signal }: RunContext) => (signals.push(signal), work.promise) },
    });
    const { call, turn, clock } = rigged;
    const pending = call('act');
    await clock.advance(10);
    turn.cancel();
    turn.cancel();
    expect(await pending).toMatchObject({ type: 'cancelled', isError: true, text: 'The call was cancelled.' });
    expect(signals.map(({ aborted, reason }) => [aborted, reason])).toEqual([[true, 'cancelled']]);
    work.resolve('late');
    await clock.advance(10);
    expect(story(rigged)).toEqual(['decided allowed', 'settled cancelled', 'noted late_result']);
    expect(eventsOf(rigged, 'tool_settled')).toHaveLength(1);
  });

  it(proves('G04')('starts no tool any more'), async () => {
    const { call, turn, host } = await rig({ policy: allowAll() });
    turn.cancel();
    expect(await call('act')).toMatchObject({ type: 'denied', status: 'cancelled' });
    expect(host.calls).toEqual([]);
  });

  it(proves('G04')('starts no tool if an observer of the start cancels the call'), async () => {
    const rigged = await rig({
      policy: allowAll(),
      hooks: [{ name: 'stop', onEvent: (event) => void (event.type === 'tool_started' && rigged.turn.cancel()) }],
    });
    expect((await rigged.call('act')).type).toBe('cancelled');
    expect(rigged.host.calls).toEqual([]);
  });

  it(proves('P10')('asks nobody any more'), async () => {
    let asked = 0;
    const { call, turn } = await rig({
      policy: [],
      default: 'ask',
      approver: () => ++asked > 0,
      hooks: [{ name: 'stop', preToolCall: () => turn.cancel() }],
    });
    expect(await call('act')).toMatchObject({ type: 'denied', status: 'cancelled' });
    expect(asked).toBe(0);
  });

  it(
    proves('G15')('leaves nothing waiting: no ticker runs on for a tool or a question that was cancelled'),
    async () => {
      let tickers = 0;
      const clock = fakeClock();
      const counting: typeof clock = {
        ...clock,
        every: (ms, tick) => {
          tickers++;
          const stop = clock.every(ms, tick);
          return () => (tickers--, stop());
        },
      };
      const rigged = await rig({ clock: counting, policy: [], does: { act: never } });
      const asking = await rig({ clock: counting, policy: [], default: 'ask', approver: never });
      const cancelsItself = await rig({ clock: counting, does: { act: () => (cancelsItself.turn.cancel(), never()) } });
      const pending = [rigged.call('act'), asking.call('act'), cancelsItself.call('act')];
      await clock.advance(10);
      rigged.turn.cancel();
      asking.turn.cancel();
      await Promise.all(pending);
      await clock.advance(200);
      expect(tickers).toBe(0);
    },
  );
});

function count(_call: ToolCall, { store }: RunContext): unknown {
  store.set('count', Number(store.get('count', 0)) + 1);
  return store.get('count');
}

describe('what a tool gets in addition to its call', () => {
  it(proves('G09')('a key that is the same for every look at it, and another for every other call'), async () => {
    const keys: string[] = [];
    const act = (_call: ToolCall, context: RunContext): void => {
      expect(context.idempotencyKey).toBe(context.idempotencyKey);
      keys.push(context.idempotencyKey);
    };
    // Models count anew in each answer, and an id may hold anything.
    for (const id of ['s', 's/1']) {
      const { session, host, turn } = await rig({ policy: allowAll(), does: { act }, start: { id } });
      for (const next of [() => turn, () => session.turn()]) {
        const each = next();
        for (const callId of ['c1', '2/c1', 'c 1', 'ü']) await each.guard({ id: callId, tool: 'act' }, host);
        each.nextStep();
        await each.guard({ id: 'c1', tool: 'act' }, host);
      }
    }
    expect(keys).toHaveLength(20);
    expect(new Set(keys).size).toBe(20);
  });

  it(proves('S09')('a store of the tools of its session, which hooks do not see'), async () => {
    const seen: unknown[] = [];
    const look = postToolCall((_payload, ctx) => void seen.push(ctx.get('count'), ctx.session.keys()), {
      name: 'look',
    });
    const one = await rig({ policy: allowAll(), hooks: [look], does: { act: count } });
    const two = await rig({ policy: allowAll(), does: { act: count } });
    expect([(await one.call('act')).text, (await one.call('act')).text, (await two.call('act')).text]).toEqual([
      '1',
      '2',
      '1',
    ]);
    expect(seen).toEqual([undefined, [], undefined, []]);
  });

  it(proves('P18')('its grant, frozen, as it is in the record'), async () => {
    const grants: unknown[] = [];
    const { call, journal } = await rig({
      policy: allow('act', { grant: { timeoutMs: 50, outputBytes: 10, approvalMs: 7 } }),
      does: { act: (_call: ToolCall, { grant }: RunContext) => void grants.push(grant) },
    });
    await call('act');
    expect(grants).toEqual([{ timeoutMs: 50, outputBytes: 10, approvalMs: 7 }]);
    expect(Object.isFrozen(grants[0])).toBe(true);
    expect(only(entriesOf({ journal }, 'decided')).grant).toEqual(grants[0]);
  });
});

describe('the result of a tool', () => {
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  const wide: unknown[] = [];
  for (let i = 0; i < 100; i++) wide.push(wide);
  let deep: unknown = 1;
  for (let i = 0; i < 100_000; i++) deep = [deep];
  const noData: readonly (readonly [string, unknown])[] = [
    ['a function', () => 1],
    ['a function inside', { run: () => 1 }],
    ['a symbol', Symbol('x')],
    ['a bigint', 1n],
    ['not a number', Number.NaN],
    ['infinity', [Number.POSITIVE_INFINITY]],
    ['a map', new Map()],
    ['a date', new Date()],
    ['bytes', new Uint8Array(8)],
    ['a class', new URL('https://example.com')],
    ['a cycle', cyclic],
    ['a wide cycle', wide],
    ['100,000 levels', deep],
    ['a hole', Array.from({ length: 3 }).fill(undefined)],
    ['a million numbers', Array.from({ length: 1_000_000 }, (_, i) => i)],
    ['a lone surrogate inside', { a: '\ud800' }],
    [
      'a getter that throws',
      Object.defineProperty({}, 'a', {
        enumerable: true,
        get: () => {
          throw new TypeError('trap');
        },
      }),
    ],
    [
      'a proxy that throws',
      new Proxy(
        {},
        {
          ownKeys: () => {
            throw new TypeError('trap');
          },
        },
      ),
    ],
    ['a proxy without end', new Proxy([], { get: (_list, key) => (key === 'length' ? 2 ** 31 : 0) })],
    ['its own __proto__', JSON.parse('{"__proto__":{"admin":true}}')],
  ];
  for (const [name, value] of noData) {
    it(proves('G12', 'G07')(`and is ${name} is an error that says so, never an exception`), async () => {
      for (const act of [() => value, async () => value]) {
        const rigged = await rig({ policy: allowAll(), does: { act } });
        const result = await rigged.call('act');
        expect(result).toMatchObject({
          type: 'error',
          isError: true,
          text: expect.stringMatching(/^The tool ran, but its result /),
        });
        expect(story(rigged)).toEqual(['decided allowed', 'settled error']);
      }
      expect(({} as { admin?: unknown }).admin).toBeUndefined();
    });
  }

  it(proves('G12')('as text is cut to the limit in bytes, with a note of what is missing'), async () => {
    const { call } = await rig({ policy: allowAll(), does: { act: 'x'.repeat(10_000_000) } });
    const result = await call('act');
    expect(result.type).toBe('ok');
    expect(result.text).toBe(`${'x'.repeat(1024 * 1024)}… [cut: ${10_000_000 - 1024 * 1024} more characters]`);
  });

  it(
    proves('G12', 'P18')('is cut within the grant and the limit, for any text; what is kept is a beginning of it'),
    async () => {
      const text = fc.string({ unit: 'binary', maxLength: 300 });
      await fc.assert(
        fc.asyncProperty(
          text,
          fc.integer({ min: 1, max: 200 }),
          fc.integer({ min: 1, max: 200 }),
          async (given, grant, limit) => {
            const { call } = await rig({
              policy: allow('act', { grant: { outputBytes: grant } }),
              limits: { resultBytes: limit },
              does: { act: given },
            });
            const result = await call('act');
            const whole = given.toWellFormed();
            expect(result).toMatchObject({ type: 'ok', text: result.type === 'denied' ? '' : result.value });
            if (Buffer.byteLength(whole) <= Math.min(grant, limit)) {
              expect(result.text).toBe(whole);
              return;
            }
            const note = /… \[cut: (\d+) more characters\]$/.exec(result.text);
            const kept = result.text.slice(0, note?.index);
            expect(Number(note?.[1]) + kept.length).toBe(whole.length);
            expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(Math.min(grant, limit) + 2);
            expect(whole.startsWith(kept.replace(/\ufffd$/, ''))).toBe(true);
          },
        ),
        { numRuns: runs(300) },
      );
    },
  );

  it(proves('G12', 'P18')('as data is refused if it is larger than the grant or the limit'), async () => {
    const { call } = await rig({
      policy: [allow('act', { grant: { outputBytes: 20 } }), allow('look')],
      limits: { resultBytes: 40 },
      does: { act: { text: 'x'.repeat(20) }, look: { text: 'x'.repeat(40) } },
    });
    expect(await call('act')).toMatchObject({ type: 'error', text: expect.stringContaining('larger than 20 bytes') });
    expect(await call('look')).toMatchObject({ type: 'error', text: expect.stringContaining('larger than 40 bytes') });
  });

  it(proves('G01', 'G07')('is a copy: what the tool keeps and changes later changes nothing'), async () => {
    const kept = { list: [1] };
    const { call, journal } = await rig({ policy: allowAll(), does: { act: () => kept } });
    const result = await call('act');
    kept.list.push(2);
    expect(result).toMatchObject({ value: { list: [1] } });
    expect(Object.isFrozen(result.type === 'ok' ? result.value : {})).toBe(true);
    expect(only(entriesOf({ journal }, 'settled')).result).toEqual({ list: [1] });
  });
});

describe('a host', () => {
  const hosts: readonly (readonly [string, unknown, RegExp])[] = [
    ['whose promise cannot be waited for', { run: untouchable }, /result/],
    ['whose then throws', { run: () => thenable(trap) }, /trap/],
    [
      'whose promise has an odd then',
      { run: () => Object.assign(Promise.reject(new TypeError('real')), thenable(trap)) },
      /real/,
    ],
    [
      'whose promise gives a rejected one',
      { run: () => thenable((yes) => yes(Promise.reject(new TypeError('inner')))) },
      /inner/,
    ],
  ];
  const noHosts: readonly (readonly [string, unknown])[] = [
    ['undefined', undefined],
    ['null', null],
    ['a text', 'host'],
    ['without run', {}],
    ['with a run that is none', { run: 5 }],
    [
      'with a run that throws to be read',
      {
        get run() {
          throw new TypeError('trap');
        },
      },
    ],
  ];
  for (const [name, host] of noHosts) {
    it(proves('G11')(`${name}: is not a host, and the call is not even decided`), async () => {
      const rigged = await rig({ policy: allowAll() });
      const calling = rigged.turn.guard({ tool: 'act' }, host as ToolHost);
      await expect(calling).rejects.toThrow('needs a host with a run method');
      expect(story(rigged)).toEqual([]);
    });
  }
  for (const [name, host, text] of hosts) {
    it(proves('G08')(`${name}: the call is an error, and nothing is thrown`), async () => {
      const rigged = await rig({ policy: allowAll() });
      const result = await rigged.turn.guard({ tool: 'act' }, host as ToolHost);
      expect(result).toMatchObject({ type: 'error', isError: true });
      expect(result.text).toMatch(text);
      expect(story(rigged)).toEqual(['decided allowed', 'settled error']);
    });
  }

  it(proves('G08')('that gives a thenable is waited for, also through another one'), async () => {
    const inner = thenable((yes) => yes('inner'));
    for (const given of [inner, thenable((yes) => yes(inner))]) {
      const { turn } = await rig({ policy: allowAll() });
      expect(await turn.guard({ tool: 'act' }, { run: () => given })).toMatchObject({ type: 'ok', value: 'inner' });
    }
  });

  it(proves('G15')('that answers twice is heard once'), async () => {
    const rigged = await rig({ policy: allowAll() });
    const twice = thenable((yes, no) => (yes('one'), yes('two'), no(new TypeError('three'))));
    expect(await rigged.turn.guard({ tool: 'act' }, { run: () => twice })).toMatchObject({ type: 'ok', value: 'one' });
    expect(story(rigged)).toEqual(['decided allowed', 'settled ok']);
  });

  it(proves('G15')('that gives a thenable that never ends is timed out'), async () => {
    const { turn, clock } = await rig({ policy: allowAll(), grant: { timeoutMs: 100 } });
    for (const given of [thenable(() => undefined), thenable((yes) => yes(never()))]) {
      const pending = turn.guard({ tool: 'act' }, { run: () => given });
      await clock.advance(300);
      expect((await pending).type).toBe('timeout');
    }
  });

  it(proves('G01')('runs as a method, with exactly the call and the context'), async () => {
    class Host implements ToolHost {
      readonly #secret = 'own';
      run(...given: [ToolCall, RunContext]): string {
        return `${this.#secret} ${given.length}`;
      }
    }
    const { turn } = await rig({ policy: allowAll() });
    expect((await turn.guard({ tool: 'act' }, new Host())).text).toBe('own 2');
  });
});
