/** `onEvent`: order, slow and failing observers, events that answer events, and the cost of nobody watching. */

import {
  allowAll,
  ask,
  type BridleEvent,
  createGuard,
  type GuardOptions,
  type Hook,
  type HookContext,
  reject,
} from 'bridle';
import { fakeClock, memoryJournal } from 'bridle/testing';
import { describe, expect, it } from 'vitest';
import { blockingClock, hang, isPending, sleep } from '../../../../test/rigs/blocking-clock.ts';
import { proves } from '../../../../test/contract/cite.ts';
import { samplePayloads } from '../../../../test/rigs/sample-payloads.ts';

const tools = [{ name: 'write' }];
const host = { run: () => 'done' };

function start(hooks: readonly Hook[], options: Partial<GuardOptions> = {}) {
  return createGuard({ tools, policy: allowAll(), hooks, ...options }).start();
}

/** The name of a custom event, else its type. */
const nameOf = (event: BridleEvent): string => (event.type === 'custom' ? event.name : event.type);

/** Sends some events of its own. */
function sender(names: readonly string[]): Hook {
  return {
    name: 'sender',
    postTurn: (_payload, ctx) => {
      for (const name of names) ctx.emit(name);
    },
  };
}

const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `e${index}`);

describe('an observer', () => {
  it(proves('H15')('sees every event in order, numbered without a gap'), async () => {
    const seen: BridleEvent[] = [];
    const session = await start([{ name: 'watcher', onEvent: (event) => void seen.push(event) }, sender(['a', 'b'])], {
      clock: fakeClock(),
    });
    const turn = session.turn();
    turn.nextStep();
    await turn.guard({ id: 'c1', tool: 'write', args: { x: 1 } }, host);
    await turn.dispatch('postTurn', samplePayloads.postTurn);
    await session.end('enough');
    expect(seen.map(nameOf)).toEqual([
      'session_started',
      'turn_started',
      'tool_requested',
      'tool_started',
      'tool_settled',
      'a',
      'b',
      'turn_ended',
      'session_ended',
    ]);
    expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, index) => index));
    const head = { session: session.id, at: Date.UTC(2026, 0, 1), agent: ['main'] };
    expect(seen).toMatchObject(seen.map(() => head));
    expect(seen[2]).toMatchObject({ turn: 1, step: 1, callId: 'c1', tool: 'write', args: { x: 1 } });
    expect(seen[0]).toMatchObject({ turn: 0, step: 0, resumed: false });
    expect(seen.at(-1)).toMatchObject({ reason: 'enough' });
  });

  it(proves('H15')('cannot change anything: events are frozen, answers are failures'), async () => {
    const journal = memoryJournal();
    const tries: string[] = [];
    const attempt = (what: string, change: () => void): void => {
      try {
        change();
        tries.push(`changed ${what}`);
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
      }
    };
    const vandal: Hook = {
      name: 'vandal',
      onEvent: (event, ctx) => {
        for (const [field, value] of Object.entries(event)) {
          attempt(field, () => Object.assign(event, { [field]: 'mine' }));
          if (typeof value === 'object' && value !== null) attempt(field, () => Object.assign(value, { mine: true }));
        }
        attempt('ctx', () => Object.assign(ctx, { get: () => 'mine' }));
        return reject('no') as unknown as undefined;
      },
    };
    const seen: BridleEvent[] = [];
    const hooks = [vandal, { name: 'second', onEvent: (event: BridleEvent) => void seen.push(event) }];
    const session = await start(hooks, { journal, policy: ask('write'), approver: () => true });
    const result = await session.turn().guard({ tool: 'write', args: { deep: { list: [1] } } }, host);
    await session.end();
    expect(result.type).toBe('ok');
    expect(tries).toEqual([]);
    expect(JSON.stringify(seen)).not.toContain('mine');
    const noted = journal.entries().filter(({ kind }) => kind === 'noted');
    expect(noted).toMatchObject([{ status: 'observer_failed', detail: { hook: 'vandal', kind: 'malformed' } }]);
  });

  it.each([
    [
      'throws',
      () => {
        throw new RangeError('broke');
      },
      'threw',
    ],
    ['rejects', () => Promise.reject(new RangeError('broke')), 'threw'],
    ['answers', () => 7, 'malformed'],
    ['answers null', () => null, 'malformed'],
    [
      'gives an odd thenable',
      () => ({
        // oxlint-disable-next-line unicorn/no-thenable
        then: () => {
          throw new RangeError('broke');
        },
      }),
      'threw',
    ],
    ['hangs', hang, 'timeout'],
  ] as [string, () => unknown, string][])(
    proves('H15', 'H07', 'H09')('that %s is recorded once, emits no event, and disturbs nothing'),
    async (_what, onEvent, kind) => {
      const clock = fakeClock();
      const journal = memoryJournal();
      const seen: string[] = [];
      const faulty = { name: 'faulty', timeoutMs: 100, failOpen: false, onEvent } as unknown as Hook;
      const fine: Hook = { name: 'fine', onEvent: (event) => void seen.push(nameOf(event)) };
      const session = await start([faulty, fine], { journal, clock });
      const turn = session.turn();
      expect(await turn.guard({ tool: 'write' }, host)).toMatchObject({ type: 'ok' });
      const ended = session.end();
      await clock.advance(1000);
      await ended;
      const noted = journal.entries().filter((entry) => entry.kind === 'noted');
      expect(noted).toMatchObject([{ status: 'observer_failed', detail: { hook: 'faulty', point: 'onEvent', kind } }]);
      expect(seen).toEqual([
        'session_started',
        'turn_started',
        'tool_requested',
        'tool_started',
        'tool_settled',
        'turn_ended',
        'session_ended',
      ]);
    },
  );

  it.each([
    [100, false],
    [100, true],
    [99, false],
  ])(
    proves('H08', 'H15')('that blocks for %i of 100 ms (and then waits: %s) is recorded if late'),
    async (ms, waits) => {
      const clock = blockingClock();
      const journal = memoryJournal();
      const heavy: Hook = {
        name: 'heavy',
        timeoutMs: 100,
        onEvent: () => {
          clock.block(ms);
          return waits ? Promise.resolve() : undefined;
        },
      };
      const session = await start([heavy], { journal, clock });
      expect(await session.turn().guard({ tool: 'write' }, host)).toMatchObject({ type: 'ok' });
      await session.end();
      const noted = journal.entries().filter(({ kind }) => kind === 'noted');
      const detail = { hook: 'heavy', point: 'onEvent', kind: 'timeout', message: 'took 100 ms, limit 100 ms' };
      expect(noted).toMatchObject(ms >= 100 ? [{ status: 'observer_failed', detail }] : []);
    },
  );

  it(proves('H15')('that is slow gets the events one by one, in order, and delays nothing'), async () => {
    const clock = fakeClock();
    const log: string[] = [];
    const slow: Hook = {
      name: 'slow',
      timeoutMs: 500,
      onEvent: async (event) => {
        log.push(`<${nameOf(event)}`);
        await sleep(clock, 20);
        log.push(`${nameOf(event)}>`);
      },
    };
    const session = await start([slow, sender(['a', 'b'])], { clock });
    const turn = session.turn();
    expect(turn.dispatch('postTurn', samplePayloads.postTurn)).toMatchObject({ type: 'passed' });
    expect(log).toEqual(['<session_started']);
    const ended = session.end();
    await clock.advance(1000);
    await ended;
    const names = ['session_started', 'turn_started', 'a', 'b', 'turn_ended', 'session_ended'];
    expect(log).toEqual(names.flatMap((name) => [`<${name}`, `${name}>`]));
  });

  it(proves('H15', 'G12')('that is too slow has the rest dropped, counted and reported'), async () => {
    const clock = fakeClock();
    const seen: string[] = [];
    let dropped = 0;
    const slow: Hook = {
      name: 'slow',
      onEvent: async (event) => {
        if (event.type === 'events_dropped') dropped += event.count;
        seen.push(nameOf(event));
        await sleep(clock, 10);
      },
    };
    const names = numbered(30);
    const fast: string[] = [];
    const watcher: Hook = { name: 'fast', onEvent: (event) => void fast.push(nameOf(event)) };
    const session = await start([slow, watcher, sender(names)], { clock, limits: { eventQueue: 5 } });
    const turn = session.turn();
    await turn.dispatch('postTurn', samplePayloads.postTurn);
    const ended = session.end();
    await clock.advance(2000);
    await ended;
    expect(fast).toEqual(['session_started', 'turn_started', ...names, 'turn_ended', 'session_ended']);
    // One in its hands, five in the queue; of the 34 the rest is counted.
    expect(seen).toEqual(['session_started', 'turn_started', 'e0', 'e1', 'e2', 'e3', 'events_dropped']);
    expect(dropped).toBe(fast.length - 6);
  });

  it(proves('H15', 'H16')('that is far behind delays the end by its limit at most'), async () => {
    const clock = fakeClock();
    const journal = memoryJournal();
    let calls = 0;
    const slow: Hook = {
      name: 'slow',
      timeoutMs: 1000,
      onEvent: async () => {
        calls++;
        await sleep(clock, 900);
      },
    };
    const session = await start([slow, sender(numbered(500))], { clock, journal });
    await session.turn().dispatch('postTurn', samplePayloads.postTurn);
    const ended = session.end();
    await clock.advance(2100);
    expect(await isPending(ended)).toBe(false);
    expect(calls).toBeLessThan(5);
    const noted = journal.entries().map((entry) => entry.kind === 'noted' && entry.detail);
    expect(noted).toMatchObject([
      { hook: 'slow', kind: 'timeout', message: expect.stringMatching(/\d+ events were dropped/) as unknown },
    ]);
  });

  it(proves('H15', 'H08')('that hangs delays the end by its limit at most'), async () => {
    const clock = fakeClock();
    const session = await start([{ name: 'stuck', timeoutMs: 1000, onEvent: hang }, sender(numbered(500))], { clock });
    await session.turn().dispatch('postTurn', samplePayloads.postTurn);
    const ended = session.end();
    await clock.advance(2200);
    expect(await isPending(ended)).toBe(false);
  });

  it(proves('H15', 'H08')('that hangs on what happens while a question is asked is left behind, too'), async () => {
    const clock = fakeClock();
    const hooks: Hook[] = [
      {
        name: 'broken',
        onInteraction: () => {
          throw new RangeError('broke');
        },
      },
      { name: 'stuck', timeoutMs: 100, onEvent: ({ type }) => (type === 'hook_failed' ? hang() : undefined) },
    ];
    const session = await start(hooks, { clock });
    expect(await session.turn().ask([{ question: 'Anybody?' }])).toEqual({ type: 'unanswered' });
    const ended = session.end();
    await clock.advance(1000);
    expect(await isPending(ended)).toBe(false);
  });
});

