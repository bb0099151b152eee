/**
 * Shared budgets: the usage of several agents is counted in the store, exactly for calls, with reservations for tokens.
 */

import { preLlmCall } from 'bridle';
import { createAgent, type AgentOptions, type Budget, type SharedLimits } from 'bridle/agent';
import { fakeClock, scriptedModel, type ScriptedStep } from 'bridle/testing';
import { describe, expect, it } from 'vitest';
import { act, agentRig, calling, look, type AgentRig } from '../../../test/rigs/agent-rig.ts';
import { proves } from '../../../test/contract/cite.ts';
import { conversationProblems } from '../../../test/rigs/conversation.ts';
import { eventsOf, later } from '../../../test/rigs/guard-rig.ts';
import { describeStores } from '../../../test/rigs/store-rig.ts';
import type { Amounts, Counters, TakeRequest } from '../../store/counters/counters.ts';
import type { Store } from '../../store/store.ts';

const prices = { scripted: { input: 10, output: 100 } };
const settings = { maxOutputTokens: 50 };
const usage = { inputTokens: 40, outputTokens: 20 };
const costOf = (40 * 10 + 20 * 100) / 1_000_000;

function steps(count: number, step: ScriptedStep = { ...calling('look'), usage }): readonly ScriptedStep[] {
  return Array.from({ length: count }, () => step);
}

async function chat(rig: AgentRig | undefined): Promise<string | undefined> {
  return (await rig?.agent.chat('x'))?.stopReason;
}

function sharing(limits: Omit<SharedLimits, 'account'>): Budget {
  return { shared: { account: 'team', ...limits } };
}

interface CounterCall {
  readonly name: keyof Counters;
  readonly args: readonly unknown[];
}

/**
 * A store that reports every call of its counters: to `called` before it is made, and to `done` before its caller gets
 * the result.
 */
function watched(
  store: Store,
  called: (call: CounterCall) => void,
  done: (call: CounterCall, result: unknown) => unknown = () => undefined,
): Store {
  const counters = new Proxy(store.counters, {
    get:
      (of, name: keyof Counters) =>
      async (...args: never[]) => {
        called({ name, args });
        const result: unknown = await (of[name] as (...args: never[]) => unknown).apply(of, args);
        await done({ name, args }, result);
        return result;
      },
  });
  return { ...store, counters };
}

function countsToolCall({ name, args }: CounterCall): boolean {
  return name === 'take' && (args[0] as TakeRequest).amounts['toolCalls'] !== undefined;
}

