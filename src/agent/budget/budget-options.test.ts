/**
 * Budgets: calls are counted exactly, even concurrent ones. Tokens can exceed a limit by one call at most, and that is
 * reported.
 */

import fc from 'fast-check';
import { onLlmError, postLlmCall, retry } from 'bridle';
import type { Usage } from 'bridle/agent';
import {
  createAgent,
  pricesDate,
  type AgentOptions,
  type Budget,
  type BudgetLimits,
  type AgentLoop,
} from 'bridle/agent';
import { fakeClock, scriptedModel, type ScriptedAnswer, type ScriptedStep } from 'bridle/testing';
import { describe, expect, it } from 'vitest';
import { act, agentRig, calling, look, settled } from '../../../test/rigs/agent-rig.ts';
import { proves } from '../../../test/contract/cite.ts';
import { conversationProblems } from '../../../test/rigs/conversation.ts';
import { runs } from '../../../test/property-runs.ts';
import { eventsOf, never, only } from '../../../test/rigs/guard-rig.ts';

const prices = { scripted: { input: 10, output: 100, cachedInput: 1, cacheWrite: 20 } };
const full: Usage = { inputTokens: 50, outputTokens: 20, cachedInputTokens: 10, cacheCreationTokens: 5 };
/** 35 fresh, 10 cached, 5 written, 20 out. */
const costOfFull = (35 * 10 + 10 * 1 + 5 * 20 + 20 * 100) / 1_000_000;

function steps(count: number, step: ScriptedStep = { ...calling('look'), usage: full }): readonly ScriptedStep[] {
  return Array.from({ length: count }, () => step);
}

const isFull = (a: number | undefined, b: number): boolean => a !== undefined && b >= a;

