/** The life of an agent, driven from outside: which points fire, how often, in which order, with what. */

import {
  allow,
  answerQuestions,
  createGuard,
  deny,
  type Hook,
  type HookContext,
  type PointName,
  pointNames,
} from 'bridle';
import type { HostPoint } from '../../guard/turn.ts';
import { tryHooks } from 'bridle/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { runs } from '../../../../test/property-runs.ts';
import { samplePayloads } from '../../../../test/rigs/sample-payloads.ts';

const tools = [{ name: 'read', tier: 'observe' as const }, { name: 'write' }, { name: 'rm' }];
const policy = [allow('read'), allow('write'), deny('rm')];
const reversed: readonly PointName[] = ['onSessionEnd', 'postTurn', 'postLlmCall', 'postToolCall', 'postCompaction'];

type Method = (payload: unknown, ctx: HookContext) => unknown;

/** A hook at every point. */
function everywhere(name: string, method: (point: PointName) => Method): Hook {
  return { name, ...Object.fromEntries(pointNames.map((point) => [point, method(point)])) };
}

/** One run that reaches everything: two turns, of four calls one denied and one failing, a question, a compaction. */
async function scriptedRun(hooks: readonly Hook[]): Promise<void> {
  const session = await createGuard({ tools, policy, hooks }).start();
  const turn = session.turn();
  const dispatch = (point: HostPoint): unknown => turn.dispatch(point, samplePayloads[point]);
  await turn.enter('Tidy up');
  await dispatch('preLlmCall');
  await dispatch('onLlmError');
  await dispatch('preLlmCall');
  await dispatch('postLlmCall');
  await turn.guard({ tool: 'read' }, { run: () => 'text' });
  await turn.guard({ tool: 'rm' }, { run: () => 'gone' });
  await turn.guard({ tool: 'write' }, { run: () => Promise.reject(new RangeError('disk full')) });
  await turn.ask([{ question: 'Go on?' }]);
  await dispatch('preCompaction');
  await dispatch('postCompaction');
  await dispatch('postTurn');
  const second = session.turn();
  await second.enter('And now?', 'trigger');
  await second.dispatch('onTurnError', samplePayloads.onTurnError);
  await second.guard({ tool: 'write' }, { run: () => 'done' });
  await session.end('all done');
}

const expectedCounts: Record<PointName, number> = {
  onSessionStart: 1,
  onSessionEnd: 1,
  preTurn: 2,
  postTurn: 1,
  onTurnError: 1,
  preLlmCall: 2,
  postLlmCall: 1,
  onLlmError: 1,
  preToolCall: 3,
  postToolCall: 3,
  onToolError: 1,
  onInteraction: 1,
  preCompaction: 1,
  postCompaction: 1,
  // session, 2 turns begin and end, 4 calls requested, 1 denied, 3 started and settled, 1 question and its end, session.
  onEvent: 1 + 2 + 2 + 4 + 1 + 3 + 3 + 2 + 1,
};

describe('one scripted run', () => {
  it.each(['sync', 'async'])(
    proves('H01', 'H02', 'H13')('fires all 15 points, each as often as it should, with %s hooks'),
    async (kind) => {
      const counts = Object.fromEntries(pointNames.map((point) => [point, 0]));
      const count = (point: PointName): Method => {
        const sync = (): undefined => void (counts[point] = (counts[point] ?? 0) + 1);
        return kind === 'sync' ? sync : async () => sync();
      };
      await scriptedRun([everywhere('all', count)]);
      expect(counts).toEqual(expectedCounts);
      expect(pointNames).toHaveLength(15);
    },
  );

  it(proves('H01')('gives each point its payload and its place'), async () => {
    const seen = new Map<PointName, { payload: unknown; turn: number; step: number }[]>();
    const keep =
      (point: PointName): Method =>
      (payload, { turnNumber, stepNumber }) => {
        seen.set(point, [...(seen.get(point) ?? []), { payload, turn: turnNumber, step: stepNumber }]);
        return point === 'onInteraction' ? answerQuestions([{ text: 'yes' }]) : undefined;
      };
    await scriptedRun([everywhere('all', keep)]);
    expect(seen.get('onSessionStart')).toMatchObject([{ payload: { resumed: false, host: 'own' }, turn: 0 }]);
    expect(seen.get('onSessionEnd')).toEqual([{ payload: { reason: 'all done' }, turn: 0, step: 0 }]);
    expect(seen.get('preTurn')).toMatchObject([
      { payload: { prompt: { text: 'Tidy up', media: [] }, origin: 'user' }, turn: 1 },
      { payload: { prompt: { text: 'And now?', media: [] }, origin: 'trigger' }, turn: 2 },
    ]);
    expect(seen.get('preToolCall')).toMatchObject([
      { payload: { call: { tool: 'read', tier: 'observe' } }, turn: 1 },
      { payload: { call: { tool: 'write', tier: 'confirm' } }, turn: 1 },
      { payload: { call: { tool: 'write' } }, turn: 2 },
    ]);
    expect(seen.get('postToolCall')).toMatchObject([
      { payload: { outcome: { type: 'ok', error: undefined }, result: 'text' } },
      { payload: { outcome: { type: 'error', error: { message: 'disk full' } } } },
      { payload: { outcome: { type: 'ok' }, result: 'done' } },
    ]);
    expect(seen.get('onToolError')).toMatchObject([{ payload: { error: { message: 'disk full', tool: 'write' } } }]);
    expect(seen.get('onInteraction')).toEqual([{ payload: { questions: [{ question: 'Go on?' }] }, turn: 1, step: 0 }]);
    for (const point of ['postTurn', 'onTurnError', 'preLlmCall', 'postLlmCall', 'onLlmError'] as const) {
      expect(seen.get(point)?.[0]?.payload).toEqual(samplePayloads[point]);
    }
  });
});

