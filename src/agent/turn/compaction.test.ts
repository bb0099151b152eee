/** Compaction replaces older messages with a summary and never separates tool calls from their results. */

import { summaryHint, reject, retry, useSummary, type PointPayloads, type Hook } from 'bridle';
import type { AgentOptions } from 'bridle/agent';
import { scriptedModel, type ScriptedStep } from 'bridle/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { act, agentRig, calling, counting, look, settled } from '../../../test/rigs/agent-rig.ts';
import { proves } from '../../../test/contract/cite.ts';
import { conversationProblems, promptProblems } from '../../../test/rigs/conversation.ts';
import { eventsOf, later, only } from '../../../test/rigs/guard-rig.ts';
import { runs } from '../../../test/property-runs.ts';

const long = 'word '.repeat(100);
/** About 125 tokens each; the threshold is passed with the fourth message. */
const threshold = { atTokens: 400, keepTurns: 1 };

/** Records both points of a compaction. */
function watcher(answer?: Hook['preCompaction']) {
  const before: PointPayloads['preCompaction'][] = [];
  const after: PointPayloads['postCompaction'][] = [];
  const agents: (readonly string[])[] = [];
  const hook: Hook = {
    name: 'watcher',
    preCompaction(payload, ctx) {
      before.push(payload);
      agents.push(ctx.agent);
      return answer?.(payload, ctx);
    },
    postCompaction: (payload, ctx) => {
      after.push(payload);
      agents.push(ctx.agent);
    },
  };
  return { hook, before, after, agents };
}

interface Talk {
  readonly steps?: readonly ScriptedStep[];
  readonly hooks?: readonly Hook[];
  readonly compaction?: AgentOptions['compaction'];
}

/** An agent after so many turns with long messages. */
async function talked(turns: number, { steps = [], hooks = [], compaction }: Talk) {
  const made = await agentRig([...Array<string>(turns).fill(long), ...steps], {
    hooks,
    compaction,
    tools: [act(), look()],
  });
  for (let turn = 0; turn < turns; turn++) await made.agent.chat(`${turn} ${long}`);
  return made;
}

function text({ content }: { readonly content: unknown }): string {
  return (content as readonly { readonly text?: string }[]).map((part) => part.text ?? '').join('');
}

