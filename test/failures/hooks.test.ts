/** A hook that fails at each of the 15 points, in each way, with each `failOpen`: gates close, everything else goes on. */

import type { Hook, PointName } from 'bridle';
import { fakeClock, type FakeClock } from 'bridle/testing';
import { describe, expect, it } from 'vitest';
import { proves } from '../contract/cite.ts';
import { eventsOf, never } from '../rigs/guard-rig.ts';
import { expectUnharmed, problemsAfter } from './after-failure.ts';
import { codeOf, inTime } from './in-time.ts';
import { pluggedAgent, type PluggedAgent } from './plugged-agent.ts';

/** How the whole story ends if a hook fails at a point: as it would, or with something else. */
interface Ends {
  /** Where `failOpen` is not said. */
  readonly unsaid: string;
  readonly open: string;
  readonly closed: string;
}

const gate: Ends = { unsaid: 'rejected', open: 'end', closed: 'rejected' };
const fatalIfSaid: Ends = { unsaid: 'end', open: 'end', closed: 'HOOK_FATAL' };
const harmless: Ends = { unsaid: 'end', open: 'end', closed: 'end' };

const points: Readonly<Record<PointName, Ends>> = {
  onSessionStart: { unsaid: 'SESSION_REJECTED', open: 'end', closed: 'SESSION_REJECTED' },
  onSessionEnd: harmless,
  preTurn: gate,
  postTurn: fatalIfSaid,
  onTurnError: { unsaid: 'LLM_FAILED', open: 'LLM_FAILED', closed: 'HOOK_FATAL' },
  preLlmCall: gate,
  postLlmCall: gate,
  onLlmError: fatalIfSaid,
  preToolCall: harmless,
  postToolCall: harmless,
  onToolError: harmless,
  onInteraction: harmless,
  preCompaction: fatalIfSaid,
  postCompaction: fatalIfSaid,
  onEvent: harmless,
};

const ways: Readonly<Record<string, () => unknown>> = {
  throws: () => {
    throw new TypeError('faulty');
  },
  rejects: () => Promise.reject(new TypeError('faulty')),
  hangs: () => never(),
};

interface Faulty {
  readonly rig: PluggedAgent;
  readonly clock: FakeClock;
  readonly arm: (armed: boolean) => void;
  readonly failed: () => number;
}

function faulty(point: PointName, fail: () => unknown, failOpen: boolean | undefined): Faulty {
  const clock = fakeClock();
  let armed = point === 'onSessionStart';
  let failures = 0;
  const method = (): unknown => {
    if (!armed) return undefined;
    failures++;
    return fail();
  };
  const hook = { name: 'faulty', priority: 50, timeoutMs: 100, failOpen, [point]: method } as Hook;
  const down = { error: new TypeError('down') };
  const failing = point === 'onTurnError' ? { steps: ['Hello.', down, down, down] } : {};
  const rig = pluggedAgent({ clock, hooks: [hook], retries: 0, ...failing });
  return { rig, clock, arm: (on) => void (armed = on), failed: () => failures };
}

const settings = { unsaid: undefined, open: true, closed: false } as const;
const cases = Object.entries(points).flatMap(([point, ends]) =>
  Object.keys(ways).flatMap((way) =>
    Object.entries(settings).map(([said, failOpen]) => ({
      point: point as PointName,
      way,
      failOpen,
      end: ends[said as keyof Ends],
    })),
  ),
);

describe('a hook', () => {
  it.each(cases)(
    proves('H06', 'H07', 'A22')('at $point that $way, failOpen $failOpen: the turn comes to "$end"'),
    async ({ point, way, failOpen, end }) => {
      const { rig, clock, arm, failed } = faulty(point, ways[way] as () => unknown, failOpen);
      const { agent } = rig;
      const started = await codeOf(
        inTime(
          clock,
          agent.start().then(() => undefined),
        ),
      );
      if (started !== 'fine') {
        expect(started).toBe(end);
        expect(rig.ran).toEqual([]);
        return;
      }
      await inTime(clock, agent.chat('hello'));
      arm(true);
      expect(await codeOf(inTime(clock, agent.chat('go')))).toBe(end);
      if (point !== 'onSessionEnd') expect(failed()).toBeGreaterThan(0);
      expectNothingSlipped(rig, point, failOpen);
      arm(false);
      expect(problemsAfter(rig)).toEqual([]);
      await inTime(clock, expectUnharmed(rig));
      arm(point === 'onSessionEnd');
      const stopped = await codeOf(inTime(clock, agent.stop()));
      expect(stopped).toBe(point === 'onSessionEnd' && failOpen === false ? 'HOOK_FATAL' : 'fine');
      expect(rig.eventTypes().at(-1)).toBe('session_ended');
    },
  );
});

/** A gate that closed let nothing through, and a result that a hook should have looked at did not reach the model. */
function expectNothingSlipped(rig: PluggedAgent, point: PointName, failOpen: boolean | undefined): void {
  const closed = failOpen !== true;
  if (closed && (point === 'preTurn' || point === 'preLlmCall' || point === 'postLlmCall' || point === 'preToolCall')) {
    expect(rig.ran).toEqual([]);
  }
  if (closed && (point === 'preTurn' || point === 'preLlmCall')) expect(rig.models[0]?.calls).toHaveLength(1);
  if (failOpen === false && point === 'postToolCall') {
    expect(JSON.stringify(rig.agent.history)).not.toMatch(/"(seen|acted)"/);
  }
  const told = eventsOf(rig, 'hook_failed').filter(({ hook }) => hook === 'faulty');
  // Whoever answers a question has the time of the question, and its end is no failure of a hook.
  const quiet: readonly PointName[] = ['onEvent', 'onSessionEnd', 'onInteraction'];
  if (!quiet.includes(point)) expect(told.length).toBeGreaterThan(0);
}
