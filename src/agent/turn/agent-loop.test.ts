/** A custom loop gets guarded handles only: it cannot bypass hooks, policy, budgets or a stop. */

import { deny, reject, type BridleError, type CallResult, type Hook } from 'bridle';
import type { RequestedCall } from 'bridle/agent';
import { defaultLoop, type AgentLoop, type LoopHandles } from 'bridle/agent';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { act, agentRig, calling, counting, look, settled } from '../../../test/rigs/agent-rig.ts';
import { proves } from '../../../test/contract/cite.ts';
import { conversationProblems, promptProblems } from '../../../test/rigs/conversation.ts';
import { eventsOf, never, only } from '../../../test/rigs/guard-rig.ts';
import { runs } from '../../../test/property-runs.ts';

function loopOf(run: AgentLoop['run'], name = 'mine'): AgentLoop {
  return { name, run };
}

function call(tool: string, id = 'own-1', args: RequestedCall['args'] = {}): RequestedCall {
  return { id, tool, args };
}

function ignore(): undefined {
  return undefined;
}

/** The minimum that a loop needs. */
const handleNames = [
  'prompt',
  'messages',
  'signal',
  'sessionId',
  'turnNumber',
  'agent',
  'instructions',
  'tools',
  'generate',
  'call',
  'ask',
  'emit',
];