/** An observer that answers every event with `times` others. */
const echo = (name: string, asynchronous: boolean, times = 1): Hook => {
  const answer = (_event: BridleEvent, ctx: HookContext): void => {
    for (let i = 0; i < times; i++) ctx.emit(`${name} heard it`);
  };
  return { name, onEvent: asynchronous ? async (event, ctx) => answer(event, ctx) : answer };
};

describe('events that answer events', () => {
  it.each([
    ['one', [echo('a', false)]],
    ['an asynchronous one', [echo('a', true)]],
    ['two that answer each other', [echo('a', true), echo('b', false)]],
    ['one that answers with three', [echo('a', false, 3)]],
    ['an asynchronous one that answers with three', [echo('a', true, 3)]],
  ])(proves('H15')('come to an end: %s'), async (_what, hooks) => {
    let events = 0;
    let dropped = 0;
    const counting: Hook = {
      name: 'counting',
      onEvent: (event) => {
        events++;
        if (event.type === 'events_dropped') dropped += event.count;
      },
    };
    const session = await start([...hooks, counting], { limits: { eventQueue: 50 } });
    session.turn();
    await new Promise((resolve) => setImmediate(resolve));
    await session.end();
    expect(events).toBeGreaterThan(4);
    expect(events).toBeLessThan(5000);
    expect(dropped).toBeGreaterThan(0);
  });

  it(proves('H15')('are counted exactly if too many arrive together'), async () => {
    const seen: string[] = [];
    let dropped = 0;
    const flood: Hook = {
      name: 'flood',
      onEvent: (event, ctx) => {
        seen.push(nameOf(event));
        if (event.type === 'events_dropped') dropped += event.count;
        if (event.type === 'turn_started') for (const name of numbered(100)) ctx.emit(name);
      },
    };
    const session = await start([flood], { limits: { eventQueue: 10 } });
    session.turn();
    await session.end();
    const told = numbered(100).filter((name) => seen.includes(name));
    expect(seen).toEqual(['session_started', 'turn_started', ...told, 'events_dropped', 'turn_ended', 'session_ended']);
    expect(told.length).toBe(10);
    expect(dropped).toBe(90);
  });

  it(proves('H15')('come to an end also if they are failures of hooks that were asked'), async () => {
    let events = 0;
    const hooks: Hook[] = [
      {
        name: 'asker',
        onEvent: async (_event, ctx) => {
          events++;
          await ctx.ask([{ question: 'Did you see that?' }]);
        },
        onInteraction: () => {
          throw new RangeError('broke');
        },
      },
    ];
    const session = await start(hooks);
    session.turn();
    await session.end();
    expect(events).toBeGreaterThan(4);
    expect(events).toBeLessThan(100);
  });

  it.each([false, true])(
    proves('H15')('wait their turn, so that all see one order, asynchronous %s'),
    async (asynchronous) => {
      const seen: Record<string, string[]> = { first: [], last: [] };
      const answering = (event: BridleEvent, ctx: HookContext): void => {
        seen['first']?.push(nameOf(event));
        if (event.type === 'turn_started') {
          ctx.emit('answer');
          // Not told of it before this one has returned.
          seen['first']?.push('returned');
        }
      };
      const hooks: Hook[] = [
        { name: 'first', onEvent: asynchronous ? async (event, ctx) => answering(event, ctx) : answering },
        { name: 'last', onEvent: (event) => void seen['last']?.push(nameOf(event)) },
      ];
      const session = await start(hooks);
      session.turn();
      await session.end();
      const order = ['session_started', 'turn_started', 'answer', 'turn_ended', 'session_ended'];
      expect(seen['first']?.filter((name) => name !== 'answer')).toEqual(
        order.flatMap((name) => (name === 'answer' ? ['returned'] : [name])),
      );
      expect(seen['first']?.indexOf('answer')).toBeGreaterThan(seen['first']?.indexOf('returned') ?? 0);
      expect(seen['last']?.toSorted()).toEqual(order.toSorted());
    },
  );
});

