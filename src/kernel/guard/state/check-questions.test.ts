/** Asking a person from a hook: `ctx.ask`, its time and its answers. */

import { allowAll, answerQuestions, type BridleEvent, cancelQuestions, createGuard, type Hook, reject } from 'bridle';
import type { Question } from 'bridle/agent';
import { type FakeClock, fakeClock, memoryJournal } from 'bridle/testing';
import { describe, expect, it } from 'vitest';
import { blockingClock, hang, isPending, sleep } from '../../../../test/rigs/blocking-clock.ts';
import { proves } from '../../../../test/contract/cite.ts';

const tools = [{ name: 'write' }];

/** Somebody who takes some time to answer. */
const person = (clock: FakeClock, afterMs: number): Hook => ({
  name: 'person',
  onInteraction: async () => {
    await sleep(clock, afterMs);
    return answerQuestions([{ text: 'yes' }]);
  },
});

/** A hook that asks, and does something else after that. */
const asker = (then: () => Promise<unknown>): Hook => ({
  name: 'asker',
  timeoutMs: 200,
  preToolCall: async (_payload, ctx) => {
    const { type } = await ctx.ask([{ question: 'May I?' }]);
    await then();
    return type === 'answered' ? undefined : reject(type);
  },
});

async function call(clock: FakeClock, hooks: Hook[], ms: number): Promise<unknown> {
  const options = { tools, policy: allowAll(), hooks, clock, askTimeoutMs: 60_000 };
  const session = await createGuard(options).start();
  const result = session.turn().guard({ tool: 'write' }, { run: () => 'ran' });
  await clock.advance(ms);
  return (await isPending(result)) ? 'pending' : result;
}

function failuresOf(events: readonly BridleEvent[]): unknown[] {
  return events.flatMap((event) =>
    event.type === 'hook_failed' ? [{ hook: event.hook, kind: event.kind, message: event.message }] : [],
  );
}

describe('waiting for a person', () => {
  it(proves('H08', 'S08')("does not count against the hook's limit"), async () => {
    const clock = fakeClock();
    const hooks = [person(clock, 30_000), asker(async () => {})];
    expect(await call(clock, hooks, 29_000)).toBe('pending');
    const again = fakeClock();
    expect(await call(again, [person(again, 30_000), asker(async () => {})], 31_000)).toMatchObject({ type: 'ok' });
  });

  it(proves('H08')('counts against the limit of the question'), async () => {
    const clock = fakeClock();
    const result = await call(clock, [person(clock, 90_000), asker(async () => {})], 60_200);
    expect(result).toMatchObject({ type: 'denied', text: 'unanswered', hook: 'asker' });
  });

  it(proves('H08')('leaves the hook the rest of its own limit, no more'), async () => {
    const clock = fakeClock();
    const hooks = [person(clock, 30_000), asker(hang)];
    expect(await call(clock, hooks, 30_100)).toBe('pending');
    const again = fakeClock();
    const result = await call(again, [person(again, 30_000), asker(hang)], 30_500);
    expect(result).toMatchObject({ type: 'denied', hook: 'asker' });
  });

  it(proves('H08')('is free also if everything stood still meanwhile'), async () => {
    const clock = blockingClock();
    let give!: (value: ReturnType<typeof answerQuestions>) => void;
    const person: Hook = {
      name: 'person',
      onInteraction: () =>
        new Promise((resolve) => {
          give = resolve;
        }),
    };
    const tick: Hook = {
      name: 'asker',
      timeoutMs: 200,
      preToolCall: async (_payload, ctx) => {
        await sleep(clock, 60);
        await ctx.ask([{ question: 'May I?' }]);
        await clock.advance(60);
      },
    };
    const session = await createGuard({
      tools,
      policy: allowAll(),
      hooks: [person, tick],
      clock,
    }).start();
    const result = session.turn().guard({ tool: 'write' }, { run: () => 'ran' });
    await clock.advance(70);
    clock.block(100_000);
    give(answerQuestions([{ text: 'yes' }]));
    expect(await result).toMatchObject({ type: 'ok' });
  });

  it.each([false, true])(
    proves('H08')('does not count if the answering hook blocks the event loop, as a prompt may; proven fast %s'),
    async (proven) => {
      const clock = blockingClock();
      let ms = 0;
      const prompt: Hook = {
        name: 'prompt',
        onInteraction: () => {
          clock.block(ms);
          return answerQuestions([{ text: 'yes' }]);
        },
      };
      const session = await createGuard({
        tools,
        policy: allowAll(),
        hooks: [prompt, asker(async () => {})],
        clock,
      }).start();
      const turn = session.turn();
      for (let round = 0; round < (proven ? 12 : 0); round++) await turn.guard({ tool: 'write' }, { run: () => 'ran' });
      ms = 100_000;
      expect(await turn.guard({ tool: 'write' }, { run: () => 'ran' })).toMatchObject({ type: 'ok' });
    },
  );

  it(proves('H08')('does not excuse a hook that blocks after it, or another blocking hook'), async () => {
    for (const [own, other] of [
      [5000, 0],
      [0, 5000],
    ] as const) {
      const clock = blockingClock();
      const hooks: Hook[] = [
        { name: 'person', onInteraction: async () => (await sleep(clock, 30_000), answerQuestions([{ text: 'yes' }])) },
        asker(async () => clock.block(own)),
        { name: 'other', timeoutMs: 200, preToolCall: () => clock.block(other) },
      ];
      const result = await call(clock, hooks, 31_000);
      expect(result).toMatchObject({ type: 'denied', hook: own > 0 ? 'asker' : 'other' });
    }
  });

  it(proves('H08')('calls nobody else once the question is over'), async () => {
    const clock = fakeClock();
    const called: string[] = [];
    const events: BridleEvent[] = [];
    let wake!: (value: undefined) => void;
    const hooks: Hook[] = [
      {
        name: 'sleeper',
        timeoutMs: 100,
        onInteraction: () => {
          called.push('sleeper');
          return new Promise<undefined>((resolve) => {
            wake = resolve;
          });
        },
      },
      { name: 'next', onInteraction: () => void called.push('next') },
      { name: 'watcher', onEvent: (event) => void events.push(event) },
    ];
    const session = await createGuard({ tools: [], policy: [], hooks, clock, askTimeoutMs: 1000 }).start();
    const asked = session.turn().ask([{ question: 'Anybody?' }]);
    await clock.advance(1200);
    expect(await asked).toEqual({ type: 'unanswered' });
    wake(undefined);
    await clock.advance(1000);
    expect(called).toEqual(['sleeper']);
    expect(failuresOf(events)).toMatchObject([
      { hook: 'sleeper', kind: 'timeout' },
      { hook: 'sleeper', kind: 'late' },
    ]);
  });
});

