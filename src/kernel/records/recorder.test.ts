/** What cannot be recorded does not run; what ran and cannot be recorded is told, and stops what has effects. */

import { allowAll, ask, postToolCall, transform, type CallResult, type Journal, type JournalEntry } from 'bridle';
import { fakeClock, memoryJournal, type MemoryJournal } from 'bridle/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { runs } from '../../../test/property-runs.ts';
import {
  entriesOf,
  eventsOf,
  later,
  never,
  only,
  rig,
  story,
  thenable,
  untouchable,
} from '../../../test/rigs/guard-rig.ts';

type Mood = 'take' | 'throw' | 'reject' | 'hang';

interface Moody extends Journal {
  readonly memory: MemoryJournal;
  mood: (entry: JournalEntry) => Mood;
  /** Every entry that was offered, taken or not. */
  readonly offered: JournalEntry[];
}

function moody(mood: Moody['mood'] = () => 'take', slow = false): Moody {
  const memory = memoryJournal();
  const journal: Moody = {
    memory,
    mood,
    offered: [],
    append(entry) {
      journal.offered.push(entry);
      const now = journal.mood(entry);
      if (now === 'throw') throw new RangeError('disk full');
      if (now === 'reject') return Promise.reject(new RangeError('disk full'));
      if (now === 'hang') return never();
      return slow ? Promise.resolve().then(() => memory.append(entry)) : memory.append(entry);
    },
  };
  return journal;
}

const failures = ['throw', 'reject', 'hang'] as const;
const settled =
  (mood: Mood) =>
  (entry: JournalEntry): Mood =>
    entry.kind === 'settled' ? mood : 'take';

describe('a decision', () => {
  for (const mood of failures) {
    for (const tool of ['act', 'look']) {
      it(
        proves('G10')(`that a journal does not take (${mood}) does not take effect: ${tool} does not run`),
        async () => {
          const journal = moody(() => mood);
          const rigged = await rig({ policy: allowAll(), journal });
          const pending = rigged.call(tool);
          await rigged.clock.advance(70_000);
          expect(await pending).toMatchObject({
            type: 'denied',
            status: 'denied',
            reason: expect.stringMatching(
              /could not be recorded, so the call does not run: (disk full|the journal did not answer)/,
            ),
          });
          expect(rigged.host.calls).toEqual([]);
          expect(eventsOf(rigged, 'tool_started')).toEqual([]);
          expect(eventsOf(rigged, 'journal_failed').length).toBeGreaterThan(0);
        },
      );
    }

    it(proves('G10', 'P10')(`to ask that a journal does not take (${mood}) asks nobody`), async () => {
      let asked = 0;
      const rigged = await rig({ policy: ask('act'), approver: () => ++asked > 0, journal: moody(() => mood) });
      const pending = rigged.call('act');
      await rigged.clock.advance(70_000);
      expect(await pending).toMatchObject({ type: 'denied', reason: expect.stringContaining('could not be recorded') });
      expect([asked, rigged.host.calls.length]).toEqual([0, 0]);
    });

    it(proves('G10')(`that was approved and cannot be recorded (${mood}) does not run`), async () => {
      const journal = moody((entry) => (entry.status === 'approved' ? mood : 'take'));
      const rigged = await rig({ policy: ask('act'), approver: () => true, journal });
      const pending = rigged.call('act');
      await rigged.clock.advance(70_000);
      expect(await pending).toMatchObject({ type: 'denied', reason: expect.stringContaining('could not be recorded') });
      expect(rigged.host.calls).toEqual([]);
      expect(story({ journal: journal.memory })).toEqual(['decided asked', 'decided denied']);
    });
  }

  it(proves('G10')('is taken before the tool starts, however long that takes'), async () => {
    const order: string[] = [];
    const taken = later<void>();
    const { call, clock } = await rig({
      policy: allowAll(),
      journal: {
        append: ({ kind }) => (kind === 'decided' ? taken.promise.then(() => void order.push('taken')) : undefined),
      },
      does: { act: () => (order.push('ran'), 'x') },
    });
    const pending = call('act');
    await clock.advance(4_000);
    expect(order).toEqual([]);
    taken.resolve();
    await pending;
    expect(order).toEqual(['taken', 'ran']);
  });

  it(proves('G10')('that a journal takes after it was given up on does not run either'), async () => {
    const taken = later<void>();
    let first = true;
    const rigged = await rig({
      policy: allowAll(),
      journal: { append: () => (first ? ((first = false), taken.promise) : undefined) },
    });
    const pending = rigged.call('act');
    await rigged.clock.advance(31_000);
    expect((await pending).type).toBe('denied');
    taken.resolve();
    await rigged.clock.advance(1_000);
    expect(rigged.host.calls).toEqual([]);
  });

  it(proves('G10')('that is a refusal stays one if it cannot be recorded, and the loss is reported'), async () => {
    for (const mood of ['throw', 'reject'] as const) {
      const rigged = await rig({ default: 'deny', journal: moody(() => mood) });
      expect(await rigged.call('act')).toMatchObject({ type: 'denied', reason: expect.stringContaining('default') });
      expect(await rigged.call('unknown')).toMatchObject({ type: 'invalid' });
      expect(eventsOf(rigged, 'journal_failed').map((event) => event.message)).toEqual(['disk full', 'disk full']);
      expect(eventsOf(rigged, 'tool_denied')).toHaveLength(2);
    }
  });

  it(proves('G10')('waits for a thenable, and treats any other value as success'), async () => {
    for (const [given, type] of [
      [thenable((_yes, no) => no(new RangeError('disk full'))), 'denied'],
      [thenable((yes) => yes(undefined)), 'ok'],
      [false, 'ok'],
    ] as const) {
      const { call } = await rig({ policy: allowAll(), journal: { append: () => given as never } });
      expect((await call('act')).type).toBe(type);
    }
  });

  it(proves('G10')('needs no journal where none is kept'), async () => {
    const { call } = await rig({ policy: allowAll(), journal: undefined });
    expect((await call('act')).type).toBe('ok');
  });
});

