/** Counters shared by many processes: all or nothing is taken, and no limit or rate is ever exceeded. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { runs } from '../../../test/property-runs.ts';
import { handClock, type HandClock } from '../../../test/rigs/run-rig.ts';
import { describeStores, type StoreRig } from '../../../test/rigs/store-rig.ts';
import type { NamespaceContext } from '../namespace/namespace.ts';
import type { Amounts, Counters, TakeRequest } from './counters.ts';
import { openCounters } from './open-counters.ts';

const damaged = { code: 'STORE_DAMAGED' };

async function countersOf(
  rig: StoreRig,
  clock: () => number,
  options: object = {},
): Promise<{ readonly counters: Counters; readonly parts: NamespaceContext }> {
  const parts = await rig.parts({ clock, ...options });
  return { parts, counters: openCounters(parts) };
}

function holding(id: string): TakeRequest {
  return {
    account: 'a',
    amounts: { calls: 1 },
    limits: { tokens: 100 },
    hold: { id, most: { tokens: 60 }, presumed: { tokens: 20 }, ms: 1000 },
  };
}

describeStores('counters', (rig) => {
  it(proves('R06')('take everything or nothing, and report the limit that was reached'), async () => {
    const { counters } = await countersOf(rig, handClock());
    const call = { account: 'a', amounts: { calls: 1, tokens: 40 }, limits: { tokens: 100, calls: 3 } };
    expect(await counters.used('a')).toEqual({});
    for (let i = 0; i < 3; i++) expect(await counters.take(call)).toBeUndefined();
    // The third request started below the limit; after it the limit is reached.
    expect(await counters.take(call)).toEqual({ by: 'limit', kind: 'tokens', used: 120, of: 100 });
    expect(await counters.take({ ...call, limits: { calls: 3 } })).toMatchObject({ kind: 'calls', used: 3, of: 3 });
    expect(await counters.take({ ...call, amounts: {} })).toMatchObject({ kind: 'tokens' });
    expect(await counters.used('a')).toEqual({ calls: 3, tokens: 120 });
    expect(await counters.take({ account: 'b', amounts: { calls: 1 }, limits: { calls: 1 } })).toBeUndefined();
    expect(await counters.take({ account: 'b', amounts: {}, limits: { calls: 0 } })).toMatchObject({ kind: 'calls' });
    await counters.add('a', { tokens: -30, cost: 0.5 });
    expect(await counters.used('a')).toEqual({ calls: 3, tokens: 90, cost: 0.5 });
    await counters.add('a', { tokens: -1000 });
    expect(await counters.used('a')).toMatchObject({ tokens: 0 });
  });

  it(proves('R06')('always count already spent amounts first'), async () => {
    const { counters } = await countersOf(rig, handClock());
    const take = (spent: number): ReturnType<Counters['take']> =>
      counters.take({ account: 'a', amounts: { calls: 1 }, spent: { ms: spent }, limits: { ms: 100 } });
    expect(await take(60)).toBeUndefined();
    expect(await take(60)).toEqual({ by: 'limit', kind: 'ms', used: 120, of: 100 });
    expect(await take(5)).toMatchObject({ used: 125 });
    expect(await counters.used('a')).toEqual({ calls: 1, ms: 125 });
  });

  it(proves('R06')('enforce rates in any period; a refused request takes nothing'), async () => {
    const clock = handClock();
    const { counters } = await countersOf(rig, clock);
    const take = (): ReturnType<Counters['take']> =>
      counters.take({
        account: 'a',
        amounts: { calls: 1 },
        rates: { calls: { max: 2, perMs: 1000 }, bursts: { max: 3, perMs: 10_000 } },
      });
    expect(await take()).toBeUndefined();
    clock.move(600);
    expect(await take()).toBeUndefined();
    expect(await take()).toEqual({ by: 'rate', kind: 'calls', used: 2, of: 2 });
    clock.move(399);
    expect(await take()).toMatchObject({ kind: 'calls' });
    clock.move(1);
    expect(await take()).toBeUndefined();
    clock.move(1000);
    expect(await take()).toEqual({ by: 'rate', kind: 'bursts', used: 3, of: 3 });
    expect(await counters.used('a')).toEqual({ calls: 3 });
    clock.move(8000);
    expect(await take()).toBeUndefined();
  });

  it(proves('R06')('never let time go back, even if a clock does'), async () => {
    const clock = handClock();
    const { counters } = await countersOf(rig, clock);
    const take = (): ReturnType<Counters['take']> =>
      counters.take({ account: 'a', amounts: {}, rates: { calls: { max: 1, perMs: 1000 } } });
    await counters.take({ account: 'a', amounts: { calls: 1 } });
    clock.move(-900);
    expect(await take()).toBeUndefined();
    expect(await take()).toMatchObject({ by: 'rate' });
    // After the clock is corrected, less time has passed than it shows.
    clock.move(1100);
    expect(await take()).toMatchObject({ by: 'rate' });
    clock.move(799);
    expect(await take()).toMatchObject({ by: 'rate' });
    clock.move(1);
    expect(await take()).toBeUndefined();
  });

  it(proves('R06')('store no more timestamps than the largest rate needs'), async () => {
    const clock = handClock();
    const { counters, parts } = await countersOf(rig, clock);
    const take = (max: number): ReturnType<Counters['take']> =>
      counters.take({ account: 'a', amounts: {}, rates: { calls: { max, perMs: 10 } } });
    for (let i = 0; i < 30; i++) {
      clock.move(10);
      await take(4);
    }
    expect(await parts.database.all('SELECT seq FROM bridle_counter_times')).toHaveLength(4);
    // For deleted timestamps the worst case is assumed.
    for (let i = 0; i < 4; i++) expect(await take(i < 1 ? 4 : 20)).toBeUndefined();
    expect(await take(20)).toBeUndefined();
    clock.move(10);
    for (let i = 0; i < 20; i++) expect(await take(20)).toBeUndefined();
    expect(await take(20)).toMatchObject({ by: 'rate' });
    expect(await parts.database.all('SELECT seq FROM bridle_counter_times')).toHaveLength(20);
  });

  it(proves('R06', 'A18')('count a hold, then the used amount; without a report, the presumed amount'), async () => {
    const clock = handClock();
    const { counters } = await countersOf(rig, clock);
    const tokens = async (): Promise<number | undefined> => (await counters.used('a'))['tokens'];
    expect(await counters.take(holding('one'))).toBeUndefined();
    expect(await counters.take(holding('two'))).toBeUndefined();
    expect(await counters.take(holding('three'))).toMatchObject({ kind: 'tokens', used: 120, of: 100 });
    await counters.settle('a', 'one', { tokens: 5 });
    await counters.settle('a', 'one', { tokens: 5 });
    expect(await tokens()).toBe(65);
    await counters.settle('a', 'nothing', { tokens: 5 });
    expect(await tokens()).toBe(65);
    clock.move(900);
    await counters.renew('a', ['two', 'one', 'nothing'], 1000);
    clock.move(999);
    expect(await tokens()).toBe(65);
    clock.move(1);
    expect(await tokens()).toBe(25);
    expect(await counters.take(holding('four'))).toBeUndefined();
    expect(await tokens()).toBe(85);
    // The process was alive after all: its report replaces the presumed amount, once.
    await counters.settle('a', 'two', { tokens: 50 });
    await counters.settle('a', 'two', { tokens: 50 });
    expect(await tokens()).toBe(115);
    await counters.renew('a', ['two'], 1000);
    expect(await counters.used('a')).toEqual({ calls: 3, tokens: 115 });
  });

  it(proves('R06')('remember a limited number of expired holds'), async () => {
    const clock = handClock();
    const { counters, parts } = await countersOf(rig, clock);
    for (let i = 0; i < 210; i++) {
      const hold = { id: `h${i}`, most: { tokens: 5 }, presumed: { tokens: 2 }, ms: 1 };
      await counters.take({ account: 'a', amounts: {}, hold });
      clock.move(1);
    }
    expect(await counters.used('a')).toEqual({ tokens: 420 });
    await counters.settle('a', 'h0', { tokens: 0 });
    await counters.settle('a', 'h209', { tokens: 0 });
    expect(await counters.used('a')).toEqual({ tokens: 418 });
    const [row] = await parts.database.all('SELECT body FROM bridle_counters');
    expect(String(row?.['body']).length).toBeLessThan(8000);
  });

  it(proves('R06', 'R04')('that were modified, lost or rolled back refuse every request'), async () => {
    const clock = handClock();
    const { counters, parts } = await countersOf(rig, clock);
    const { database } = parts;
    const rates = { calls: { max: 1, perMs: 1000 } };
    const broken = {
      'account changed': `UPDATE bridle_counters SET body = REPLACE(body, '"calls":7', '"calls":1')`,
      'account lost': 'DELETE FROM bridle_counters',
      'time changed': `UPDATE bridle_counter_times SET body = '{"at":1}'`,
      'time lost': 'DELETE FROM bridle_counter_times',
    };
    let count = 0;
    for (const [what, sql] of Object.entries(broken)) {
      const account = `a${count++}`;
      await counters.take({ account, amounts: { calls: 7 }, rates });
      await database.run(`${sql} WHERE account = ?`, [account]);
      const taking = { account, amounts: { calls: 1 }, limits: { calls: 9 }, rates };
      await expect(counters.take(taking), what).rejects.toMatchObject(damaged);
      if (what.startsWith('account')) await expect(counters.used(account), what).rejects.toMatchObject(damaged);
    }
    await counters.take({ account: 'x', amounts: { calls: 7 } });
    await counters.take({ account: 'y', amounts: { calls: 1 } });
    await database.run(`DELETE FROM bridle_counters WHERE account = 'x'`);
    await database.run(`UPDATE bridle_counters SET account = 'x' WHERE account = 'y'`);
    await expect(counters.used('x')).rejects.toMatchObject(damaged);
  });

  it(proves('R01')('are isolated by namespace'), async () => {
    const clock = handClock();
    const [one, other] = await Promise.all(['a', 'b'].map((namespace) => countersOf(rig, clock, { namespace })));
    const taking = {
      account: 'x',
      amounts: { calls: 1 },
      limits: { calls: 1 },
      rates: { calls: { max: 1, perMs: 9 } },
    };
    expect(await one?.counters.take(taking)).toBeUndefined();
    expect(await other?.counters.take(taking)).toBeUndefined();
    expect(await other?.counters.take(taking)).toMatchObject({ by: 'limit' });
  });

  it('refuse invalid numbers', async () => {
    const { counters } = await countersOf(rig, handClock());
    const wrong: readonly object[] = [
      { account: '' },
      { account: 'x'.repeat(201) },
      { account: 7 },
      { amounts: { calls: -1 } },
      { amounts: { calls: Number.NaN } },
      { amounts: JSON.parse('{"__proto__": 1}') },
      { limits: { calls: Number.POSITIVE_INFINITY } },
      { limits: { calls: '5' } },
      { rates: { calls: { max: 0, perMs: 1 } } },
      { rates: { calls: { max: 1.5, perMs: 1 } } },
      { rates: { calls: { max: 1, perMs: 0 } } },
      { hold: { id: '', most: {}, presumed: {}, ms: 1 } },
      { hold: { id: 'h', most: { x: -1 }, presumed: {}, ms: 1 } },
      { hold: { id: 'h', most: {}, presumed: {}, ms: 0 } },
    ];
    const fine = { account: 'a', amounts: {} };
    for (const each of wrong) {
      const taking = { ...fine, ...each } as TakeRequest;
      await expect(counters.take(taking), JSON.stringify(each)).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    }
    await expect(counters.add('a', { x: Number.NaN })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    await expect(counters.settle('a', 'h', { x: -1 })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    expect(await counters.used('a')).toEqual({});
    await counters.take({ account: 'a', amounts: { constructor: 1, toString: 2 }, limits: { valueOf: 1 } });
    expect(await counters.used('a')).toEqual({ constructor: 1, toString: 2 });
  });

  it(proves('R06')('allow exactly the limit under concurrent requests'), async () => {
    const clock = handClock();
    const all = await Promise.all(Array.from({ length: 4 }, () => countersOf(rig, clock)));
    const take = (account: string, limit: object): Promise<boolean[]> =>
      Promise.all(
        Array.from({ length: 100 }, async (_, at) => {
          const counters = all[at % 4]?.counters as Counters;
          return (await counters.take({ account, amounts: { calls: 1 }, ...limit })) === undefined;
        }),
      );
    expect((await take('limit', { limits: { calls: 37 } })).filter(Boolean)).toHaveLength(37);
    expect((await take('rate', { rates: { calls: { max: 23, perMs: 1000 } } })).filter(Boolean)).toHaveLength(23);
    clock.move(1000);
    expect((await take('rate', { rates: { calls: { max: 23, perMs: 1000 } } })).filter(Boolean)).toHaveLength(23);
  });

  it(proves('R06')('behave like a naive model'), { timeout: 60_000 }, async () => {
    const clock = handClock();
    const { counters } = await countersOf(rig, clock);
    const amount = fc.nat({ max: 5 });
    const rate = fc.record({ max: fc.integer({ min: 1, max: 4 }), perMs: fc.constantFrom(5, 10, 30) });
    const op = fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({
          type: fc.constant('take' as const),
          amounts: fc.dictionary(fc.constantFrom('a', 'b'), amount),
          limits: fc.dictionary(fc.constantFrom('a', 'b'), fc.nat({ max: 40 })),
          rates: fc.dictionary(fc.constantFrom('a', 'b'), rate),
          hold: fc.option(fc.record({ most: amount, presumed: amount, ms: fc.constantFrom(4, 20) }), {
            nil: undefined,
          }),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({ type: fc.constant('settle' as const), hold: fc.nat({ max: 9 }), used: amount }),
      },
      { weight: 1, arbitrary: fc.record({ type: fc.constant('renew' as const), hold: fc.nat({ max: 9 }) }) },
      {
        weight: 1,
        arbitrary: fc.record({ type: fc.constant('add' as const), amount: fc.integer({ min: -9, max: 9 }) }),
      },
      { weight: 3, arbitrary: fc.record({ type: fc.constant('move' as const), ms: fc.constantFrom(1, 4, 5, 9) }) },
    );
    let count = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(op, { maxLength: 30 }), async (ops) => {
        const account = `p${count++}`;
        const naive = new Naive(clock);
        let holds = 0;
        for (const each of ops) {
          switch (each.type) {
            case 'take': {
              const { amounts, limits, rates } = each;
              const { most = 0, presumed = 0, ms = 1 } = each.hold ?? {};
              const own = { id: `h${holds}`, most: { a: most }, presumed: { a: presumed }, ms };
              const hold = each.hold === undefined ? undefined : own;
              const full = await counters.take({ account, amounts, limits, rates, hold });
              expect(full === undefined).toBe(naive.take({ account, amounts, limits, rates, hold }));
              if (full === undefined && hold !== undefined) holds++;
              break;
            }
            case 'settle':
              await counters.settle(account, `h${each.hold}`, { a: each.used });
              naive.settle(`h${each.hold}`, each.used);
              break;
            case 'renew':
              await counters.renew(account, [`h${each.hold}`], 7);
              naive.renew(`h${each.hold}`, 7);
              break;
            case 'add':
              await counters.add(account, { b: each.amount });
              naive.add({ b: each.amount });
              break;
            case 'move':
              clock.move(each.ms);
              break;
            default:
              each satisfies never;
          }
          const { a = 0, b = 0 } = await counters.used(account);
          expect({ a, b }).toEqual({ a: naive.counted('a'), b: naive.counted('b') });
        }
      }),
      { numRuns: runs(80) },
    );
  });
});

/** A model that keeps every request and counts from scratch each time. */
class Naive {
  private readonly used: Record<string, number> = { a: 0, b: 0 };
  private readonly times: Record<string, { at: number; max: number }[]> = { a: [], b: [] };
  private readonly holds = new Map<string, { most: number; presumed: number; until: number; settled: boolean }>();
  private readonly lapsed = new Set<string>();