describe('a hook', () => {
  it.each(pointNames)(proves('H02')('may implement %s alone'), async (point) => {
    let calls = 0;
    await scriptedRun([{ name: 'one', [point]: () => void calls++ }]);
    expect(calls).toBe(expectedCounts[point]);
  });

  it(proves('H02')('may implement nothing at all'), async () => {
    await expect(scriptedRun([{ name: 'idle' }, { name: 'undecided', preTurn: undefined }])).resolves.toBeUndefined();
  });

  it(proves('H02', 'H13')('keeps its own `this`, as an object or as a class'), async () => {
    class Counter {
      readonly name: string = 'counter';
      #calls = 0;
      preTurn(): void {
        this.#calls++;
      }
      async postTurn(): Promise<void> {
        this.#calls += 10;
      }
      get calls(): number {
        return this.#calls;
      }
    }
    const counter = new Counter();
    await scriptedRun([counter]);
    expect(counter.calls).toBe(12);
  });
});

const named = (priorities: readonly (number | undefined)[], log: string[]): Hook[] =>
  priorities.map((priority, index) => ({
    ...everywhere(`${priority ?? 'none'}#${index}`, () => () => void log.push(`${priority ?? 'none'}#${index}`)),
    priority,
  }));

describe('order', () => {
  it.each(pointNames.filter((point) => point !== 'onEvent'))(
    proves('H03')('is by priority, then registration, reversed at reversed points: %s'),
    async (point) => {
      const log: string[] = [];
      const hooks = named([100, 10, undefined, 50, 10, -5, 100], log);
      await tryHooks(hooks, point, { payload: samplePayloads[point] });
      const order = ['-5#5', '10#1', '10#4', '50#3', '100#0', 'none#2', '100#6'];
      expect(log).toEqual(reversed.includes(point) ? order.toReversed() : order);
    },
  );

  it(proves('H03', 'H15')('applies to observers too'), async () => {
    const log: string[] = [];
    const observer = (name: string, priority: number): Hook => ({
      name,
      priority,
      onEvent: ({ type }) => void (type === 'turn_started' && log.push(name)),
    });
    const hooks = [observer('late', 200), observer('early', 1), observer('later', 200)];
    const session = await createGuard({ tools, policy, hooks }).start();
    session.turn();
    await session.end();
    expect(log).toEqual(['early', 'late', 'later']);
  });

  it(proves('H03')('is the stable sort of any priorities'), async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.integer({ min: -2, max: 2 }), fc.double({ noNaN: true, noDefaultInfinity: true }))),
        fc.constantFrom('preTurn' as const, 'postTurn' as const),
        async (priorities, point) => {
          const log: number[] = [];
          const hooks = priorities.map((priority, index): Hook => ({
            name: `h${index}`,
            priority,
            [point]: () => void log.push(index),
          }));
          await tryHooks(hooks, point, { payload: samplePayloads[point] });
          const indexes = priorities.map((_, index) => index);
          // Insertion sort, so that nothing of the engine's own sort is believed.
          const sorted: number[] = [];
          for (const index of indexes) {
            const at = sorted.findIndex((other) => (priorities[other] ?? 0) > (priorities[index] ?? 0));
            sorted.splice(at === -1 ? sorted.length : at, 0, index);
          }
          expect(log).toEqual(point === 'postTurn' ? sorted.toReversed() : sorted);
        },
      ),
      { numRuns: runs(500) },
    );
  });
});
