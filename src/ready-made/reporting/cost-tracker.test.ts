import { createGuard, onEvent, postLlmCall, postTurn, reject, retry, type BridleEvent } from 'bridle';
import type { LlmResponse } from 'bridle/agent';
import { costTracker, sessionCost, turnCost } from 'bridle/ready-made';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { samplePayloads, sampleResponse } from '../../../test/rigs/sample-payloads.ts';

const prices = {
  'acme/large': { input: 3, output: 15, cachedInput: 0.3, cacheWrite: 4 },
  small: { input: 1, output: 2 },
};

function response(model: string, [inputTokens, outputTokens, cached = 0, written = 0]: readonly number[]): LlmResponse {
  const usage = { inputTokens, outputTokens, cachedInputTokens: cached, cacheCreationTokens: written };
  return { ...sampleResponse, model, usage: usage as LlmResponse['usage'] };
}

describe('costTracker', () => {
  it(proves('E10')('adds up the cost of model calls for postTurn'), async () => {
    const read: number[] = [];
    const report = postTurn((_payload, ctx) => void read.push(ctx.turn.get(turnCost), ctx.get(sessionCost)), {
      name: 'report',
    });
    const guard = createGuard({ tools: [], policy: [], hooks: [costTracker({ prices }), report] });
    const session = await guard.start();
    for (const tokens of [
      [1000, 100],
      [2000, 200],
    ]) {
      const turn = session.turn();
      await turn.dispatch('postLlmCall', { response: response('acme/large', tokens) });
      await turn.dispatch('postLlmCall', { response: response('acme/small', [1_000_000, 0]) });
      await turn.dispatch('postTurn', samplePayloads.postTurn);
    }
    expect(read.map((cost) => Number(cost.toFixed(6)))).toEqual([1.0045, 1.0045, 1.009, 2.0135]);
    const other = await guard.start();
    expect(other.scope.get(sessionCost)).toBe(0);
  });

  it(proves('E10')('counts cached input at its own price'), async () => {
    const session = await createGuard({ tools: [], policy: [], hooks: [costTracker({ prices })] }).start();
    await session.turn().dispatch('postLlmCall', { response: response('acme/large', [1000, 0, 600, 300]) });
    expect(session.scope.get(sessionCost)).toBeCloseTo((100 * 3 + 600 * 0.3 + 300 * 4) / 1_000_000, 12);
  });

  it(proves('E10')('counts answers that other hooks reject or retry'), async () => {
    for (const action of [retry('again'), reject('no')]) {
      const other = postLlmCall(() => action, { name: 'other', priority: 900 });
      const session = await createGuard({ tools: [], policy: [], hooks: [costTracker({ prices }), other] }).start();
      await session.turn().dispatch('postLlmCall', { response: response('small', [1_000_000, 0]) });
      expect(session.scope.get(sessionCost)).toBe(1);
    }
  });

  it(proves('E10', 'S04')('counts all calls that end together'), async () => {
    const session = await createGuard({ tools: [], policy: [], hooks: [costTracker({ prices })] }).start();
    const turn = session.turn();
    const payload = { response: response('small', [1_000_000, 0]) };
    await Promise.all(Array.from({ length: 500 }, async () => turn.dispatch('postLlmCall', payload)));
    expect(session.scope.get(sessionCost)).toBe(500);
    expect(turn.scope.get(turnCost)).toBe(500);
  });

  it(proves('E10')('reports a model without a price, unless there is a default price'), async () => {
    const events: BridleEvent[] = [];
    const watch = onEvent((event) => void events.push(event), { name: 'watch' });
    const session = await createGuard({ tools: [], policy: [], hooks: [costTracker({ prices }), watch] }).start();
    await session.turn().dispatch('postLlmCall', { response: response('constructor', [1, 1]) });
    expect(events.filter(({ type }) => type === 'custom')).toMatchObject([{ name: 'cost_unknown' }]);
    const all = costTracker({ prices: { '*': { input: 2, output: 0 } } });
    const other = await createGuard({ tools: [], policy: [], hooks: [all] }).start();
    await other.turn().dispatch('postLlmCall', { response: response('any/thing', [1_000_000, 1]) });
    expect(other.scope.get(sessionCost)).toBe(2);
  });

  it.each([
    [{}],
    [{ prices: {} }],
    [{ prices: { a: {} } }],
    [{ prices: { a: { input: -1, output: 0 } } }],
    [{ prices: [] }],
  ])(proves('E10')('refuses invalid options: %j'), (options) => {
    expect(() => costTracker(options as never)).toThrow('costTracker');
  });
});
