/** Memory adds context before a turn and observes its result. If it fails, the turn continues. */

import { reject, transform, type Hook } from 'bridle';
import type { Memory } from 'bridle/agent';
import { fakeClock } from 'bridle/testing';
import { describe, expect, it } from 'vitest';
import { act, agentRig, calling, settled } from '../../../test/rigs/agent-rig.ts';
import { proves } from '../../../test/contract/cite.ts';
import { eventsOf, never, only } from '../../../test/rigs/guard-rig.ts';

describe('memory', () => {
  it(proves('A19')('is called after preTurn and before postTurn, with the prompt as hooks changed it'), async () => {
    const order: unknown[] = [];
    const memory: Memory = {
      preTurnContext: async ({ text }, { turn }) => (order.push(['recall', text, turn]), 'Ada likes tea'),
      postTurnObserve: ({ input, output }) => void order.push(['observe', input.text, output.text, output.stopReason]),
    };
    const hooks: Hook = {
      name: 'hooks',
      preTurn: ({ prompt }) => (order.push(['preTurn']), transform({ ...prompt, text: 'masked' })),
      preLlmCall: () => void order.push(['preLlmCall']),
      postTurn: ({ output }) => (order.push(['postTurn']), transform({ ...output, text: 'changed' })),
    };
    const { agent } = await agentRig(['fine'], { memory, hooks: [hooks] });
    expect(await agent.chat('hello')).toMatchObject({ text: 'changed' });
    expect(order).toEqual([
      ['preTurn'],
      ['recall', 'masked', 1],
      ['preLlmCall'],
      ['observe', 'masked', 'fine', 'end'],
      ['postTurn'],
    ]);
    await agent.stop();
  });

  it(proves('A19')('adds context for one turn only, which hooks see and the history does not contain'), async () => {
    const memory: Memory = { preTurnContext: ({ text }) => (text === 'one' ? 'Ada likes tea' : '  ') };
    const { agent, model } = await agentRig([calling('act'), 'fine', 'two'], {
      memory,
      tools: [act()],
      instructions: 'Be brief.',
    });
    await agent.chat('one');
    await agent.chat('two');
    // A message of a user's, not of the system: what was once heard is no instruction.
    const remembered = { role: 'user', content: [{ type: 'text', text: expect.stringContaining('Ada likes tea') }] };
    const instructions = { role: 'system', content: 'Be brief.' };
    const first = { role: 'user', content: [{ type: 'text', text: 'one' }] };
    expect(model.calls.map(({ prompt }) => prompt.slice(0, 2))).toMatchObject([
      [instructions, remembered],
      [instructions, remembered],
      [instructions, first],
    ]);
    expect(JSON.stringify(agent.history)).not.toContain('tea');
    await agent.stop();
  });

  it(
    proves('A19', 'A22')('that throws, rejects or returns nonsense emits an event, and the turn continues'),
    async () => {
      const broken: readonly Memory[] = [
        {
          preTurnContext: () => {
            throw new TypeError('no store');
          },
          postTurnObserve: () => Promise.reject(new TypeError('no store')),
        },
        { preTurnContext: () => 7 as never, postTurnObserve: () => Promise.reject(undefined) },
      ];
      for (const memory of broken) {
        const { agent, events, model } = await agentRig(['fine'], { memory });
        expect(await agent.chat('go')).toMatchObject({ text: 'fine', stopReason: 'end' });
        expect(eventsOf({ events }, 'memory_failed')).toHaveLength(2);
        expect(model.calls[0]?.prompt).toHaveLength(1);
        await agent.stop();
      }
    },
  );

  it(proves('A19')('that hangs is awaited for a limited time, and not at all after a cancel'), async () => {
    const clock = fakeClock();
    const { agent, events } = await agentRig(['fine'], { clock, memory: { preTurnContext: never } });
    const turn = agent.chat('go');
    await clock.advance(11_000);
    expect(await turn).toMatchObject({ text: 'fine' });
    expect(only(eventsOf({ events }, 'memory_failed'))).toBeDefined();
    const cancelled = agent.chat('go');
    await settled();
    agent.cancel();
    expect(await cancelled).toMatchObject({ stopReason: 'cancelled' });
    await agent.stop();
  });

  it(proves('A19')('observes a turn that was stopped early, but not one that never started or failed'), async () => {
    const seen: string[] = [];
    const memory: Memory = { postTurnObserve: ({ output }) => void seen.push(output.stopReason) };
    const gate: Hook = { name: 'gate', preTurn: ({ prompt }) => (prompt.text === 'no' ? reject('no') : undefined) };
    const { agent } = await agentRig([calling('act'), { error: new TypeError('down') }], {
      memory,
      hooks: [gate],
      tools: [act()],
      maxSteps: 1,
    });
    await agent.chat('no');
    await agent.chat('go');
    await expect(agent.chat('go')).rejects.toMatchObject({ code: 'LLM_FAILED' });
    expect(seen).toEqual(['max_steps']);
    await agent.stop();
  });
});