describe('a result', () => {
  for (const mood of failures) {
    it(proves('G15')(`that a journal does not take (${mood}) reaches the model, and the loss is told`), async () => {
      const rigged = await rig({ policy: allowAll(), journal: moody(settled(mood)), does: { act: { n: 1 } } });
      const pending = rigged.call('act');
      await rigged.clock.advance(31_000);
      expect(await pending).toMatchObject({ type: 'ok', value: { n: 1 }, isError: false });
      expect(only(eventsOf(rigged, 'journal_failed')).message).toMatch(/disk full|5000 ms/);
      expect(eventsOf(rigged, 'tool_settled')).toHaveLength(1);
    });

    it(
      proves('G15')(`that was not taken (${mood}) stops calls with effects, not those without, until it is`),
      async () => {
        const journal = moody(settled(mood));
        const rigged = await rig({ policy: allowAll(), journal });
        const { clock, host } = rigged;
        const run = async (tool: string) => {
          const pending = rigged.call(tool, { n: host.calls.length });
          await clock.advance(100_000);
          return pending;
        };
        expect((await run('act')).type).toBe('ok');
        expect(await run('act')).toMatchObject({
          type: 'denied',
          reason: expect.stringMatching(/an earlier result could not be recorded: /),
        });
        expect((await run('look')).type).toBe('ok');
        expect(host.calls.map(({ tool }) => tool)).toEqual(['act', 'look']);
        journal.mood = () => 'take';
        expect((await run('act')).type).toBe('ok');
        const { entries } = journal.memory;
        const after = entries().slice(entries().findIndex(({ kind }) => kind === 'settled'));
        // What was missed comes first, in its order; then the decision that had to wait for it.
        expect(after.map(({ kind, status }) => `${kind} ${status}`)).toEqual([
          'settled ok',
          'settled ok',
          'decided allowed',
          'settled ok',
        ]);
        const calls = entriesOf({ journal: journal.memory }, 'settled').map((entry) => entry.call);
        expect(new Set(calls).size).toBe(3);
      },
    );
  }

  it(proves('G15')('that was not taken keeps a person from being asked about calls that would not run'), async () => {
    let asked = 0;
    const journal = moody(settled('throw'));
    const { call } = await rig({ policy: [ask('act')], approver: () => ++asked > 0, journal });
    await call('act');
    expect(await call('act')).toMatchObject({ type: 'denied', reason: expect.stringContaining('earlier result') });
    expect(asked).toBe(1);
  });

  it(proves('G15', 'Q05')('that was not taken is written once, however many calls come at the same time'), async () => {
    const journal = moody(settled('reject'), true);
    const rigged = await rig({ policy: allowAll(), journal });
    await rigged.call('act', { first: true });
    journal.mood = () => 'take';
    const results = await Promise.all(Array.from({ length: 20 }, (_, i) => rigged.call(i % 2 === 0 ? 'act' : 'look')));
    expect(results.map(({ type }) => type)).toEqual(results.map(() => 'ok'));
    const calls = entriesOf({ journal: journal.memory }, 'settled').map((entry) => entry.call);
    expect(calls).toHaveLength(21);
    expect(new Set(calls).size).toBe(21);
  });

  it(proves('G15', 'Q05')('that a journal takes too late is not written a second time'), async () => {
    const memory = memoryJournal();
    const slow = later<void>();
    const rigged = await rig({
      policy: allowAll(),
      journal: {
        append: (entry) =>
          entry.kind === 'settled' && story({ journal: memory }).length === 1
            ? slow.promise.then(() => memory.append(entry))
            : memory.append(entry),
      },
    });
    const first = rigged.call('act');
    await rigged.clock.advance(31_000);
    expect((await first).type).toBe('ok');
    slow.resolve();
    await rigged.clock.advance(100);
    expect((await rigged.call('act')).type).toBe('ok');
    expect(story({ journal: memory })).toEqual(['decided allowed', 'settled ok', 'decided allowed', 'settled ok']);
  });

  it(proves('G15')('that a journal refuses late, after hanging, still counts as missed'), async () => {
    const slow = later<void>();
    const journal = moody();
    let hangs = true;
    const rigged = await rig({
      policy: allowAll(),
      journal: { append: (entry) => (entry.kind === 'settled' && hangs ? slow.promise : journal.append(entry)) },
    });
    const first = rigged.call('act');
    await rigged.clock.advance(31_000);
    await first;
    hangs = false;
    slow.reject(undefined);
    await rigged.clock.advance(100);
    expect((await rigged.call('act')).type).toBe('ok');
    expect(entriesOf({ journal: journal.memory }, 'settled')).toHaveLength(2);
  });

  it(proves('G15', 'G07')('that was not taken is later written as it was, with original and error'), async () => {
    const journal = moody(settled('throw'));
    const { call } = await rig({
      policy: allowAll(),
      journal,
      hooks: [postToolCall(() => transform('masked'), { name: 'mask' })],
      does: { act: { raw: true } },
    });
    await call('act');
    journal.mood = () => 'take';
    await call('look');
    expect(entriesOf({ journal: journal.memory }, 'settled')[0]).toMatchObject({
      tool: 'act',
      result: 'masked',
      original: { raw: true },
    });
  });

  it(
    proves('G10', 'G15', 'Q05')('and every decision are in the journal once, for any failures and any calls'),
    async () => {
      const mood = fc.constantFrom<Mood>('take', 'take', 'take', 'throw', 'reject');
      const step = fc.record({ tool: fc.constantFrom('act', 'look'), together: fc.boolean() });
      await fc.assert(
        fc.asyncProperty(
          fc.array(mood, { maxLength: 40 }),
          fc.array(step, { minLength: 1, maxLength: 12 }),
          async (moods, steps) => {
            let at = 0;
            const journal = moody(() => moods[at++] ?? 'take', true);
            const clock = fakeClock();
            const gaps: string[] = [];
            const running = new Set<string>();
            const check = (call: { id: string; tier: string }): string => {
              const known = journal.memory.entries();
              const decided = known.some(
                (entry) => entry.kind === 'decided' && entry.call === call.id && entry.status === 'allowed',
              );
              if (!decided) gaps.push(`${call.id} ran undecided`);
              running.add(call.id);
              return 'x';
            };
            const rigged = await rig({ clock, policy: allowAll(), journal, does: { act: check, look: check } });
            const results: { type: string; id: string }[] = [];
            let together: Promise<void>[] = [];
            for (const { tool, together: parallel } of steps) {
              const pending = rigged.call(tool).then(({ type, call: { id } }) => void results.push({ type, id }));
              together.push(pending);
              if (parallel) continue;
              await Promise.all(together);
              together = [];
            }
            await Promise.all(together);
            moods.length = 0;
            // The journal works again, so one more call completes what is missing.
            expect((await rigged.call('act')).type).toBe('ok');
            const entries = journal.memory.entries();
            const count = (kind: string, id: string) =>
              entries.filter((entry) => entry.kind === kind && 'call' in entry && entry.call === id).length;
            expect(gaps).toEqual([]);
            expect(results).toHaveLength(steps.length);
            for (const { type, id } of results) {
              expect(running.has(id)).toBe(type === 'ok');
              expect(count('settled', id)).toBe(type === 'ok' ? 1 : 0);
              if (type === 'ok') expect(count('decided', id)).toBe(1);
            }
          },
        ),
        { numRuns: runs(300) },
      );
    },
  );

  it(proves('G15')('missing from the journal, no call with effects runs, for any failures'), async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.boolean(), { maxLength: 30 }),
        fc.array(fc.boolean(), { maxLength: 15 }),
        async (taken, acts) => {
          let at = 0;
          const journal = moody(() => ((taken[at++] ?? true) ? 'take' : 'throw'));
          const ended: string[] = [];
          const rigged = await rig({
            policy: allowAll(),
            journal,
            does: {
              act: () => {
                const known = new Set(entriesOf({ journal: journal.memory }, 'settled').map(({ call }) => call));
                expect(ended.filter((id) => !known.has(id))).toEqual([]);
                return 'x';
              },
            },
          });
          for (const act of acts) {
            const result = await rigged.call(act ? 'act' : 'look');
            if (result.type === 'ok') ended.push(result.call.id);
            else expect(result.type).toBe('denied');
          }
        },
      ),
      { numRuns: runs(300) },
    );
  });
});

