/** The one list of everything that waits. */

import { fakeClock } from 'bridle/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blockingClock, hang } from '../../test/rigs/blocking-clock.ts';
import { proves } from '../../test/contract/cite.ts';
import { runs } from '../../test/property-runs.ts';
import type { Clock } from './clock.ts';
import { Deadlines, deadlinesOf, timedOut, TimedWait, withTimeout } from './deadlines.ts';

class Probe extends TimedWait {
  readonly expiredAt: number[] = [];
  holding = false;

  constructor(
    private readonly clock: Clock,
    private readonly onExpire: () => void = () => {},
  ) {
    super();
  }

  override expire(): void {
    this.expiredAt.push(this.clock.now());
    this.onExpire();
  }

  override isPaused(): boolean {
    return this.holding;
  }
}

describe('a deadline', () => {
  it(proves('H08')('is met within 100 ms, never early, whenever and however many are set'), async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ after: fc.nat(120), limit: fc.integer({ min: 1, max: 400 }), clear: fc.boolean() }), {
          minLength: 1,
          maxLength: 6,
        }),
        async (plan) => {
          const clock = fakeClock();
          const deadlines = new Deadlines(clock);
          const set = [];
          for (const { after, limit, clear } of plan) {
            await clock.advance(after);
            const probe = new Probe(clock);
            deadlines.set(probe, limit);
            set.push({ probe, limit, clear, at: clock.now() });
            if (clear) deadlines.clear(probe);
          }
          await clock.advance(1000);
          for (const { probe, limit, clear, at } of set) {
            expect(probe.expiredAt).toHaveLength(clear ? 0 : 1);
            for (const when of probe.expiredAt) {
              expect(when).toBeGreaterThanOrEqual(at + limit);
              expect(when).toBeLessThanOrEqual(at + limit + 100);
            }
          }
        },
      ),
      { numRuns: runs(100) },
    );
  });

  it(proves('H08')('restarts when it is set again'), async () => {
    const clock = fakeClock();
    const deadlines = new Deadlines(clock);
    const probe = new Probe(clock);
    deadlines.set(probe, 200);
    await clock.advance(190);
    deadlines.set(probe, 200);
    await clock.advance(190);
    expect(probe.expiredAt).toEqual([]);
    await clock.advance(110);
    expect(probe.expiredAt).toHaveLength(1);
  });

  it(proves('H08')('stands still while it is paused'), async () => {
    const clock = fakeClock();
    const deadlines = new Deadlines(clock);
    const [held, free] = [new Probe(clock), new Probe(clock)];
    deadlines.set(held, 200);
    deadlines.set(free, 200);
    await clock.advance(100);
    held.holding = true;
    await clock.advance(10_000);
    expect(free.expiredAt).toHaveLength(1);
    expect(held.expiredAt).toEqual([]);
    deadlines.extendPaused();
    held.holding = false;
    await clock.advance(90);
    expect(held.expiredAt).toEqual([]);
    await clock.advance(110);
    expect(held.expiredAt).toHaveLength(1);
  });

  it(proves('H08')('does not count what passed before it could tick'), async () => {
    const clock = blockingClock();
    const deadlines = new Deadlines(clock);
    const [first, second] = [new Probe(clock), new Probe(clock)];
    deadlines.set(first, 60_000);
    await clock.advance(60);
    clock.block(10_000);
    deadlines.set(second, 100);
    await clock.advance(90);
    expect(second.expiredAt).toEqual([]);
    await clock.advance(110);
    expect(second.expiredAt).toHaveLength(1);
  });

  it(proves('H08')('that another one ended does not expire as well'), async () => {
    const clock = fakeClock();
    const deadlines = new Deadlines(clock);
    const victims = [new Probe(clock), new Probe(clock)];
    const killer = new Probe(clock, () => victims.forEach((each) => deadlines.clear(each)));
    deadlines.set(victims[0] as Probe, 100);
    deadlines.set(killer, 100);
    deadlines.set(victims[1] as Probe, 100);
    await clock.advance(300);
    expect(killer.expiredAt).toHaveLength(1);
    expect(victims.map(({ expiredAt }) => expiredAt.length)).toEqual([0, 1]);
  });

  it(proves('H08')('keeps a ticker only while something waits'), async () => {
    const clock = fakeClock();
    let tickers = 0;
    const counting: Clock = {
      ...clock,
      every: (ms, tick) => {
        tickers++;
        const stop = clock.every(ms, tick);
        return () => {
          tickers--;
          stop();
        };
      },
    };
    const deadlines = deadlinesOf(counting);
    expect(deadlinesOf(counting)).toBe(deadlines);
    const probe = new Probe(clock);
    for (let round = 0; round < 3; round++) {
      expect(tickers).toBe(0);
      deadlines.set(probe, 100);
      deadlines.set(new Probe(clock), 100);
      expect(tickers).toBe(1);
      deadlines.clear(probe);
      deadlines.clear(probe);
      await clock.advance(300);
    }
    expect(tickers).toBe(0);
  });
});

describe('waiting within a limit', () => {
  it(proves('H08')('returns a value that comes within the limit, and the error if it fails'), async () => {
    const deadlines = deadlinesOf(fakeClock());
    expect(await withTimeout(Promise.resolve(7), 100, { deadlines })).toBe(7);
    await expect(withTimeout(Promise.reject(new RangeError('no')), 100, { deadlines })).rejects.toThrow('no');
  });

  it(proves('H08')('ends at the limit, and a late value is ignored'), async () => {
    const clock = fakeClock();
    const deadlines = deadlinesOf(clock);
    let settle!: (value: number) => void;
    let fail!: (error: Error) => void;
    const waits = [
      new Promise<number>((resolve) => (settle = resolve)),
      new Promise<number>((_resolve, reject) => (fail = reject)),
      hang(),
    ].map((promise) => withTimeout(promise, 100, { deadlines }));
    await clock.advance(200);
    expect(await Promise.all(waits)).toEqual([timedOut, timedOut, timedOut]);
    settle(7);
    fail(new RangeError('late'));
    await clock.advance(0);
    expect(await Promise.all(waits)).toEqual([timedOut, timedOut, timedOut]);
  });

  it(
    proves('H08')(
      'does not trust thenables: the second call is ignored, a nested promise is awaited, a throw is an error',
    ),
    async () => {
      const clock = fakeClock();
      const deadlines = deadlinesOf(clock);
      const wait = (promise: unknown): Promise<unknown> =>
        withTimeout(promise as PromiseLike<unknown>, 100, { deadlines }).catch(
          (error: unknown) => (error as Error).message,
        );
      /* oxlint-disable unicorn/no-thenable */
      class Twice extends Promise<unknown> {
        override then(go?: ((value: unknown) => unknown) | null): never {
          go?.(1);
          go?.(2);
          return undefined as never;
        }
      }
      const own = Object.assign(Promise.resolve('real'), {
        then: () => {
          throw new RangeError('own then');
        },
      });
      const results = Promise.all([
        wait({ then: (go: (value: unknown) => void) => (go(1), go(2)) }),
        wait({ then: (go: (value: unknown) => void) => go(hang()) }),
        wait({
          then: () => {
            throw new RangeError('broke');
          },
        }),
        wait(new Twice(() => {})),
        wait(own),
        wait(
          Object.defineProperty(Promise.resolve(1), 'constructor', {
            get: () => {
              throw new RangeError('no constructor');
            },
          }),
        ),
      ]);
      /* oxlint-enable unicorn/no-thenable */
      await clock.advance(200);
      expect(await results).toEqual([1, timedOut, 'broke', 1, 'real', 'no constructor']);
    },
  );
});
