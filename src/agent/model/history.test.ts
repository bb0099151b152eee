/** Providers accept the conversation, whatever models, tools, hooks and people do. */

import { BridleError, deny, postLlmCall, preLlmCall, reject, replace, retry, transform, type Hook } from 'bridle';
import type { ScriptedStep } from 'bridle/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { act, agentParts, agentRig, calling, look } from '../../../test/rigs/agent-rig.ts';
import { proves } from '../../../test/contract/cite.ts';
import { conversationProblems, promptProblems } from '../../../test/rigs/conversation.ts';
import { sample } from '../../../test/property-runs.ts';

/** Ids and arguments that a careless model may write. */
const toolCall = fc.record(
  {
    tool: fc.constantFrom('look', 'act', 'fail', 'stop', 'denied', 'no_such_tool', 'bad name!', 'LOOK', ''),
    args: fc.constantFrom<unknown>({}, { x: 1 }, '{"x":', '[1]', 'null', '"text"', '', '7'),
    id: fc.constantFrom(undefined, 'a', 'a', 'b', 'a-2', 'a-3', 'call-1', 'call-2', ''),
  },
  { requiredKeys: ['tool', 'args', 'id'] },
);

const step: fc.Arbitrary<ScriptedStep> = fc.oneof(
  fc.constantFrom<ScriptedStep>('fine', '', ' \n', { thinking: 'hm' }, { text: 'so', thinking: 'hm' }),
  fc.constantFrom<ScriptedStep>({ error: new TypeError('down') }, { text: 'half', cut: new TypeError('cut') }),
  fc.record({ toolCalls: fc.array(toolCall, { minLength: 1, maxLength: 4 }), text: fc.constantFrom('', 'calling') }),
  fc.record({ toolCalls: fc.array(toolCall, { minLength: 1, maxLength: 12 }) }),
);

const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, cacheCreationTokens: 0 };

/** The ways in which hooks change an answer, in turn. */
const verdict = fc.constantFrom('pass', 'pass', 'pass', 'reject', 'retry', 'shorten', 'empty', 'twice', 'own');

function reviewer(verdicts: readonly string[]): Hook {
  let callCount = 0;
  return postLlmCall(
    ({ response }) => {
      const call = { id: 'a', tool: 'look', args: {} };
      switch (verdicts[callCount++ % verdicts.length]) {
        case 'reject':
          return reject('no');
        case 'retry':
          return retry('say it again');
        case 'shorten':
          return transform({ ...response, toolCalls: response.toolCalls.slice(1) });
        case 'empty':
          return replace({ ...response, text: '', toolCalls: [] });
        case 'twice':
          return transform({ ...response, toolCalls: [...response.toolCalls, ...response.toolCalls] });
        case 'own':
          return replace({ ...response, usage, text: 'own words', toolCalls: [call, { ...call, id: 'b' }] });
        default:
          return undefined;
      }
    },
    { name: 'reviewer' },
  );
}

const scenario = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 8 }),
  verdicts: fc.array(verdict, { minLength: 1, maxLength: 5 }),
  hooked: fc.boolean(),
  rejectAt: fc.integer({ min: 1, max: 12 }),
  cancelAt: fc.integer({ min: 1, max: 60 }),
  atTokens: fc.constantFrom<number | false>(false, 5, 40),
  keepTurns: fc.integer({ min: 1, max: 3 }),
  toolCalls: fc.constantFrom(undefined, 2, 5),
});

type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

function play({ steps, hooked, verdicts, rejectAt, cancelAt, atTokens, keepTurns, toolCalls }: Scenario) {
  let requests = 0;
  let events = 0;
  const gate = preLlmCall(() => (++requests === rejectAt ? reject('not now') : undefined), { name: 'gate' });
  const rig = agentParts(steps, {
    script: { repeat: true },
    maxSteps: 6,
    hooks: hooked ? [gate, reviewer(verdicts)] : [],
    compaction: { atTokens, keepTurns },
    budget: { perTurn: { toolCalls } },
    tools: [
      look(async () => 'seen'),
      act(),
      act(() => {
        throw new TypeError('broken');
      }, 'fail'),
      look(() => {
        rig.agent.cancel();
        return new Promise(() => {});
      }, 'stop'),
      act(() => 'denied', 'denied'),
    ],
    policy: [deny('denied', { reason: 'not this one' })],
  });
  const watch = (): void => {
    if (++events === cancelAt) rig.agent.cancel();
  };
  return { ...rig, watch };
}

describe('after anything that may happen', () => {
  it(
    proves('A04', 'A07', 'A09', 'A20')('every call has one result after it, and models get messages they accept'),
    async () => {
      await fc.assert(
        fc.asyncProperty(scenario, async (given) => {
          const { agent, model, watch } = play(given);
          await agent.start();
          for (let turn = 0; turn < 4; turn++) {
            const stream = agent.stream(`prompt ${turn}`);
            const read = (async () => {
              for await (const _ of stream) watch();
            })();
            const [result] = await Promise.allSettled([stream.result, read]);
            if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(BridleError);
            expect(conversationProblems(agent.history)).toEqual([]);
          }
          for (const { prompt } of model.calls) expect(promptProblems(prompt)).toEqual([]);
          await agent.stop();
        }),
        { numRuns: sample(40) },
      );
    },
  );
});

describe('the history', () => {
  it(proves('A04')('cannot be changed by hooks or readers'), async () => {
    const meddler: Hook = {
      name: 'meddler',
      preLlmCall({ messages }) {
        for (const { content } of messages) {
          if (typeof content === 'string') continue;
          for (const part of content) {
            const { input, output } = part as { input?: { x: number }; output?: { value: string } };
            expect(Reflect.set(part, 'text', 'changed')).toBe(false);
            if (input !== undefined) expect(Reflect.set(input, 'x', 2)).toBe(false);
            if (output !== undefined) expect(Reflect.set(output, 'value', 'changed')).toBe(false);
          }
        }
      },
      postLlmCall({ response }) {
        for (const { args } of response.toolCalls) expect(Reflect.set(args as object, 'x', 2)).toBe(false);
      },
    };
    const executed: unknown[] = [];
    const { agent, events } = await agentRig([calling(['look', { x: 1 }]), 'fine', 'fine'], {
      hooks: [meddler],
      tools: [look((args) => (executed.push(args), 'seen'))],
    });
    await agent.chat('go');
    await agent.chat('again');
    expect(events.filter(({ type }) => type === 'hook_failed')).toEqual([]);
    expect(executed).toEqual([{ x: 1 }]);
    expect(agent.history.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
      'assistant',
    ]);
    await agent.stop();
  });
});