describeStores('a shared budget', (rig) => {
  const agent = async (script: readonly ScriptedStep[], options: Partial<AgentOptions>): Promise<AgentRig> =>
    agentRig(script, { tools: [look()], prices, settings, store: await rig.open(), ...options });
  const used = async (): Promise<Amounts> => (await rig.open()).counters.used('team');

  it.each([
    ['modelCalls', 3, 3],
    ['modelCalls', 3.5, 3],
    ['toolCalls', 3, 3],
    ['inputTokens', 100, undefined],
    ['outputTokens', 45, undefined],
    ['cost', costOf * 2.5, undefined],
  ] as const)(proves('A18', 'R06')('stops everyone who shares it: %s of %d'), async (kind, of, exactly) => {
    const budget = sharing({ limits: { [kind]: of } });
    const rigs = await Promise.all([1, 2, 3].map(() => agent(steps(9), { budget })));
    const results = [];
    for (const { agent } of rigs) results.push(await agent.chat('go'));
    for (const { stopReason, text } of results) {
      expect(stopReason).toBe(`budget:shared.${kind}`);
      expect(text).toContain(`shared.${kind}`);
    }
    if (exactly !== undefined) expect(await used()).toMatchObject({ [kind]: exactly });
    // At most one call has gone past it.
    else expect((await used())[kind] ?? 0).toBeLessThan(of + (await used())[kind]! / 2);
    expect(eventsOf(rigs[2] as AgentRig, 'budget_exceeded').at(-1)).toMatchObject({ limit: `shared.${kind}` });
    for (const { agent } of rigs) {
      expect(conversationProblems(agent.history)).toEqual([]);
      await agent.stop();
    }
  });

  it(proves('A18', 'R06')('of calls is exact, even for concurrent callers'), async () => {
    let runCount = 0;
    const tools = [look(() => void runCount++)];
    const budget = sharing({ limits: { toolCalls: 17 } });
    const script = [calling(...Array.from({ length: 10 }, () => 'look')), 'done'];
    const rigs = await Promise.all([1, 2, 3].map(() => agent(script, { tools, budget })));
    await Promise.all(rigs.map(({ agent }) => agent.chat('go')));
    expect(runCount).toBe(17);
    expect(await used()).toMatchObject({ toolCalls: 17 });
    for (const { agent } of rigs) await agent.stop();
  });

  it(proves('A18', 'R06')('runs a counted call whose reply comes after the refusal of a call next to it'), async () => {
    const refused = later<void>();
    const store = watched(
      await rig.open(),
      () => undefined,
      async (call, refusal) => {
        if (!countsToolCall(call)) return;
        if (refusal !== undefined) refused.resolve();
        // The refusal is handled first.
        else await refused.promise.then(() => new Promise((resolve) => void setImmediate(resolve)));
      },
    );
    let runCount = 0;
    const tools = [look(() => void runCount++)];
    const budget = sharing({ limits: { toolCalls: 1 } });
    const rigged = await agent([calling('look', 'look'), 'never'], { store, tools, budget });
    expect((await rigged.agent.chat('go')).stopReason).toBe('budget:shared.toolCalls');
    expect(runCount).toBe(1);
    expect(await used()).toMatchObject({ toolCalls: 1 });
    await rigged.agent.stop();
  });

  it(proves('A18')('does not count a call whose turn was cancelled while it was counted'), async () => {
    const store = watched(
      await rig.open(),
      () => undefined,
      (call) => countsToolCall(call) && rigged.agent.cancel(),
    );
    let runCount = 0;
    const tools = [look(() => void runCount++)];
    const budget = sharing({ limits: { toolCalls: 1 } });
    const rigged: AgentRig = await agent([calling('look'), 'never'], { store, tools, budget });
    expect((await rigged.agent.chat('go')).stopReason).toBe('cancelled');
    expect(runCount).toBe(0);
    expect(await used()).toMatchObject({ toolCalls: 0 });
    await rigged.agent.stop();
  });

  it(proves('A18', 'R06')('limits the common rate, and allows calls again when the period has passed'), async () => {
    const clock = fakeClock();
    const store = await rig.open({ clock: () => clock.wall() });
    const budget = sharing({ rates: { modelCalls: { max: 3, perMs: 1000 }, toolCalls: { max: 1, perMs: 10 } } });
    const [one, two] = await Promise.all([1, 2].map(() => agent(steps(9, 'ok'), { clock, store, budget })));
    expect([await chat(one), await chat(two), await chat(one)]).toEqual(['end', 'end', 'end']);
    expect([await chat(two), await chat(one)]).toEqual(Array(2).fill('budget:shared.rates.modelCalls'));
    await clock.advance(1000);
    expect(await chat(two)).toBe('end');
    await one?.agent.stop();
    await two?.agent.stop();
  });

  it(proves('A18')('counts nothing if the session budget refuses a call, and the other way round'), async () => {
    const first = await agent(steps(9, 'ok'), { budget: { perSession: { modelCalls: 2 }, ...sharing({}) } });
    expect([await chat(first), await chat(first)]).toEqual(['end', 'end']);
    expect(await chat(first)).toBe('budget:perSession.modelCalls');
    expect(await used()).toMatchObject({ modelCalls: 2 });
    const limits = { modelCalls: 2, toolCalls: 2, outputTokens: 60 };
    const rates = { modelCalls: { max: 2, perMs: 1e9 }, toolCalls: { max: 2, perMs: 1e9 } };
    const budget: Budget = { perSession: limits, rates, ...sharing({ limits: { modelCalls: 2, toolCalls: 0 } }) };
    const second = await agent([calling('look'), 'ok', calling('look')], { budget });
    const full = 'budget:shared.modelCalls';
    expect([await chat(second), await chat(second), await chat(second)]).toEqual([full, full, full]);
    const { counters } = await rig.open();
    await counters.add('team', { modelCalls: -1 });
    expect([await chat(second), await chat(second)]).toEqual(['budget:shared.toolCalls', full]);
    await counters.add('team', { modelCalls: -1 });
    expect([await chat(second), await chat(second)]).toEqual(['end', 'budget:perSession.modelCalls']);
    await first.agent.stop();
    await second.agent.stop();
  });

  it(proves('A18', 'R06')('reserves an upper bound during a call, and then counts the actual usage'), async () => {
    const gate = later<string>();
    const budget = sharing({ limits: { outputTokens: 60 } });
    const slow = await agent([async () => ({ text: await gate.promise, usage })], { budget });
    const quick = await agent(steps(3, 'ok'), { budget, settings: { maxOutputTokens: 10 } });
    const chat = slow.agent.chat('go');
    await expect.poll(async () => (await used())['outputTokens']).toBe(50);
    expect((await quick.agent.chat('a')).stopReason).toBe('end');
    gate.resolve('done');
    expect(await chat).toMatchObject({ stopReason: 'end', text: 'done' });
    expect(await used()).toMatchObject({ modelCalls: 2, outputTokens: 20, inputTokens: 40 });
    await slow.agent.stop();
    await quick.agent.stop();
  });

  it(proves('A18', 'R06')('counts the presumed usage of a killed process soon'), async () => {
    const clock = fakeClock();
    const store = await rig.open({ clock: () => clock.wall() });
    let renewed = 0;
    const own = watched(
      store,
      () => undefined,
      ({ name }) => void (renewed += name === 'renew' ? 1 : 0),
    );
    const budget = sharing({ limits: { outputTokens: 55 } });
    const options = { budget, store: own, clock, modelTimeoutMs: 1e9 };
    const killed = await agent([() => new Promise<never>(() => undefined)], options);
    const chat = killed.agent.chat('go');
    await expect.poll(async () => (await store.counters.used('team'))['outputTokens']).toBe(50);
    const bound = await store.counters.used('team');
    // Alive, it says so again and again, however long its call takes.
    for (let i = 1; i <= 9; i++) {
      await clock.advance(20_000);
      await expect.poll(() => renewed, { timeout: 10_000 }).toBe(i);
    }
    expect(await store.counters.used('team')).toEqual(bound);
    const dead = await rig.open({ clock: () => clock.wall() + 60_001 });
    const presumed = await dead.counters.used('team');
    expect(presumed).toMatchObject({ modelCalls: 1, outputTokens: 50 });
    expect(presumed['inputTokens']).toBeLessThan((bound['inputTokens'] as number) / 5);
    killed.agent.cancel();
    expect((await chat).stopReason).toBe('cancelled');
    await killed.agent.stop();
    expect(await store.counters.used('team')).toMatchObject({ modelCalls: 1, inputTokens: 0, outputTokens: 0 });
  });

  it(proves('A18')('allows nothing if the store is unavailable, and reports the usage later'), async () => {
    let down = false;
    const store = watched(await rig.open(), () => {
      if (down) throw new TypeError('away');
    });
    const failing: ScriptedStep = () => {
      down = true;
      return { text: 'ok', usage };
    };
    let runCount = 0;
    const tools = [look(() => void runCount++)];
    const script = ['ok', failing, calling('look'), 'ok'].map((step) => step as ScriptedStep);
    const rigged = await agent(script, { store, tools, budget: sharing({ limits: { cost: 1 } }) });
    expect((await rigged.agent.chat('a')).stopReason).toBe('end');
    expect((await rigged.agent.chat('b')).stopReason).toBe('end');
    await expect(rigged.agent.chat('c')).rejects.toThrow(/away/);
    expect(rigged.model.calls).toHaveLength(2);
    expect((await used())['outputTokens']).toBe(50);
    down = false;
    expect((await rigged.agent.chat('d')).stopReason).toBe('end');
    expect(runCount).toBe(1);
    expect(await used()).toMatchObject({ modelCalls: 4, outputTokens: 20, toolCalls: 1 });
    await rigged.agent.stop();
  });

  it(proves('A18')('counts time spent in turns, and stops before a call once it is used up'), async () => {
    const clock = fakeClock();
    const store = await rig.open({ clock: () => clock.wall() });
    const budget = sharing({ limits: { wallMs: 1000 } });
    const waits = act(() => clock.advance(400));
    const options = { budget, clock, store, tools: [waits] };
    const first = await agent([calling('act'), calling('act'), 'ok'], options);
    expect((await first.agent.chat('go')).stopReason).toBe('end');
    expect(await store.counters.used('team')).toMatchObject({ wallMs: 800 });
    const second = await agent([calling('act'), 'never'], options);
    expect((await second.agent.chat('go')).stopReason).toBe('budget:shared.wallMs');
    expect(await store.counters.used('team')).toMatchObject({ wallMs: 1200 });
    await first.agent.stop();
    await second.agent.stop();
  });

  it(proves('A18')('stops a call without a maximum length, if a hook removed it'), async () => {
    const hook = preLlmCall((request) => ({ type: 'transform', value: { ...request, settings: {} } }), { name: 'x' });
    const { agent: one, model } = await agent(['ok'], { hooks: [hook], budget: sharing({ limits: { cost: 1 } }) });
    expect(await one.chat('go')).toMatchObject({
      stopReason: 'budget:shared.cost',
      text: expect.stringContaining('maxOutputTokens'),
    });
    expect(model.calls).toHaveLength(0);
    await one.stop();
  });

  it(proves('A18')('that was exceeded is reported with the total usage'), async () => {
    const huge = { text: 'ok', usage: { inputTokens: 900, outputTokens: 1 } };
    const rigged = await agent([huge, 'never'], { budget: sharing({ limits: { inputTokens: 500 } }) });
    expect((await rigged.agent.chat('go')).stopReason).toBe('end');
    expect(eventsOf(rigged, 'budget_exceeded')).toMatchObject([{ limit: 'shared.inputTokens', used: 900, of: 500 }]);
    expect((await rigged.agent.chat('go')).stopReason).toBe('budget:shared.inputTokens');
    await rigged.agent.stop();
  });
});

