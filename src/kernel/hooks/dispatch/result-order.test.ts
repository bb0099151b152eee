/** The order of hooks after the work: backwards, or forward if wished. */

import { createGuard, createHooks, type GuardOptions, type Hook, type PointName, pointNames } from 'bridle';
import { createAgent } from 'bridle/agent';
import { scriptedModel } from 'bridle/testing';
import { describe, expect, it } from 'vitest';
import { agentRig, act, calling } from '../../../../test/rigs/agent-rig.ts';
import { proves } from '../../../../test/contract/cite.ts';
import { rig } from '../../../../test/rigs/guard-rig.ts';

const reversed: readonly PointName[] = ['onSessionEnd', 'postTurn', 'postLlmCall', 'postToolCall', 'postCompaction'];

/** Four hooks at every point that write down where they were called; two of one priority. */
function noting(): { readonly hooks: readonly Hook[]; readonly called: Map<string, number[]> } {
  const called = new Map<string, number[]>();
  const hooks = [50, 100, 10, 100.5].map((priority): Hook => ({
    name: `p${priority}`,
    priority: Math.floor(priority),
    ...Object.fromEntries(
      pointNames
        .filter((point) => point !== 'onEvent')
        .map((point) => [point, () => void called.set(point, [...(called.get(point) ?? []), priority])]),
    ),
  }));
  return { hooks, called };
}

const forward = [10, 50, 100, 100.5];
const orderAt = (point: string, order: GuardOptions['resultOrder']): readonly number[] =>
  order !== 'forward' && reversed.includes(point as PointName) ? forward.toReversed() : forward;

describe.each([undefined, 'reverse', 'forward'] as const)('resultOrder %s', (resultOrder) => {
  it(proves('H03')('orders the hooks of a guard'), async () => {
    const { hooks, called } = noting();
    const { call, session } = await rig({ hooks, resultOrder });
    await call('act');
    await session.end();
    expect([...called.keys()]).toEqual(['onSessionStart', 'preToolCall', 'postToolCall', 'onSessionEnd']);
    for (const [point, order] of called) expect([point, order]).toEqual([point, orderAt(point, resultOrder)]);
  });

  it(proves('H03')('orders the hooks of an agent'), async () => {
    const { hooks, called } = noting();
    const { agent } = await agentRig([{ text: 'hi' }], { hooks, resultOrder });
    await agent.chat('go');
    await agent.stop();
    expect([...called.keys()]).toEqual([
      'onSessionStart',
      'preTurn',
      'preLlmCall',
      'postLlmCall',
      'postTurn',
      'onSessionEnd',
    ]);
    for (const [point, order] of called) expect([point, order]).toEqual([point, orderAt(point, resultOrder)]);
  });

  it(proves('H03', 'H17')('orders hooks that observe as well, after the others'), async () => {
    const log: string[] = [];
    const hook = (name: string, priority: number, observes: boolean): Hook => ({
      name,
      priority,
      observes,
      postToolCall: () => void log.push(name),
    });
    const hooks = [hook('seer 1', 1, true), hook('one', 1, false), hook('two', 2, false), hook('seer 2', 2, true)];
    const { agent } = await agentRig([calling('act'), 'done'], { hooks, resultOrder, tools: [act()] });
    await agent.chat('go');
    await agent.stop();
    const names = ['one', 'two', 'seer 1', 'seer 2'];
    expect(log).toEqual(resultOrder === 'forward' ? names : ['two', 'one', 'seer 2', 'seer 1']);
  });
});

describe('another order', () => {
  it.each(['reversed', 'backward', true, null, ''])(proves('H03')('is refused: %j'), (resultOrder) => {
    const order = { resultOrder: resultOrder as never };
    expect(() => createGuard({ tools: [], policy: [], ...order })).toThrow(/"resultOrder" is .*"reverse" or "forward"/);
    expect(() => createAgent({ model: scriptedModel([]), ...order })).toThrow(
      /"resultOrder" is .*"reverse" or "forward"/,
    );
    if (resultOrder !== null) expect(() => createHooks([], order)).toThrow(/resultOrder/);
  });
});