describe('an event', () => {
  it(proves('H15')('is not even created without observers'), async () => {
    let built = 0;
    const data = Object.defineProperty({}, 'x', { enumerable: true, get: () => ++built });
    const emitter: Hook = { name: 'emitter', postTurn: (_payload, ctx) => ctx.emit('mine', data) };
    const silent = await start([emitter]);
    await silent.turn().dispatch('postTurn', samplePayloads.postTurn);
    await silent.end();
    expect(built).toBe(0);
    const watched = await start([emitter, { name: 'watcher', onEvent: () => {} }]);
    await watched.turn().dispatch('postTurn', samplePayloads.postTurn);
    await watched.end();
    expect(built).toBe(1);
  });

  it(proves('H15', 'S08')('of a hook carries a frozen copy of its data'), async () => {
    const mine = { list: [1] };
    const seen: BridleEvent[] = [];
    const hooks: Hook[] = [
      { name: 'emitter', postTurn: (_payload, ctx) => ctx.emit('mine', mine) },
      { name: 'watcher', onEvent: (event) => void (event.type === 'custom' && seen.push(event)) },
    ];
    const session = await start(hooks);
    await session.turn().dispatch('postTurn', samplePayloads.postTurn);
    mine.list.push(2);
    await session.end();
    expect(seen).toMatchObject([{ name: 'mine', data: { list: [1] } }]);
    expect(Object.isFrozen((seen[0] as unknown as { data: { list: unknown } }).data.list)).toBe(true);
  });

  it(proves('G12', 'H15')('of a hook is bounded: data that does not fit is left out with a note'), async () => {
    const seen: unknown[] = [];
    const hooks: Hook[] = [
      {
        name: 'emitter',
        postTurn: (_payload, ctx) => {
          ctx.emit('large', 'x'.repeat(65_536));
          ctx.emit('odd', { at: new Map() });
          ctx.emit('n'.repeat(1000));
          ctx.emit('nothing');
        },
      },
      { name: 'watcher', onEvent: (event) => void (event.type === 'custom' && seen.push([event.name, event.data])) },
    ];
    const session = await start(hooks);
    await session.turn().dispatch('postTurn', samplePayloads.postTurn);
    await session.end();
    expect(seen).toEqual([
      ['large', '[omitted: it is larger than 65536 bytes of JSON]'],
      ['odd', '[omitted: it contains a Map, which is not JSON at .at]'],
      ['n'.repeat(256), null],
      ['nothing', null],
    ]);
  });

  it.each([undefined, '', 7])(proves('S08')('of a hook needs a name, not %j'), async (name) => {
    let error: unknown;
    const emitter: Hook = {
      name: 'emitter',
      postTurn: (_payload, ctx) => {
        try {
          ctx.emit(name as string);
        } catch (thrown) {
          error = thrown;
        }
      },
    };
    const session = await start([emitter]);
    await session.turn().dispatch('postTurn', samplePayloads.postTurn);
    expect(error).toMatchObject({ code: 'OPTION_INVALID' });
  });
});