describe('a limit', () => {
  const two: readonly (readonly [keyof BudgetLimits, number, number])[] = [
    // What two model calls reach exactly, and what the third would go past.
    ['modelCalls', 2, 2],
    ['toolCalls', 2, 3],
    ['inputTokens', 100, 2],
    ['inputTokens', 51, 2],
    ['outputTokens', 40, 2],
    ['cachedInputTokens', 20, 2],
    ['cacheCreationTokens', 10, 2],
    ['cost', costOfFull * 2, 2],
    ['cost', costOfFull * 1.01, 2],
  ];

  it.each(two)(
    proves('A18')('on %s of %d ends the turn, and the stop reason names it'),
    async (kind, of, modelCalls) => {
      for (const span of ['perTurn', 'perSession'] as const) {
        const rig = await agentRig([...steps(9)], { tools: [look()], prices, budget: { [span]: { [kind]: of } } });
        const result = await rig.agent.chat('go');
        expect(result.stopReason).toBe(`budget:${span}.${kind}`);
        expect(result.text).toContain(`${span}.${kind}`);
        expect(rig.model.calls).toHaveLength(modelCalls);
        expect(eventsOf(rig, 'turn_ended')).toMatchObject([{ stopReason: `budget:${span}.${kind}` }]);
        expect(eventsOf(rig, 'budget_exceeded').at(-1)).toMatchObject({ limit: `${span}.${kind}`, of });
        expect(conversationProblems(rig.agent.history)).toEqual([]);
        await rig.agent.stop();
      }
    },
  );

  it(proves('A18')('per turn starts over with every turn, a limit per session does not'), async () => {
    const turn = await agentRig(steps(4, 'ok'), { budget: { perTurn: { modelCalls: 1 } } });
    for (let i = 0; i < 4; i++) expect(await turn.agent.chat('hi')).toMatchObject({ stopReason: 'end' });
    await turn.agent.stop();
    const session = await agentRig(steps(2, 'ok'), { budget: { perSession: { modelCalls: 2 } } });
    const reasons: string[] = [];
    for (let i = 0; i < 4; i++) reasons.push((await session.agent.chat('hi')).stopReason);
    expect(reasons).toEqual(['end', 'end', 'budget:perSession.modelCalls', 'budget:perSession.modelCalls']);
    expect(session.agent.history).toHaveLength(4);
    session.model.assertDone();
    await session.agent.stop();
  });

  it(proves('A18')('of 0 allows nothing'), async () => {
    for (const kind of ['modelCalls', 'inputTokens', 'outputTokens', 'cost', 'wallMs'] as const) {
      const rig = await agentRig([], { prices, budget: { perSession: { [kind]: 0 } } });
      expect(await rig.agent.chat('hi')).toMatchObject({ stopReason: `budget:perSession.${kind}` });
      expect(rig.agent.history).toEqual([]);
      rig.model.assertDone();
      await rig.agent.stop();
    }
  });

  it(proves('A18')('that is invalid is an error when the agent is created'), () => {
    const wrong: readonly unknown[] = [
      { perTurn: { modelCalls: -1 } },
      { perTurn: { modelCalls: Number.NaN } },
      { perTurn: { cost: Number.POSITIVE_INFINITY } },
      { perTurn: { tokens: 5 } },
      { perTurn: { toolCalls: '5' } },
      { perturn: {} },
      { rates: { modelCalls: { max: 0, perMs: 1 } } },
      { rates: { toolCalls: { max: 1, perMs: 0 } } },
      { rates: { toolCalls: { max: 1 } } },
      { rates: { inputTokens: { max: 1, perMs: 1 } } },
    ];
    for (const budget of wrong as readonly Budget[]) {
      const make = (): unknown => createAgent({ model: scriptedModel([]), default: 'deny', budget });
      expect(make, JSON.stringify(budget)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
    }
  });
});

describe('calls', () => {
  it(
    proves('A18')(
      'made concurrently are counted exactly; the model gets the results of those that ran and an error for the others',
    ),
    async () => {
      let running = 0;
      let most = 0;
      let runCount = 0;
      const slow = look(async () => {
        most = Math.max(most, ++running);
        runCount++;
        await settled();
        running--;
        return 'seen';
      });
      const rig = await agentRig([calling(...Array.from({ length: 20 }, () => 'look'))], {
        tools: [slow],
        budget: { perTurn: { toolCalls: 13 } },
      });
      expect(await rig.agent.chat('go')).toMatchObject({ stopReason: 'budget:perTurn.toolCalls' });
      expect({ ran: runCount, parallel: most > 1 }).toEqual({ ran: 13, parallel: true });
      expect(conversationProblems(rig.agent.history)).toEqual([]);
      const texts = JSON.stringify(rig.agent.history.at(-1));
      expect(texts.match(/did not run/g)).toHaveLength(7);
      expect(texts.match(/seen/g)).toHaveLength(13);
      await rig.agent.stop();
    },
  );

  it(proves('A18')('that are retried, rejected, denied or made for a summary also count'), async () => {
    let errors = 0;
    const again = onLlmError(() => (errors++ < 2 ? { type: 'retry' } : undefined), { name: 'again' });
    const fail: ScriptedStep = { error: new TypeError('down') };
    const retried = await agentRig([fail, fail, 'never'], {
      hooks: [again],
      budget: { perTurn: { modelCalls: 2 } },
    });
    expect(await retried.agent.chat('hi')).toMatchObject({ stopReason: 'budget:perTurn.modelCalls' });
    expect(retried.model.calls).toHaveLength(2);
    await retried.agent.stop();
    const strict = postLlmCall(() => retry('better'), { name: 'strict' });
    const sentBack = await agentRig(steps(3, { text: 'no', usage: full }), {
      hooks: [strict],
      budget: { perTurn: { modelCalls: 3 } },
    });
    expect(await sentBack.agent.chat('hi')).toMatchObject({ stopReason: 'budget:perTurn.modelCalls' });
    expect(sentBack.agent.usage.total.inputTokens).toBe(150);
    await sentBack.agent.stop();
    const denied = await agentRig([calling('act', 'act', 'act')], {
      tools: [act()],
      default: 'deny',
      budget: { perTurn: { toolCalls: 2 } },
    });
    expect(await denied.agent.chat('hi')).toMatchObject({ stopReason: 'budget:perTurn.toolCalls' });
    await denied.agent.stop();
  });

  it(proves('A18')('never exceed a limit, and stop exactly where a naive count does'), async () => {
    const limit = fc.option(fc.integer({ min: 0, max: 7 }), { nil: undefined });
    const limits = fc.record({ modelCalls: limit, toolCalls: limit });
    const turns = fc.array(fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 4 }), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(limits, limits, turns, async (perTurn, perSession, plan) => {
        const script: ScriptedAnswer[] = [];
        let runCount = 0;
        const model = scriptedModel(Array.from({ length: 40 }, () => () => script.shift() ?? 'done'));
        const { agent } = await agentRig([], {
          model,
          tools: [look(() => void runCount++)],
          budget: { perTurn, perSession },
        });
        const session = { model: 0, tool: 0 };
        for (const turn of plan) {
          const own = { model: 0, tool: 0 };
          script.length = 0;
          script.push(...turn.map((n) => (n === 0 ? 'done' : calling(...Array.from({ length: n }, () => 'look')))));
          const left = [...turn, 0];
          let expected = 'end';
          for (const n of left) {
            if (isFull(perTurn.modelCalls, own.model)) expected = 'budget:perTurn.modelCalls';
            else if (isFull(perSession.modelCalls, session.model)) expected = 'budget:perSession.modelCalls';
            if (expected !== 'end') break;
            own.model++;
            session.model++;
            for (let i = 0; i < n && expected === 'end'; i++) {
              if (isFull(perTurn.toolCalls, own.tool)) expected = 'budget:perTurn.toolCalls';
              else if (isFull(perSession.toolCalls, session.tool)) expected = 'budget:perSession.toolCalls';
              else {
                session.tool++;
                own.tool++;
              }
            }
            if (expected !== 'end' || n === 0) break;
          }
          expect((await agent.chat('go')).stopReason).toBe(expected);
          expect({ ran: runCount, calls: model.calls.length }).toEqual({ ran: session.tool, calls: session.model });
        }
        await agent.stop();
      }),
      { numRuns: runs(60) },
    );
  });

  it(proves('A18')('of a compaction on demand count as their own turn'), async () => {
    const rig = await agentRig(['one', 'two', 'three', 'a summary', 'never'], {
      compaction: { keepTurns: 1, atTokens: false },
      budget: { perTurn: { modelCalls: 1 } },
    });
    for (const prompt of ['a', 'b', 'c']) await rig.agent.chat(prompt);
    expect(await rig.agent.compact()).toBe(4);
    await rig.agent.stop();
  });
});

