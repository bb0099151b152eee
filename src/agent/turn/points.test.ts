/** One scripted run of an agent that reaches every hook point. */

import {
  answerQuestions,
  summaryHint,
  pointNames,
  recover,
  retry,
  useSummary,
  type Hook,
  type PointName,
} from 'bridle';
import type { Memory } from 'bridle/agent';
import { describe, expect, it } from 'vitest';
import { act, agentRig, calling, look } from '../../../test/rigs/agent-rig.ts';
import { proves } from '../../../test/contract/cite.ts';

/** A hook with a method for every point that records the point and gives a prepared answer. */
function everywhere(answers: Partial<Record<PointName, (count: number) => unknown>>) {
  const counts = Object.fromEntries(pointNames.map((point) => [point, 0])) as Record<PointName, number>;
  const order: PointName[] = [];
  const methods = pointNames.map((point) => {
    const method = (): unknown => {
      counts[point]++;
      if (point !== 'onEvent') order.push(point);
      return answers[point]?.(counts[point]);
    };
    return [point, method] as const;
  });
  return { hook: { name: 'everywhere', ...Object.fromEntries(methods) } as unknown as Hook, counts, order };
}

const busy = Object.assign(new TypeError('busy'), { isRetryable: true, statusCode: 529 });
const question = calling(['ask_question', { questions: [{ question: 'Which?' }] }]);
const steps = [
  { error: busy },
  'send me back',
  { toolCalls: [...calling('fail', 'look').toolCalls, ...question.toolCalls] },
  'the first turn is done',
  'the second turn is done',
  { error: busy },
];

describe('one scripted run', () => {
  it(proves('H01')('fires all 15 points, each exactly the expected number of times and in order'), async () => {
    const { hook, counts, order } = everywhere({
      onLlmError: (count) => (count === 1 ? retry() : undefined),
      postLlmCall: (count) => (count === 1 ? retry('better') : undefined),
      onToolError: () => recover('recovered'),
      onInteraction: () => answerQuestions([{ text: 'this one' }]),
      preCompaction: (count) => (count === 1 ? summaryHint({ keep: 'names' }) : useSummary('short')),
    });
    const memory: Memory = { preTurnContext: () => 'remember' };
    const { agent, model, events } = await agentRig([...steps.slice(0, 5), 'a summary', steps[5] ?? ''], {
      hooks: [hook],
      memory,
      capabilities: { enabledTools: ['ask_question', 'fail', 'look'] },
      compaction: { keepTurns: 1 },
      tools: [
        look(),
        act(() => {
          throw new TypeError('broken');
        }, 'fail'),
      ],
    });
    await agent.chat('one');
    await agent.chat('two');
    expect(await agent.compact()).toBeGreaterThan(0);
    await expect(agent.chat('three')).rejects.toMatchObject({ code: 'LLM_FAILED' });
    await agent.stop();
    await agent.stop();
    model.assertDone();
    const { onEvent, ...others } = counts;
    expect(onEvent).toBe(events.length);
    expect(others).toEqual({
      onSessionStart: 1,
      onSessionEnd: 1,
      preTurn: 3,
      postTurn: 2,
      onTurnError: 1,
      // Two answers to the first step, one to the second, the second turn, the summary, the third turn.
      preLlmCall: 6,
      postLlmCall: 5,
      onLlmError: 2,
      preToolCall: 3,
      postToolCall: 3,
      onToolError: 1,
      onInteraction: 1,
      preCompaction: 1,
      postCompaction: 1,
    });
    expect([order[0], order.at(-1)]).toEqual(['onSessionStart', 'onSessionEnd']);
    expect(order.slice(1, 7)).toEqual([
      'preTurn',
      'preLlmCall',
      'onLlmError',
      'postLlmCall',
      'preLlmCall',
      'postLlmCall',
    ]);
    expect(order.slice(-5)).toEqual(['preTurn', 'preLlmCall', 'onLlmError', 'onTurnError', 'onSessionEnd']);
    expect(Object.values(counts).every((count) => count > 0)).toBe(true);
    expect(pointNames).toHaveLength(15);
  });

  it(proves('H01')('and a run in which little happens fires few'), async () => {
    const { hook, counts } = everywhere({});
    const { agent } = await agentRig(['fine'], { hooks: [hook] });
    await agent.chat('go');
    await agent.stop();
    const { onEvent: _, ...others } = counts;
    const fired = Object.entries(others).filter(([, count]) => count > 0);
    expect(Object.fromEntries(fired)).toEqual({
      onSessionStart: 1,
      onSessionEnd: 1,
      preTurn: 1,
      postTurn: 1,
      preLlmCall: 1,
      postLlmCall: 1,
    });
  });
});