describe('a custom loop', () => {
  it(proves('A20')('gets twelve handles, and none gives access to the model or a tool itself'), async () => {
    let handles: LoopHandles | undefined;
    const { agent } = await agentRig([], { loop: loopOf(async (given) => ((handles = given), 'said')) });
    expect(await agent.chat('go')).toMatchObject({ text: 'said', stopReason: 'end', steps: 0 });
    expect(Object.keys(handles ?? {})).toEqual(handleNames);
    await agent.stop();
  });

  it(proves('A20', 'A24')('gets an error for a single call instead of a list'), async () => {
    const given = call('look');
    const loop = loopOf(async ({ call: run }) => run(given as never).then(() => 'ran', String));
    const { agent } = await agentRig([], { loop });
    expect((await agent.chat('go')).text).toContain('pass a list of tool calls');
  });

  it(proves('A20')('passes every hook and rule with every call, and hooks see its name'), async () => {
    const executed: string[] = [];
    const types: unknown[] = [];
    const seen = counting('seen', {
      preLlmCall: (_request, ctx) => void types.push(ctx.loopName),
      postLlmCall: () => undefined,
      preToolCall: ({ call: { tool } }) => (tool === 'act' ? reject('hook says no') : undefined),
      postToolCall: () => undefined,
    } satisfies Omit<Hook, 'name'>);
    let results: readonly CallResult[] = [];
    const loop = loopOf(async ({ generate, call: run }) => {
      await generate();
      results = await run([call('act'), call('secret', 'own-2'), call('hidden', 'own-3'), call('look', 'own-4')]);
    });
    const note = (tool: string) => (): string => (executed.push(tool), tool);
    const { agent, journal } = await agentRig(['fine'], {
      loop,
      hooks: [seen.hook],
      policy: [deny('secret', { reason: 'rule says no' })],
      capabilities: { disabledTools: ['hidden'] },
      default: 'allow',
      tools: [act(note('act')), act(note('secret'), 'secret'), act(note('hidden'), 'hidden'), look(note('look'))],
    });
    await agent.chat('go');
    expect(executed).toEqual(['look']);
    expect(results.map(({ type, text }) => [type, text])).toEqual([
      ['denied', 'hook says no'],
      ['denied', 'rule says no'],
      ['invalid', expect.stringContaining('hidden')],
      ['ok', 'look'],
    ]);
    expect(seen.counts).toEqual({ preLlmCall: 1, postLlmCall: 1, preToolCall: 2, postToolCall: 1 });
    expect(types).toEqual(['mine']);
    expect(journal.entries().filter(({ kind }) => kind === 'decided')).toHaveLength(4);
    await agent.stop();
  });

  it(proves('A20')('cannot make hidden tools callable by listing them'), async () => {
    let runCount = 0;
    const loop = loopOf(async ({ generate, call: run }) => {
      const { toolCalls } = await generate({ tools: [{ name: 'hidden' }], settings: { temperature: 1 } });
      await run(toolCalls);
    });
    const { agent, model } = await agentRig([calling('hidden')], {
      loop,
      capabilities: { disabledTools: ['hidden'] },
      tools: [act(() => ++runCount, 'hidden')],
    });
    await agent.chat('go');
    expect(runCount).toBe(0);
    expect(model.calls[0]?.settings.temperature).toBe(1);
    expect(conversationProblems(agent.history)).toEqual([]);
    await agent.stop();
  });

  it(proves('A20')('that catches a stop can do nothing more: no model, no tool, no other end'), async () => {
    const errors: unknown[] = [];
    let runCount = 0;
    const stubborn = loopOf(async ({ generate, call: run }) => {
      for (const attempt of [generate, generate, () => run([call('act')])]) {
        await attempt().catch((error: BridleError) => errors.push(error.code));
      }
      return 'I went on';
    });
    const { agent, model, events } = await agentRig([], {
      loop: stubborn,
      hooks: [{ name: 'gate', preLlmCall: () => reject('not now') }],
      tools: [act(() => ++runCount)],
    });
    expect(await agent.chat('go')).toMatchObject({ stopReason: 'rejected', text: 'not now' });
    expect(errors).toEqual(['TURN_STOPPED', 'TURN_STOPPED', 'TURN_STOPPED']);
    expect(runCount).toBe(0);
    model.assertDone();
    expect(only(eventsOf({ events }, 'turn_ended'))).toMatchObject({ stopReason: 'rejected' });
    await agent.stop();
  });

  it(proves('A20')('that catches the stop of a budget, a step limit, finish or a cancel cannot continue'), async () => {
    const loop = loopOf(async ({ generate, call: run }) => {
      for (let round = 0; round < 4; round++) {
        const answer = await generate().catch(ignore);
        await run(answer?.toolCalls ?? [call('look')]).catch(ignore);
      }
      return 'I went on';
    });
    const tools = [look()];
    const budget = await agentRig([calling('look'), calling('look')], {
      loop,
      tools,
      budget: { perTurn: { toolCalls: 1 } },
    });
    expect(await budget.agent.chat('go')).toMatchObject({ stopReason: 'budget:perTurn.toolCalls' });
    const steps = await agentRig([calling('look'), calling('look')], { loop, tools, maxSteps: 2 });
    expect(await steps.agent.chat('go')).toMatchObject({ stopReason: 'max_steps' });
    const finished = await agentRig([calling(['finish', { result: 'done' }])], { loop, capabilities: 'all', tools });
    expect(await finished.agent.chat('go')).toMatchObject({ stopReason: 'finished', text: 'done' });
    const stopping = await agentRig([calling('stop')], {
      loop,
      tools: [look(() => stopping.agent.cancel(), 'stop')],
    });
    expect(await stopping.agent.chat('go')).toMatchObject({ stopReason: 'cancelled' });
    for (const { agent, model } of [budget, steps, finished, stopping]) {
      model.assertDone();
      expect(conversationProblems(agent.history)).toEqual([]);
      await agent.stop();
    }
  });

  it(proves('A20')('that runs calls one by one keeps each result, in the order of the calls'), async () => {
    const loop = loopOf(async ({ generate, call: run }) => {
      const { toolCalls } = await generate();
      for (const each of toolCalls.toReversed()) await run([each]);
      await generate();
    });
    const { agent, model } = await agentRig(
      [calling(['act', { n: 1 }], ['act', { n: 2 }], ['act', { n: 3 }]), 'fine'],
      {
        loop,
        tools: [act(({ n }) => `ran ${JSON.stringify(n)}`)],
      },
    );
    await agent.chat('go');
    const results = model.calls[1]?.prompt.at(-1)?.content as readonly { output: { value: string } }[];
    expect(results.map(({ output }) => output.value)).toEqual(['ran 1', 'ran 2', 'ran 3']);
    expect(promptProblems(model.calls[1]?.prompt ?? [])).toEqual([]);
    await agent.stop();
  });

  it(proves('A20')('that leaves calls open gets results for them that say so'), async () => {
    const some = loopOf(async ({ generate, call: run }) => {
      const { toolCalls } = await generate();
      await run(toolCalls.slice(0, 1));
      await generate();
      await generate();
    });
    const { agent, model } = await agentRig([calling('act', 'act'), calling('act'), calling('act')], {
      loop: some,
      tools: [act()],
    });
    await agent.chat('go');
    for (const { prompt } of model.calls) expect(promptProblems(prompt)).toEqual([]);
    expect(conversationProblems(agent.history)).toEqual([]);
    expect(JSON.stringify(agent.history).match(/did not run/g)).toHaveLength(3);
    await agent.stop();
  });

  it(proves('A20')('that calls the model twice concurrently leaves a valid history'), async () => {
    const hasty = loopOf(async ({ generate, call: run }) => {
      const answers = await Promise.all([generate(), generate()]);
      await run(answers.flatMap(({ toolCalls }) => toolCalls));
    });
    const { agent } = await agentRig([calling('act'), calling('act')], { loop: hasty, tools: [act()] });
    await agent.chat('go');
    const problems = conversationProblems(agent.history);
    expect(problems.filter((each) => !each.includes('follows another answer'))).toEqual([]);
    await agent.stop();
  });

  it(
    proves('A20', 'A07')('that hangs is abandoned when the turn is cancelled, and its later actions have no effect'),
    async () => {
      let handles: LoopHandles | undefined;
      let runCount = 0;
      const hangingLoop = loopOf(async (given) => {
        handles = given;
        await given.call([call('act')]);
        return never();
      });
      const { agent, model } = await agentRig([], { loop: hangingLoop, tools: [act(() => ++runCount)] });
      const turn = agent.chat('go');
      await settled();
      agent.cancel();
      expect(await turn).toMatchObject({ stopReason: 'cancelled' });
      expect(handles?.signal.aborted).toBe(true);
      await expect(handles?.generate()).rejects.toMatchObject({ code: 'TURN_STOPPED' });
      await expect(handles?.call([call('act')])).rejects.toMatchObject({ code: 'TURN_STOPPED' });
      expect(runCount).toBe(1);
      model.assertDone();
      await agent.stop();
    },
  );

  it(proves('A20', 'A22')('that catches a failure of the model cannot continue: it ends the turn'), async () => {
    const codes: unknown[] = [];
    let runCount = 0;
    const loop = loopOf(async ({ generate, call: run }) => {
      for (const attempt of [generate, generate, () => run([call('act')])]) {
        await attempt().catch((error: BridleError) => codes.push(error.code));
      }
      return 'I went on';
    });
    const down = { error: new TypeError('down') };
    const { agent, model } = await agentRig([down], { loop, tools: [act(() => ++runCount)] });
    await expect(agent.chat('go')).rejects.toMatchObject({ code: 'LLM_FAILED', cause: down.error });
    expect(codes).toEqual(['LLM_FAILED', 'LLM_FAILED', 'LLM_FAILED']);
    expect(runCount).toBe(0);
    model.assertDone();
    await agent.stop();
  });

  it(proves('A20', 'A22')('that throws fails only that turn'), async () => {
    let turns = 0;
    const loop = loopOf(async (handles) => {
      if (++turns === 1) throw new TypeError('my loop');
      return defaultLoop.run(handles);
    });
    const { agent, events } = await agentRig(['fine'], { loop });
    await expect(agent.chat('go')).rejects.toThrow('my loop');
    expect(await agent.chat('go')).toMatchObject({ text: 'fine' });
    expect(eventsOf({ events }, 'turn_ended').map(({ stopReason }) => stopReason)).toEqual(['error', 'end']);
    await agent.stop();
  });

  it(proves('A20')('sees the conversation but cannot change it'), async () => {
    const loop = loopOf(async ({ messages, prompt, generate }) => {
      expect(Object.isFrozen(messages)).toBe(true);
      expect(Object.isFrozen(messages[0]?.content)).toBe(true);
      expect(Reflect.set(prompt, 'text', 'x')).toBe(false);
      await generate({ messages: [...messages, { role: 'user', content: 'and more' }] });
    });
    const { agent, model } = await agentRig(['fine'], { loop });
    await agent.chat('go');
    expect(model.calls[0]?.prompt.at(-1)).toEqual({ role: 'user', content: [{ type: 'text', text: 'and more' }] });
    expect(agent.history).toHaveLength(2);
    await agent.stop();
  });

  it(
    proves('A20', 'A07')('leaves one result per call and runs nothing twice, whatever it does in any order'),
    async () => {
      const act1 = fc.constantFrom(
        'ask',
        'ask twice',
        'run all',
        'run first',
        'run last',
        'run again',
        'run own',
        'cancel',
        'wait',
      );
      await fc.assert(
        fc.asyncProperty(fc.array(act1, { minLength: 1, maxLength: 12 }), fc.boolean(), async (program, careless) => {
          const wrong: string[] = [];
          let runCount = 0;
          const loop = loopOf(async ({ generate, call: run }) => {
            let open: readonly RequestedCall[] = [];
            const ops: Record<string, () => Promise<unknown>> = {
              ask: async () => void ({ toolCalls: open } = await generate()),
              'ask twice': async () =>
                void (open = (await Promise.all([generate(), generate()])).flatMap(({ toolCalls }) => toolCalls)),
              'run all': () => run(open),
              'run first': () => run(open.slice(0, 1)),
              'run last': () => run(open.slice(-1)),
              'run again': () => Promise.all([run(open), run(open)]),
              'run own': () => run([call('look', 'own')]),
              cancel: async () => rig.agent.cancel(),
              wait: settled,
            };
            for (const op of program) {
              const done = ops[op]?.();
              if (careless) await done?.catch(ignore);
              else await done;
            }
          });
          const rig = await agentRig(
            [calling('act', 'look', 'look'), calling('act'), 'said', calling('look', 'nothing')],
            {
              loop,
              script: { repeat: true },
              tools: [act(() => ++runCount), look(async () => ++runCount)],
            },
          );
          for (let turn = 0; turn < 2; turn++) {
            await rig.agent.chat('go');
            wrong.push(...conversationProblems(rig.agent.history));
          }
          for (const { prompt } of rig.model.calls) wrong.push(...conversationProblems(prompt));
          expect(wrong.filter((each) => !each.includes('follows another answer'))).toEqual([]);
          expect(eventsOf(rig, 'tool_settled').filter(({ outcome }) => outcome === 'ok')).toHaveLength(runCount);
          await rig.agent.stop();
        }),
        { numRuns: runs(150) },
      );
    },
  );
});