describe('a note', () => {
  it(proves('G15', 'Q05')('that a journal does not accept is reported and stops nothing'), async () => {
    for (const mood of ['throw', 'reject'] as const) {
      const journal = moody((entry) => (entry.kind === 'noted' ? mood : 'take'));
      const rigged = await rig({
        policy: allowAll(),
        journal,
        hooks: [postToolCall(() => 'nonsense' as never, { name: 'broken' })],
      });
      expect((await rigged.call('act')).type).toBe('ok');
      expect((await rigged.call('act')).type).toBe('ok');
      await rigged.session.end();
      expect(eventsOf(rigged, 'journal_failed')).toHaveLength(2);
    }
  });
});

/** A journal whose answers the test gives, in any order; each entry is kept when its answer is a yes. */
function manual(): Journal & { readonly memory: MemoryJournal; readonly waiting: ((take: boolean) => void)[] } {
  const memory = memoryJournal();
  const waiting: ((take: boolean) => void)[] = [];
  const append = (entry: JournalEntry): Promise<void> =>
    new Promise((resolve, reject) => {
      waiting.push((take) => {
        if (!take) return reject(new RangeError('disk full'));
        memory.append(entry);
        resolve();
      });
    });
  return { memory, waiting, append };
}

describe('a journal that does not answer', () => {
  const hostile: Readonly<Record<string, () => unknown>> = {
    'never settles': never,
    'never calls back': () => thenable(() => undefined),
    'settles with something that never settles': () => thenable((yes) => yes(thenable(() => undefined))),
    'throws when it is waited for': () =>
      thenable(() => {
        throw new RangeError('trap');
      }),
    'cannot be asked whether it is a promise': untouchable,
  };
  for (const [what, append] of Object.entries(hostile)) {
    for (const policy of [allowAll(), ask('act')]) {
      it(proves('Q08', 'G10')(`and ${what} delays a call by its time limit at most`), async () => {
        const journal = { append: append as Journal['append'] };
        const rigged = await rig({ policy, approver: () => true, journal, journalTimeoutMs: 1_000 });
        const pending = rigged.call('act');
        await rigged.clock.advance(1_100);
        expect(await pending).toMatchObject({
          type: 'denied',
          reason: expect.stringContaining('could not be recorded'),
        });
        expect(rigged.host.calls).toEqual([]);
        const ending = rigged.session.end();
        await rigged.clock.advance(1_100);
        await ending;
      });
    }

    it(proves('Q08', 'G15')(`and ${what} for a result delays that by its time limit at most`), async () => {
      const journal: Journal = { append: ({ kind }) => (kind === 'settled' ? (append() as Promise<void>) : undefined) };
      const rigged = await rig({ policy: allowAll(), journal, journalTimeoutMs: 1_000 });
      const pending = rigged.call('act');
      await rigged.clock.advance(1_100);
      expect((await pending).type).toBe('ok');
      // Calls without effects go on; each record has the limit once.
      const next = rigged.call('look');
      await rigged.clock.advance(1_100);
      expect((await next).type).toBe('ok');
      const third = rigged.call('act');
      await rigged.clock.advance(1_100);
      expect(await third).toMatchObject({ type: 'denied', reason: expect.stringContaining('earlier result') });
    });
  }

  it(proves('Q08')('is waited for 5 seconds if nothing else was said'), async () => {
    const rigged = await rig({ policy: allowAll(), journal: { append: never } });
    let isOver = false;
    const pending = rigged.call('act').finally(() => (isOver = true));
    await rigged.clock.advance(4_900);
    expect(isOver).toBe(false);
    await rigged.clock.advance(200);
    expect(await pending).toMatchObject({ reason: expect.stringContaining('did not answer within 5000 ms') });
  });

  it(proves('Q08')('and accepts a decision late gets a record that the call did not run'), async () => {
    for (const order of [
      [0, 1, 2],
      [1, 0, 2],
    ]) {
      const journal = manual();
      const rigged = await rig({ policy: allowAll(), journal });
      const pending = rigged.call('act');
      await rigged.clock.advance(5_200);
      expect((await pending).type).toBe('denied');
      for (const at of order) {
        journal.waiting[at]?.(true);
        await rigged.clock.advance(10);
      }
      const told = story({ journal: journal.memory });
      expect(told.at(-1)).toBe('decided denied');
      expect(told.filter((each) => each === 'decided allowed')).toHaveLength(1);
      expect(rigged.host.calls).toEqual([]);
    }
  });

  it(proves('Q08')('never ends with a decision that did not take effect, in whichever order it answers'), async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(8), fc.boolean(), fc.integer({ min: 1, max: 6_000 })), { maxLength: 40 }),
        fc.boolean(),
        async (answers, asks) => {
          const journal = manual();
          const policy = asks ? ask('act') : allowAll();
          const rigged = await rig({ policy, approver: () => true, journal });
          const results: CallResult[] = [];
          for (let i = 0; i < 3; i++) void rigged.call('act').then((result) => results.push(result));
          for (const [at, take, ms] of answers) {
            journal.waiting.splice(at, 1)[0]?.(take);
            await rigged.clock.advance(ms);
          }
          let ending: Promise<void> | undefined;
          for (let i = 0; i < 40; i++) {
            // The end of the session writes what the journal has missed.
            if (i === 20) ending = rigged.session.end();
            for (const answer of journal.waiting.splice(0)) answer(true);
            await rigged.clock.advance(1_000);
          }
          await ending;
          expect(results).toHaveLength(3);
          const last = new Map(
            entriesOf({ journal: journal.memory }, 'decided').map((each) => [each.call, each.status]),
          );
          for (const { type, call } of results) {
            const ran = rigged.host.calls.some(({ id }) => id === call.id);
            expect(ran).toBe(type === 'ok');
            const said = last.get(call.id);
            if (said !== undefined) expect(['allowed', 'approved'].includes(said)).toBe(ran);
          }
        },
      ),
      { numRuns: runs(150) },
    );
  });
});