describe('rates', () => {
  it(
    proves('A18')('are exact in any period, across turns, and allow calls again when the period has passed'),
    async () => {
      const clock = fakeClock();
      let runCount = 0;
      const rig = await agentRig(Array.from({ length: 9 }, () => [calling('look', 'look'), 'ok']).flat(), {
        clock,
        tools: [look(() => void runCount++)],
        budget: { rates: { toolCalls: { max: 3, perMs: 1000 } } },
      });
      const go = async (): Promise<string> => (await rig.agent.chat('go')).stopReason;
      expect(await go()).toBe('end');
      await clock.advance(500);
      expect(await go()).toBe('budget:rates.toolCalls');
      expect(runCount).toBe(3);
      await clock.advance(499);
      expect(await rig.agent.chat('x')).toMatchObject({ stopReason: 'end', text: 'ok' });
      await clock.advance(1);
      // The first two have left the window; the third is still in it.
      expect(await go()).toBe('end');
      expect(runCount).toBe(5);
      await rig.agent.stop();
    },
  );

  it(proves('A18')('of model calls count every attempt of all agents in a session'), async () => {
    const clock = fakeClock();
    const child = scriptedModel(['a', 'b']);
    const start = calling(['start_subagent', { agent: 'child', prompt: 'x' }]);
    const rig = await agentRig([start, 'never'], {
      clock,
      capabilities: 'all',
      workspaces: [],
      subagents: { child: { model: child } },
      budget: { rates: { modelCalls: { max: 2, perMs: 60_000 } } },
    });
    expect(await rig.agent.chat('go')).toMatchObject({ stopReason: 'budget:rates.modelCalls' });
    expect(child.calls).toHaveLength(1);
    expect(rig.model.calls).toHaveLength(1);
    await rig.agent.stop();
  });
});