describe('compaction at the threshold', () => {
  it(
    proves('A09')('summarises older messages with the model, runs each point once, and reports the agent path'),
    async () => {
      const { hook, before, after, agents } = watcher();
      const { agent, model, events } = await talked(2, {
        steps: ['they spoke of words', 'fine'],
        hooks: [hook],
        compaction: threshold,
      });
      expect(await agent.chat('now')).toMatchObject({ text: 'fine', steps: 1 });
      expect(only(before)).toMatchObject({ budget: { tokens: 400, used: expect.any(Number) } });
      expect(before[0]?.messages).toHaveLength(4);
      expect(only(after)).toMatchObject({ removed: 4, summary: 'they spoke of words' });
      expect(after[0]?.tokensAfter).toBeLessThan(after[0]?.tokensBefore ?? 0);
      expect(agents).toEqual([['main'], ['main']]);
      expect(only(eventsOf({ events }, 'compacted'))).toMatchObject({ removed: 4 });
      expect(agent.history.map(({ role }) => role)).toEqual(['user', 'user', 'assistant']);
      expect(text(agent.history[0] as never)).toContain('they spoke of words');
      expect(text(agent.history[1] as never)).toBe('now');
      expect(eventsOf({ events }, 'llm_started').map(({ purpose }) => purpose)).toEqual([
        'turn',
        'turn',
        'compaction',
        'turn',
      ]);
      for (const { prompt } of model.calls) expect(promptProblems(prompt)).toEqual([]);
      expect(JSON.stringify(eventsOf({ events }, 'text_delta'))).not.toContain('they spoke');
      model.assertDone();
      await agent.stop();
    },
  );

  it(proves('A09')('does not happen below the threshold, or if it is turned off'), async () => {
    const { hook, before } = watcher();
    const below = await talked(3, { steps: [], hooks: [hook], compaction: { atTokens: 1_000_000 } });
    const off = await talked(4, { steps: [], hooks: [{ ...hook, name: 'other' }], compaction: { atTokens: false } });
    expect(before).toEqual([]);
    await Promise.all([below.agent.stop(), off.agent.stop()]);
  });

  it(
    proves('A09', 'A04')('is a model call like any other: preLlmCall and postLlmCall run once for it, usage counts'),
    async () => {
      const { hook, counts } = counting('seen', { preLlmCall: () => undefined, postLlmCall: () => undefined });
      const usage = { inputTokens: 7, outputTokens: 3 };
      const { agent } = await talked(2, {
        steps: [
          { text: 'short', usage },
          { text: 'fine', usage },
        ],
        hooks: [hook],
        compaction: threshold,
      });
      expect(await agent.chat('now')).toMatchObject({ usage: { inputTokens: 14, outputTokens: 6 } });
      expect(counts).toEqual({ preLlmCall: 4, postLlmCall: 4 });
      await agent.stop();
    },
  );

  it(proves('A09')('uses the summary of a hook without calling the model'), async () => {
    const { hook, after } = watcher(() => useSummary('in my words'));
    const { agent, model } = await talked(2, { steps: ['fine'], hooks: [hook], compaction: threshold });
    await agent.chat('now');
    expect(only(after).summary).toBe('in my words');
    expect(text(agent.history[0] as never)).toContain('in my words');
    model.assertDone();
    await agent.stop();
  });

  it(proves('A09')('passes the hints of all hooks to the model'), async () => {
    const { hook } = watcher(() => summaryHint({ keep: 'names' }));
    const more: Hook = { name: 'more', preCompaction: () => summaryHint({ drop: 'jokes' }) };
    const { agent, model } = await talked(2, { steps: ['short', 'fine'], hooks: [hook, more], compaction: threshold });
    await agent.chat('now');
    const summaryPrompt = text(model.calls[2]?.prompt.at(-1) as never);
    expect(summaryPrompt).toContain('names');
    expect(summaryPrompt).toContain('jokes');
    await agent.stop();
  });

  it(proves('A09')('is skipped if a hook rejects it, and the turn continues with the full history'), async () => {
    const { hook, before, after } = watcher(() => reject('keep it all'));
    const { agent, events } = await talked(2, {
      steps: [calling('look'), 'fine'],
      hooks: [hook],
      compaction: threshold,
    });
    expect(await agent.chat('now')).toMatchObject({ text: 'fine' });
    expect(agent.history).toHaveLength(8);
    expect(only(before)).toBeDefined();
    expect(after).toEqual([]);
    expect(only(eventsOf({ events }, 'compaction_skipped'))).toMatchObject({ reason: 'keep it all' });
    await agent.stop();
  });

  it(proves('A09')('that fails or gives an empty summary is skipped, and the turn continues'), async () => {
    for (const step of [{ error: new TypeError('down') }, '', '  \n'] as const) {
      const { hook, after } = watcher();
      const { agent, events } = await talked(2, {
        steps: [step, calling('look'), 'fine'],
        hooks: [hook],
        compaction: threshold,
      });
      expect(await agent.chat('now')).toMatchObject({ text: 'fine' });
      expect(after).toEqual([]);
      expect(only(eventsOf({ events }, 'compaction_skipped')).reason).not.toBe('');
      expect(agent.history).toHaveLength(8);
      await agent.stop();
    }
  });

  it(
    proves(
      'A09',
      'A04',
    )('a summary that postLlmCall sends back is written again with the feedback; a rejected one is skipped'),
    async () => {
      const picky: Hook = {
        name: 'picky',
        postLlmCall: ({ response }) =>
          response.text === 'with a secret'
            ? retry('leave the secret out')
            : response.text === 'bad'
              ? reject('no')
              : undefined,
      };
      const retried = await talked(2, {
        steps: ['with a secret', 'without', 'fine'],
        hooks: [picky],
        compaction: threshold,
      });
      expect(await retried.agent.chat('now')).toMatchObject({ text: 'fine' });
      expect(text(retried.agent.history[0] as never)).toContain('without');
      expect(text(retried.model.calls[3]?.prompt.at(-1) as never)).toBe('leave the secret out');
      expect(promptProblems(retried.model.calls[3]?.prompt ?? [])).toEqual([]);
      const rejected = await talked(2, { steps: ['bad', 'fine'], hooks: [picky], compaction: threshold });
      expect(await rejected.agent.chat('now')).toMatchObject({ text: 'fine', stopReason: 'end' });
      expect(eventsOf(rejected, 'compaction_skipped')).toHaveLength(1);
      await Promise.all([retried.agent.stop(), rejected.agent.stop()]);
    },
  );

  it(proves('A09', 'A04')('is skipped if preLlmCall rejects its call, without ending the turn'), async () => {
    const gate: Hook = {
      name: 'gate',
      preLlmCall: ({ tools }) => (tools.length === 0 ? reject('no summaries') : undefined),
    };
    const { agent, events } = await talked(2, { steps: ['fine'], hooks: [gate], compaction: threshold });
    expect(await agent.chat('now')).toMatchObject({ text: 'fine' });
    expect(only(eventsOf({ events }, 'compaction_skipped'))).toMatchObject({ reason: 'no summaries' });
    await agent.stop();
  });

  it(proves('A09')('within one long turn keeps the newest steps and the prompt verbatim'), async () => {
    const steps = Array.from({ length: 6 }, () => calling(['look', { text: long }]));
    const { agent, model } = await agentRig(steps, {
      script: { repeat: true },
      maxSteps: 12,
      tools: [look(() => long)],
      hooks: [watcher(() => useSummary('looked a lot')).hook],
      compaction: { atTokens: 1000, keepTurns: 2 },
    });
    await agent.chat('find the needle');
    for (const { prompt } of model.calls) {
      expect(promptProblems(prompt)).toEqual([]);
      expect(JSON.stringify(prompt)).toContain('find the needle');
    }
    expect(agent.history.length).toBeLessThan(24);
    await agent.stop();
  });

  it(proves('A09', 'A07')('loses nothing if it is cancelled'), async () => {
    const { agent } = await talked(2, {
      steps: [{ text: 'half', hang: true }, 'fine'],
      hooks: [],
      compaction: threshold,
    });
    const before = agent.history;
    const turn = agent.chat('now');
    await settled();
    agent.cancel();
    expect(await turn).toMatchObject({ stopReason: 'cancelled' });
    expect(agent.history).toEqual(before);
    await agent.stop();
  });
});