/** What comes of asking when these hooks can answer, and what was recorded. */
async function ask(questions: unknown, ...methods: (() => unknown)[]): Promise<{ came: unknown; noted: unknown[] }> {
  const journal = memoryJournal();
  const hooks = methods.map((method, index) => ({ name: `h${index}`, onInteraction: method }) as Hook);
  const session = await createGuard({ tools, policy: allowAll(), hooks, journal }).start();
  const came: unknown = await session
    .turn()
    .ask(questions as Question[])
    .catch((error: unknown) => error);
  return { came, noted: journal.entries().map((entry) => (entry.kind === 'noted' ? entry.detail : entry)) };
}

const color: Question = { question: 'Which color?', options: [{ text: 'red' }, { text: 'blue', description: 'sky' }] };
const many: Question = { ...color, multiSelect: true };

describe('asking', () => {
  it(proves('H04', 'S08')('uses the first answer, whose responses are in the order of the questions'), async () => {
    const responses = [{ selected: [1] }, { selected: [0, 1], text: 'both' }, { skipped: true }];
    const questions = [color, many, { question: 'Why?' }];
    const { came, noted } = await ask(
      questions,
      () => undefined,
      async () => answerQuestions(responses),
      () => cancelQuestions(),
    );
    expect(came).toEqual({ type: 'answered', responses });
    expect(noted).toEqual([]);
  });

  it(proves('H04')('can be cancelled, or find nobody'), async () => {
    expect(await ask([color], cancelQuestions)).toMatchObject({ came: { type: 'cancelled' } });
    expect(await ask([color])).toMatchObject({ came: { type: 'unanswered' } });
    expect(await ask([color], () => undefined)).toMatchObject({ came: { type: 'unanswered' } });
  });

  it.each([
    [[color], [], 'answered 0 of 1 questions'],
    [[color], [{ selected: [0] }, {}], 'answered 2 of 1 questions'],
    [[color], [{ selected: [2] }], 'chose option 2 of question 0, which has 2'],
    [[color], [{ selected: [0.5] }], 'chose option 0.5 of question 0, which has 2'],
    [[{ question: 'Why?' }], [{ selected: [0] }], 'chose option 0 of question 0, which has 0'],
    [[color], [{ selected: [0, 1] }], 'chose 2 options of question 0; one may be chosen'],
    [[color, color], [{}, { selected: [7] }], 'chose option 7 of question 1, which has 2'],
  ])(proves('H07')('does not take responses to other questions: %j, %j'), async (questions, responses, message) => {
    const right = questions.map(() => ({ text: 'mine' }));
    const { came, noted } = await ask(
      questions,
      () => answerQuestions(responses),
      () => answerQuestions(right),
    );
    expect(came).toEqual({ type: 'answered', responses: right });
    expect(noted).toEqual([{ hook: 'h0', kind: 'malformed', message, point: 'onInteraction' }]);
  });

  it.each([
    undefined,
    null,
    [],
    'Why?',
    ['Why?'],
    [{}],
    [{ question: ' ' }],
    [{ question: 'Why?', options: 'a' }],
    [{ question: 'Why?', options: [{ text: '' }] }],
    [{ question: 'Why?', multiSelect: 'yes' }],
    [{ question: 'Why?', secret: true }],
  ])(proves('S08', 'G12')('refuses a value that is not a list of questions: %j'), async (questions) => {
    const { came } = await ask(questions, () => answerQuestions([{}]));
    expect(came).toMatchObject({ code: 'OPTION_INVALID' });
  });

  it(proves('S08', 'G12')('keeps to the limits of the guard'), async () => {
    const session = await createGuard({ tools, policy: allowAll(), limits: { answerBytes: 100 } }).start();
    const asked = session.turn().ask([{ question: 'x'.repeat(101) }]);
    await expect(asked).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  });

  it(proves('S08')('is an error while answering'), async () => {
    let error: unknown;
    const hooks: Hook[] = [
      {
        name: 'curious',
        onInteraction: async (_payload, ctx) => {
          error = await ctx.ask([color]).catch((thrown: unknown) => thrown);
          return undefined;
        },
      },
    ];
    const session = await createGuard({ tools, policy: allowAll(), hooks }).start();
    expect(await session.turn().ask([color])).toEqual({ type: 'unanswered' });
    expect(error).toMatchObject({ code: 'ASK_NESTED' });
  });
});
