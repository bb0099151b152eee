/** Calls of one step: those without side effects run concurrently, all others one at a time, with results in order. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { act, agentRig, calling, look, settled } from '../../../test/rigs/agent-rig.ts';
import { proves } from '../../../test/contract/cite.ts';
import { conversationProblems } from '../../../test/rigs/conversation.ts';
import { later } from '../../../test/rigs/guard-rig.ts';
import { runs } from '../../../test/property-runs.ts';

interface Output {
  readonly toolCallId: string;
  readonly output: { readonly type: string; readonly value: string };
}

function outputs(history: readonly { readonly content: unknown }[]): readonly Output[] {
  return history[2]?.content as readonly Output[];
}

/** Each tool records which others were running when it started. */
function observed() {
  const running = new Set<string>();
  const log: { id: string; beside: number; tier: string }[] = [];
  const open: (() => void)[] = [];
  const work =
    (tier: string) =>
    async (_args: object, { call }: { call: { id: string } }) => {
      running.add(call.id);
      log.push({ id: call.id, beside: running.size, tier });
      await new Promise<void>((resolve) => open.push(resolve));
      running.delete(call.id);
      return call.id;
    };
  /** Lets everything run to its end, the last first. */
  const release = async (): Promise<void> => {
    for (let quiet = 0; quiet < 4; quiet++) {
      await settled();
      const next = open.pop();
      if (next === undefined) continue;
      quiet = 0;
      next();
    }
  };
  return { running, log, tools: [look(work('observe')), act(work('confirm'))], release };
}

describe('the calls of one step', () => {
  it(proves('G13')('without side effects run concurrently up to a limit, with results in order'), async () => {
    const { running, log, tools, release } = observed();
    const names = Array<string>(20).fill('look');
    const { agent } = await agentRig([calling(...names), 'fine'], { tools });
    const turn = agent.chat('go');
    await settled();
    expect(running.size).toBe(8);
    await release();
    await turn;
    expect(Math.max(...log.map(({ beside }) => beside))).toBe(8);
    expect(outputs(agent.history).map(({ output }) => output.value)).toEqual(
      names.map((_, index) => `call-${index + 1}`),
    );
    await agent.stop();
  });

  it(proves('G13')('with side effects run one at a time and in order'), async () => {
    const { running, log, tools, release } = observed();
    const { agent } = await agentRig([calling('act', 'act', 'act'), 'fine'], { tools });
    const turn = agent.chat('go');
    await settled();
    expect(running.size).toBe(1);
    await release();
    await turn;
    expect(log.map(({ id, beside }) => [id, beside])).toEqual([
      ['call-1', 1],
      ['call-2', 1],
      ['call-3', 1],
    ]);
    await agent.stop();
  });

  it(
    proves('G13')('mixed: nothing runs concurrently with a call with side effects, and the order is kept'),
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.constantFrom('look', 'act', 'nothing'), { minLength: 1, maxLength: 14 }),
          async (names) => {
            const { log, tools, release } = observed();
            const { agent } = await agentRig([calling(...names), 'fine'], { tools });
            const turn = agent.chat('go');
            await release();
            await turn;
            const ids = names.map((name, index) => ({ name, id: `call-${index + 1}` }));
            expect(log.map(({ id }) => id)).toEqual(ids.filter(({ name }) => name !== 'nothing').map(({ id }) => id));
            for (const { tier, beside } of log) if (tier === 'confirm') expect(beside).toBe(1);
            expect(outputs(agent.history).map(({ toolCallId }) => toolCallId)).toEqual(ids.map(({ id }) => id));
            expect(conversationProblems(agent.history)).toEqual([]);
            await agent.stop();
          },
        ),
        { numRuns: runs(60) },
      );
    },
  );

  it(proves('G13')('that are running when another one ends the turn are awaited, and their results kept'), async () => {
    const gate = later<string>();
    const { agent } = await agentRig([calling('look', 'look', 'look', 'look')], {
      tools: [look(() => gate.promise)],
      budget: { perTurn: { toolCalls: 3 } },
    });
    const turn = agent.chat('go');
    await settled();
    gate.resolve('seen');
    expect(await turn).toMatchObject({ stopReason: 'budget:perTurn.toolCalls' });
    expect(outputs(agent.history).map(({ output }) => output.value)).toEqual([
      'seen',
      'seen',
      'seen',
      expect.stringContaining('did not run'),
    ]);
    await agent.stop();
  });

  it(proves('G13')('finish ends the turn after the concurrent calls, and later calls do not run'), async () => {
    const gate = later<string>();
    let acted = 0;
    const { agent } = await agentRig([calling('look', ['finish', { result: 'done' }], 'act')], {
      capabilities: { enabledTools: ['finish', 'look', 'act'] },
      tools: [look(() => gate.promise), act(() => ++acted)],
    });
    const turn = agent.chat('go');
    await settled();
    gate.resolve('seen');
    expect(await turn).toMatchObject({ stopReason: 'finished', text: 'done' });
    expect(outputs(agent.history).map(({ output }) => output.value)).toEqual([
      'seen',
      'done',
      expect.stringContaining('did not run'),
    ]);
    expect(acted).toBe(0);
    await agent.stop();
  });
});