  constructor(private readonly clock: HandClock) {}

  counted(kind: string): number {
    this.lapse();
    const held = kind === 'a' ? [...this.holds].filter(([id, { settled }]) => !settled && !this.lapsed.has(id)) : [];
    return (this.used[kind] ?? 0) + held.reduce((sum, [, { most }]) => sum + most, 0);
  }

  take({ amounts, limits = {}, rates = {}, hold }: TakeRequest): boolean {
    if (Object.entries(limits).some(([kind, of]) => this.counted(kind) >= of)) return false;
    for (const [kind, { max, perMs }] of Object.entries(rates)) {
      const times = this.times[kind] ?? [];
      const kept = times.slice(-Math.max(0, ...times.map((each) => each.max)));
      // Timestamps that no rate needed are deleted; the first known one replaces them.
      const nth = times.length < max ? undefined : (kept.at(-max) ?? kept[0]);
      if (nth !== undefined && nth.at > this.clock() - perMs) return false;
    }
    for (const [kind, { max }] of Object.entries(rates)) this.times[kind]?.push({ at: this.clock(), max });
    this.add(amounts);
    if (hold === undefined) return true;
    const { most, presumed, ms } = hold;
    const kept = { most: most['a'] ?? 0, presumed: presumed['a'] ?? 0, until: this.clock() + ms, settled: false };
    this.holds.set(hold.id, kept);
    return true;
  }

  settle(id: string, used: number): void {
    this.lapse();
    const hold = this.holds.get(id);
    if (hold === undefined || hold.settled) return;
    hold.settled = true;
    this.add({ a: used - (this.lapsed.has(id) ? hold.presumed : 0) });
  }

  renew(id: string, ms: number): void {
    this.lapse();
    const hold = this.holds.get(id);
    if (hold !== undefined && !this.lapsed.has(id)) hold.until = Math.max(hold.until, this.clock() + ms);
  }

  add(amounts: Amounts): void {
    this.lapse();
    for (const [kind, amount] of Object.entries(amounts)) {
      this.used[kind] = Math.max(0, (this.used[kind] ?? 0) + amount);
    }
  }

  private lapse(): void {
    for (const [id, hold] of this.holds) {
      if (hold.settled || this.lapsed.has(id) || hold.until > this.clock()) continue;
      this.lapsed.add(id);
      this.used['a'] = (this.used['a'] ?? 0) + hold.presumed;
    }
  }
}