describe('a shared budget', () => {
  it(
    proves('A18')('that is invalid, has no store, or cannot be enforced is an error when the agent is created'),
    () => {
      const model = scriptedModel([]);
      const make = (options: object) => (): unknown => createAgent({ model, default: 'deny', ...options });
      const wrong: readonly (readonly [object, RegExp])[] = [
        [{ budget: sharing({}) }, /"budget.shared" needs a store: createAgent\(\{ store: await openStore\(\) \}\)/],
        [{ budget: { shared: { limits: {} } } }, /"budget.shared.account" is missing/],
        [{ budget: { shared: { account: '' } } }, /"budget.shared.account" is an empty string, not a non-empty string/],
        [{ budget: { shared: { account: 'x'.repeat(201) } } }, /no longer than 200/],
        [{ budget: sharing({ limits: { tokens: 1 } as never }) }, /"budget.shared.limits.tokens" is not known/],
        [{ budget: sharing({ rates: { modelCalls: { max: 0, perMs: 1 } } }) }, /rates.modelCalls.max" is 0/],
        [{ budget: sharing({ limits: { cost: 1 } }) }, /needs "settings.maxOutputTokens"/],
        [{ budget: sharing({ limits: { outputTokens: 1 } }) }, /needs "settings.maxOutputTokens"/],
        [
          { budget: sharing({ limits: { cost: 1 } }), settings, subagents: { helper: {} } },
          /needs "subagents.helper.settings.maxOutputTokens"/,
        ],
      ];
      for (const [options, text] of wrong) {
        expect(make(options)).toThrow(
          expect.objectContaining({ code: 'OPTION_INVALID', message: expect.stringMatching(text) }),
        );
      }
    },
  );
});