/** A loop that calls the model several times concurrently. */
function asking(times: number, words = 'x'): AgentLoop {
  return {
    name: 'many',
    run: async ({ generate }) => {
      const messages = [{ role: 'user' as const, content: words }];
      await Promise.allSettled(Array.from({ length: times }, () => generate({ messages })));
    },
  };
}

describe('tokens', () => {
  const kinds: readonly (readonly [keyof BudgetLimits, number, AgentOptions['settings']])[] = [
    ['inputTokens', 60, {}],
    ['outputTokens', 25, {}],
    ['cachedInputTokens', 15, {}],
    ['cacheCreationTokens', 6, {}],
    ['cost', costOfFull * 1.5, {}],
    ['cost', costOfFull * 1.5, { maxOutputTokens: 20 }],
  ];

  it.each(kinds)(
    proves('A18')('%s of concurrent calls exceed their limit by one call at most, and that is reported'),
    async (kind, of, settings) => {
      const words = 'a long question '.repeat(100);
      const rig = await agentRig(steps(6, { text: 'ok', usage: full }), {
        loop: asking(6, words),
        prices,
        settings,
        budget: { perTurn: { [kind]: of } },
      });
      const result = await rig.agent.chat('go');
      expect(result.stopReason).toBe(`budget:perTurn.${kind}`);
      expect(rig.model.calls).toHaveLength(1);
      await rig.agent.stop();
    },
  );

  it(proves('A18')('the call that exceeds a limit is the last one, and is reported with its usage'), async () => {
    const huge = { ...calling('look'), usage: { inputTokens: 9999, outputTokens: 1 } };
    const rig = await agentRig([huge, 'never'], { tools: [look()], budget: { perTurn: { inputTokens: 10 } } });
    expect(await rig.agent.chat('go')).toMatchObject({ stopReason: 'budget:perTurn.inputTokens' });
    expect(eventsOf(rig, 'budget_exceeded')[0]).toMatchObject({ limit: 'perTurn.inputTokens', used: 9999, of: 10 });
    expect(rig.model.calls).toHaveLength(1);
    await rig.agent.stop();
    const last = await agentRig([{ text: 'all at once', usage: { inputTokens: 11 } }], {
      budget: { perTurn: { inputTokens: 10 } },
    });
    expect(await last.agent.chat('go')).toMatchObject({ stopReason: 'end', text: 'all at once' });
    expect(only(eventsOf(last, 'budget_exceeded'))).toMatchObject({ used: 11, of: 10 });
    await last.agent.stop();
  });

  it(proves('A18')('that remain for the answer are sent to the model, never more than the setting'), async () => {
    const rig = await agentRig(steps(3, { ...calling('look'), usage: { outputTokens: 30 } }), {
      tools: [look()],
      settings: { maxOutputTokens: 60 },
      budget: { perTurn: { outputTokens: 80 } },
    });
    await rig.agent.chat('go');
    expect(rig.model.calls.map(({ settings }) => settings.maxOutputTokens)).toEqual([60, 50, 20]);
    await rig.agent.stop();
  });
});

