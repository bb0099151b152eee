/** A cancel, or a stop, at every moment of a turn in which everything happens: whenever it comes, nothing is half done. */

import type { BridleEvent, Hook } from 'bridle';
import { defaultLoop, type AgentLoop } from 'bridle/agent';
import { describe, expect, it } from 'vitest';
import { calling, settled } from '../rigs/agent-rig.ts';
import { proves } from '../contract/cite.ts';
import { expectUnharmed, problemsAfter } from './after-failure.ts';
import { codeOf } from './in-time.ts';
import { noting, pluggedAgent, pluggedIn, ticks, type PluggedAgent } from './plugged-agent.ts';

/** Enough for the whole story; a story that never ends fails the test. */
const maxMoments = 4000;
describe('a turn in which everything happens', () => {
  it(proves('A07')('goes well when nobody stops it'), async () => {
    const rig = await pluggedIn();
    const { stopReason, text } = await rig.agent.chat('go');
    expect({ stopReason, text }).toEqual({ stopReason: 'end', text: 'All done.' });
    const types = new Set(rig.eventTypes());
    for (const type of ['llm_failed', 'tool_asked', 'interaction_settled', 'subagent_ended', 'compacted'] as const) {
      expect(types).toContain(type);
    }
    expect(rig.ran).toHaveLength(6);
    await expectUnharmed(rig);
    await rig.agent.stop();
  });

  /** Longer than everything after a cancelled turn takes: the turn has to wait for it. */
  const slow: Hook = { name: 'slow', postToolCall: () => ticks(20).then(() => undefined) };
  /** The loop that comes along is trusted more than others. */
  const other: AgentLoop = { name: 'other', run: (handles) => defaultLoop.run(handles) };
  const cases: readonly (readonly [string, Parameters<typeof pluggedIn>[0], number])[] = [
    ['the loop', {}, 1],
    ['a custom loop', { loop: other, hooks: [slow] }, 4],
  ];

  it.each(cases)(
    proves('A07', 'A20')('is unharmed by a cancel at any moment, and so is the next one: %s'),
    async (_name, options, stride) => {
      let cancelled = 0;
      let last = '';
      for (let moment = 0; last !== 'end' && moment < maxMoments; moment += stride) {
        const rig = await pluggedIn(options);
        const stream = rig.agent.stream('go');
        const ending = codeOf(stream.result);
        await ticks(moment);
        stream.cancel();
        stream.cancel();
        const ran = rig.ran.length;
        last = await ending;
        expect(last, `at ${moment}`).toMatch(/^(cancelled|end)$/);
        if (last === 'cancelled') expect(rig.ran, `at ${moment}`).toHaveLength(ran);
        if (last === 'cancelled') cancelled++;
        await expectUnharmed(rig);
        await rig.agent.stop();
      }
      expect(last).toBe('end');
      expect(cancelled).toBeGreaterThan(100);
    },
    60_000,
  );

  it(proves('A07')('is unharmed by a cancel at any event, in the middle of telling it'), async () => {
    let last = '';
    for (let event = 0; last !== 'end' && event < maxMoments; event++) {
      const rig = await pluggedIn();
      let seen = 0;
      const unlisten = listen(rig, () => void (seen++ === event && rig.agent.cancel()));
      last = await codeOf(rig.agent.chat('go'));
      unlisten();
      expect(last, `at event ${event}`).toMatch(/^(cancelled|end)$/);
      await expectUnharmed(rig);
      await rig.agent.stop();
    }
    expect(last).toBe('end');
  });

  it(proves('A01')('is ended by a stop at any moment; the session ends once, after it'), async () => {
    let last = '';
    for (let moment = 0; last !== 'end' && moment < maxMoments; moment += 3) {
      const rig = await pluggedIn();
      const ending = codeOf(rig.agent.chat('go'));
      const waiting = codeOf(rig.agent.chat('and then this'));
      await ticks(moment);
      await Promise.all([rig.agent.stop(), rig.agent.stop()]);
      last = await ending;
      expect(last, `at ${moment}`).toMatch(/^(cancelled|end|SESSION_ENDED)$/);
      expect(await waiting).toMatch(/^(cancelled|end|SESSION_ENDED)$/);
      expect(problemsAfter(rig), `at ${moment}`).toEqual([]);
      expect(rig.eventTypes().filter((type) => type === 'session_ended')).toHaveLength(1);
      const told = rig.events.length;
      await settled();
      expect(rig.events.slice(told)).toEqual([]);
      expect(rig.eventTypes().at(-1)).toBe('session_ended');
    }
    expect(last).toBe('end');
  });

  it(proves('S06')('does not see the one beside it, which is cancelled again and again'), async () => {
    const rig = await pluggedIn();
    const other = await rig.agent.open({ id: 'other' });
    const disturbed = (async () => {
      for (let i = 0; i < 10; i++) {
        const turn = codeOf(other.chat('never mind'));
        await ticks(i * 5);
        other.cancel();
        expect(await turn).toMatch(/^(cancelled|end)$/);
      }
    })();
    expect(await codeOf(rig.agent.chat('go'))).toBe('end');
    await disturbed;
    expect(rig.events.filter(({ session }) => session === 'other').length).toBeGreaterThan(10);
    await other.stop();
    await rig.agent.stop();
  });

  it(proves('A01')('can be stopped from inside: by a tool and by a hook that wait for the end'), async () => {
    const stops: string[] = [];
    const steps = [calling('stopper'), 'never'];
    const own: string[] = [];
    const byTool = pluggedAgent({
      steps,
      tools: [noting(own, 'stopper', async () => (await byTool.agent.stop(), 'done'))],
    });
    await byTool.agent.start();
    stops.push(await codeOf(byTool.agent.chat('go')));
    await byTool.agent.stop();
    const waits: Hook = { name: 'waits', timeoutMs: 200, postTurn: () => byHook.agent.stop().then(() => undefined) };
    const byHook = pluggedAgent({ steps: ['ok'], hooks: [waits] });
    await byHook.agent.start();
    stops.push(await codeOf(byHook.agent.chat('go')));
    await byHook.agent.stop();
    expect(stops).toEqual(['cancelled', 'end']);
    expect(problemsAfter({ ...byTool, ran: own })).toEqual([]);
    expect(problemsAfter(byHook)).toEqual([]);
  });
});

/** Tells of each event of the agent's session while it happens. */
function listen({ agent }: PluggedAgent, take: (event: BridleEvent) => void): () => void {
  const { session } = agent.session as unknown as {
    session: { listen(take: (event: BridleEvent) => void): () => void };
  };
  return session.listen(take);
}