function broken(): never {
  throw new TypeError('no');
}

describe('a hook that must not fail', () => {
  it(proves('A09')('but fails at a compaction point ends the turn with an error that names it'), async () => {
    for (const point of ['preCompaction', 'postCompaction'] as const) {
      const strict: Hook = { name: 'strict', failOpen: false, [point]: broken };
      const { agent } = await talked(2, { steps: ['short', 'fine'], hooks: [strict], compaction: threshold });
      await expect(agent.chat('now')).rejects.toMatchObject({
        code: 'HOOK_FATAL',
        message: expect.stringContaining('strict'),
      });
      expect(conversationProblems(agent.history)).toEqual([]);
      await agent.stop();
    }
  });
});

describe('compaction on demand', () => {
  it(proves('A09')('returns the number of removed messages, and does nothing if there are no older ones'), async () => {
    const { hook, before, after } = watcher();
    const { agent, events } = await talked(3, { steps: ['short'], hooks: [hook], compaction: { keepTurns: 2 } });
    expect(await agent.compact()).toBe(2);
    expect([before.length, after.length]).toEqual([1, 1]);
    expect(agent.history).toHaveLength(5);
    const fresh = await agentRig([], { hooks: [{ ...hook, name: 'fresh' }] });
    expect(await fresh.agent.compact()).toBe(0);
    expect([before.length, after.length]).toEqual([1, 1]);
    expect(eventsOf({ events }, 'compacted')).toHaveLength(1);
    await Promise.all([agent.stop(), fresh.agent.stop()]);
  });

  it(proves('A09', 'A07')('waits for the current turn, and can be cancelled and stopped'), async () => {
    const gate = later<string>();
    const { agent } = await talked(3, {
      steps: [() => gate.promise, { text: 'x', hang: true }, { text: 'y', hang: true }],
      hooks: [],
      compaction: {
        keepTurns: 1,
      },
    });
    const turn = agent.chat('slow');
    const compacting = agent.compact();
    compacting.catch(() => undefined);
    gate.resolve('done');
    expect(await turn).toMatchObject({ text: 'done' });
    await settled();
    const { length } = agent.history;
    agent.cancel();
    await expect(compacting).rejects.toMatchObject({ code: 'TURN_STOPPED' });
    expect(agent.history).toHaveLength(length);
    const stopped = agent.compact();
    stopped.catch(() => undefined);
    await settled();
    await agent.stop();
    await expect(stopped).rejects.toMatchObject({ code: 'TURN_STOPPED' });
  });
});

const step: fc.Arbitrary<ScriptedStep> = fc.oneof(
  fc.string({ maxLength: 200 }),
  fc.array(fc.constantFrom('look', 'act', 'nothing'), { minLength: 1, maxLength: 4 }).map((names) => calling(...names)),
);

describe('in any conversation', () => {
  it(proves('A09')('compaction never separates a tool call from its result'), async () => {
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 300 }),
      async (steps, keepTurns, atTokens) => {
        const own = scriptedModel(steps, { repeat: true });
        const wrong: string[] = [];
        const { agent } = await agentRig([], {
          model: own,
          maxSteps: 5,
          tools: [look(() => long), act()],
          compaction: { keepTurns, atTokens },
          hooks: [
            {
              name: 'short',
              preCompaction: ({ messages }) => (wrong.push(...conversationProblems(messages)), useSummary('short')),
            },
          ],
        });
        for (let turn = 0; turn < 5; turn++) {
          await agent.chat(`turn ${turn}`);
          expect(conversationProblems(agent.history)).toEqual([]);
          if (turn % 2 === 0) await agent.compact();
          expect(conversationProblems(agent.history)).toEqual([]);
        }
        for (const { prompt } of own.calls) wrong.push(...promptProblems(prompt));
        expect(wrong).toEqual([]);
        await agent.stop();
      },
    );
    await fc.assert(property, { numRuns: runs(80) });
  });
});