describe('cost', () => {
  it(proves('A18')('is reported for the turn and the session, with the given prices'), async () => {
    const { agent } = await agentRig(steps(2, { text: 'ok', usage: full }), { prices });
    const { cost } = await agent.chat('hi');
    expect(cost).toBeCloseTo(costOfFull, 10);
    await agent.chat('hi');
    expect(agent.usage.cost).toBeCloseTo(2 * costOfFull, 10);
    expect(pricesDate).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    await agent.stop();
  });

  it(proves('A18')('that is unknown cannot be limited: the call does not happen'), async () => {
    for (const span of ['perTurn', 'perSession'] as const) {
      const rig = await agentRig([], { budget: { [span]: { cost: 1000 } } });
      expect(await rig.agent.chat('hi')).toMatchObject({ stopReason: 'budget:cost' });
      rig.model.assertDone();
      await rig.agent.stop();
    }
    const fallback = scriptedModel([], { provider: 'other', modelId: 'unpriced' });
    const known = scriptedModel([{ error: new TypeError('down') }]);
    const rig = await agentRig([], { model: [known, fallback], prices, budget: { perTurn: { cost: 1000 } } });
    expect(await rig.agent.chat('hi')).toMatchObject({ stopReason: 'budget:cost' });
    fallback.assertDone();
    await rig.agent.stop();
    const unlimited = await agentRig(['ok']);
    expect(await unlimited.agent.chat('hi')).toMatchObject({ text: 'ok', cost: undefined });
    expect(unlimited.agent.usage.cost).toBeUndefined();
    await unlimited.agent.stop();
  });

  it(proves('A18')('with an invalid price is an error when the agent is created'), () => {
    const wrong: readonly unknown[] = [
      { x: { input: 1 } },
      { x: { input: Number.NaN, output: 1 } },
      { x: { input: 1, output: -1 } },
      { x: { input: '1', output: 1 } },
      { x: 5 },
      { x: { input: 1, output: 1, long: { above: 5 } } },
      { x: { input: 1, output: 1, inputs: 1 } },
    ];
    for (const given of wrong as readonly NonNullable<AgentOptions['prices']>[]) {
      const make = (): unknown => createAgent({ model: scriptedModel([]), default: 'deny', prices: given });
      expect(make, JSON.stringify(given)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
    }
    const long = { input: 1, output: 1, long: { above: 5, input: 2, output: 2 } };
    expect(() => createAgent({ model: scriptedModel([]), default: 'deny', prices: { x: long } })).not.toThrow();
  });
});

describe('wall time', () => {
  it(proves('A18')('ends the turn, and the stop reason names the limit'), async () => {
    for (const span of ['perTurn', 'perSession'] as const) {
      for (const script of [[{ hang: true }], [calling('look')]] as const) {
        const clock = fakeClock();
        const rig = await agentRig(script, {
          clock,
          tools: [look(() => never())],
          budget: { [span]: { wallMs: 1000 } },
        });
        const turn = rig.agent.chat('go');
        await clock.advance(1300);
        expect(await turn).toMatchObject({ stopReason: `budget:${span}.wallMs` });
        expect(only(eventsOf(rig, 'budget_exceeded'))).toMatchObject({ limit: `${span}.wallMs`, of: 1000 });
        expect(eventsOf(rig, 'turn_ended')).toHaveLength(1);
        expect(conversationProblems(rig.agent.history)).toEqual([]);
        await rig.agent.stop();
      }
    }
  });

  it(proves('A18')('of a session adds up over turns, without the time between them'), async () => {
    const clock = fakeClock();
    const wait: ScriptedStep = async () => (await clock.advance(600), 'ok');
    const rig = await agentRig([wait, wait], { clock, budget: { perSession: { wallMs: 1100 } } });
    expect(await rig.agent.chat('one')).toMatchObject({ stopReason: 'end' });
    await clock.advance(50_000);
    expect(await rig.agent.chat('two')).toMatchObject({ stopReason: expect.stringMatching(/end|wallMs/) });
    expect(await rig.agent.chat('three')).toMatchObject({ stopReason: 'budget:perSession.wallMs' });
    expect(rig.model.calls).toHaveLength(2);
    await rig.agent.stop();
  });

  it(proves('A18')('ends a subagent with its parent'), async () => {
    const clock = fakeClock();
    const child = scriptedModel([{ hang: true }]);
    const rig = await agentRig([calling(['start_subagent', { agent: 'child', prompt: 'x' }])], {
      clock,
      capabilities: 'all',
      workspaces: [],
      subagents: { child: { model: child } },
      budget: { perTurn: { wallMs: 500 } },
    });
    const turn = rig.agent.chat('go');
    await clock.advance(1000);
    expect(await turn).toMatchObject({ stopReason: 'budget:perTurn.wallMs' });
    expect(eventsOf(rig, 'turn_ended').map(({ agent }) => agent.length)).toEqual([2, 1]);
    await rig.agent.stop();
  });
});
