/** The model fails in every way, at every call and every try: the turn ends in a defined state, and the next one works. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import { fakeClock, type ScriptedStep } from 'bridle/testing';
import { describe, expect, it } from 'vitest';
import { calling } from '../rigs/agent-rig.ts';
import { proves } from '../contract/cite.ts';
import { eventsOf } from '../rigs/guard-rig.ts';
import { expectUnharmed, problemsAfter } from './after-failure.ts';
import { codeOf, inTime } from './in-time.ts';
import { patientModel, pluggedAgent, type PluggedAgent } from './plugged-agent.ts';

const down = (): Error => Object.assign(new TypeError('the line is down'), { isRetryable: true });
const inTheMiddle = { text: 'I was about to', ...calling('look', ['act', { long: 'x'.repeat(50) }]) };

const failures: Readonly<Record<string, ScriptedStep>> = {
  'throws at once': { error: down() },
  'throws something odd': { error: undefined },
  'throws a text': { error: 'no' },
  'breaks off in a text': { text: 'I was about to', cut: down() },
  'breaks off in a tool call': { ...inTheMiddle, cut: down() },
  'streams an error in a tool call': { ...inTheMiddle, cut: down(), cutBy: 'part' },
  'goes silent': { hang: true },
  'goes silent in a tool call': { ...inTheMiddle, hang: true },
};

/** Steps of a turn with two rounds of tools. */
const goodSteps: readonly ScriptedStep[] = [calling('look', 'look', 'act'), calling('act'), 'done'];

interface Ended {
  readonly rig: PluggedAgent;
  readonly outcome: string;
}

async function play(steps: readonly ScriptedStep[], retries: number): Promise<Ended> {
  const clock = fakeClock();
  const rig = pluggedAgent({ steps, retries, clock, hooks: [], modelTimeoutMs: 1000, compaction: { atTokens: false } });
  await rig.agent.start();
  return { rig, outcome: await codeOf(inTime(clock, rig.agent.chat('go'))) };
}

describe.each(Object.entries(failures))('a model that %s', (_how, failure) => {
  it(proves('A22', 'A03')('at any call of a turn fails that turn alone; what was done is kept'), async () => {
    for (let at = 0; at < goodSteps.length; at++) {
      // The hooks of this agent try three times.
      const { rig, outcome } = await play([...goodSteps.slice(0, at), failure, failure, failure], 0);
      expect(outcome, `at call ${at}`).toBe('LLM_FAILED');
      expect(rig.ran).toHaveLength([0, 3, 4][at] ?? 0);
      expect(rig.agent.history).toHaveLength([0, 3, 5][at] ?? 0);
      expect(eventsOf(rig, 'turn_ended')).toMatchObject([{ stopReason: 'error' }]);
      await expectUnharmed(rig);
      await rig.agent.stop();
    }
  });

  it(proves('A03')('at any try is tried again, and nothing of the try that failed is kept or run'), async () => {
    for (const tries of [1, 2]) {
      const failing = Array.from({ length: tries }, () => failure);
      const { rig, outcome } = await play([...failing, ...goodSteps.slice(0, 1), ...failing, ...goodSteps.slice(1)], 0);
      expect(outcome).toBe('end');
      expect(rig.ran).toHaveLength(4);
      expect(JSON.stringify(rig.agent.history)).not.toContain('I was about to');
      expect(eventsOf(rig, 'llm_failed').map(({ next }) => next)).toEqual(
        Array.from({ length: 2 * tries }, () => 'retry'),
      );
      await expectUnharmed(rig);
      await rig.agent.stop();
    }
  });
});

describe('a stream that is not one', () => {
  const streams: Readonly<Record<string, () => unknown>> = {
    'is missing': () => ({}),
    'is no stream': () => ({ stream: 7 }),
    'ends before it says anything': () => ({ stream: new ReadableStream({ start: (to) => to.close() }) }),
    'never finishes': () => ({
      stream: new ReadableStream({
        start: (to) => {
          to.enqueue({ type: 'text-delta', id: '1', delta: 'half' });
          to.close();
        },
      }),
    }),
    'holds nonsense': () => ({
      stream: new ReadableStream({
        start: (to) => {
          for (const part of [null, 7, {}, { type: 'tool-call' }, { type: 'what' }]) to.enqueue(part);
          to.close();
        },
      }),
    }),
    'is locked': () => {
      const stream = new ReadableStream();
      stream.getReader();
      return { stream };
    },
  };

  it.each(Object.entries(streams))(proves('A22')('%s fails the turn, and the next one works'), async (_how, open) => {
    const good = patientModel([]);
    let broken = true;
    const model: LanguageModelV4 = {
      ...good,
      doStream: async (options) =>
        broken ? (open() as Awaited<ReturnType<typeof good.doStream>>) : good.doStream(options),
    };
    const rig = pluggedAgent({ model, retries: 0 });
    await rig.agent.start();
    await expect(rig.agent.chat('go')).rejects.toMatchObject({ code: 'LLM_FAILED' });
    expect(rig.agent.history).toEqual([]);
    broken = false;
    await expectUnharmed(rig);
    await rig.agent.stop();
    expect(problemsAfter(rig)).toEqual([]);
  });
});
