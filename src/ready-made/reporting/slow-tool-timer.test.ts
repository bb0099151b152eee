import { postToolCall, replace } from 'bridle';
import { type SlowCall, slowToolTimer } from 'bridle/ready-made';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { eventsOf, rig, type Rig } from '../../../test/rigs/guard-rig.ts';

/** A rig whose `act` takes a given time. */
async function timed(options: Parameters<typeof rig>[0]): Promise<Rig> {
  const does = { act: ({ args }: { args: { ms: number } }) => made.clock.advance(args.ms) };
  const made: Rig = await rig({ ...options, does: { ...does, ...options?.does } });
  return made;
}

function throwing(): never {
  throw new TypeError('no');
}

describe('slowToolTimer', () => {
  it(proves('E07')('reports each call that took longer than the threshold'), async () => {
    const slow: SlowCall[] = [];
    const hook = slowToolTimer({ thresholdMs: 3000, report: (each) => void slow.push(each) });
    const { call } = await timed({ hooks: [hook] });
    for (const ms of [10, 3000, 3001, 20, 9000]) await call('act', { ms });
    expect(slow.map(({ text }) => text)).toEqual([
      'Slow tool call: act took 3001ms (threshold: 3000ms)',
      'Slow tool call: act took 9000ms (threshold: 3000ms)',
    ]);
    expect(slow[0]).toMatchObject({ tool: 'act', server: undefined, elapsedMs: 3001, outcome: 'ok' });
  });

  it(proves('E07')('sends an event by default, also for a failing call'), async () => {
    const does = {
      act: async () => {
        await failing.clock.advance(50);
        throw new TypeError('broke');
      },
    };
    const failing: Rig = await timed({ hooks: [slowToolTimer({ thresholdMs: 20 })], does });
    await failing.call('act');
    expect(eventsOf(failing, 'custom')).toMatchObject([
      { name: 'slow_tool', data: { tool: 'act', elapsedMs: 50, outcome: 'error' } },
    ]);
  });

  it(proves('E07', 'H07')('has no effect on the call, even if it fails'), async () => {
    const { call } = await timed({ hooks: [slowToolTimer({ thresholdMs: 0, report: throwing })] });
    expect(await call('act', { ms: 5 })).toMatchObject({ type: 'ok' });
  });

  it(proves('E07', 'H04')('reports even if another hook replaced the result'), async () => {
    const slow: SlowCall[] = [];
    const other = postToolCall(() => replace('other'), { name: 'other', priority: 500 });
    const hook = slowToolTimer({ thresholdMs: 1, report: (each) => void slow.push(each) });
    const { call } = await timed({ hooks: [hook, other] });
    expect(await call('act', { ms: 5 })).toMatchObject({ text: 'other' });
    expect(slow).toHaveLength(1);
  });

  it.each([[{}], [{ thresholdMs: -1 }], [{ thresholdMs: 1, report: 'x' }]])(
    proves('E07')('refuses invalid options: %j'),
    (options) => {
      expect(() => slowToolTimer(options as never)).toThrow('slowToolTimer');
    },
  );
});
