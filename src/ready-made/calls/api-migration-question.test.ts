import { answerQuestions, cancelQuestions, deny, allowAll, onInteraction } from 'bridle';
import type { Question, QuestionResponse } from 'bridle/agent';
import { migrationQuestion } from 'bridle/ready-made';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { never, rig } from '../../../test/rigs/guard-rig.ts';

const hook = migrationQuestion({
  tools: ['act'],
  detect: ({ args }) => (args['api'] === 'fetchAll' ? { from: 'fetchAll()', to: 'query()' } : undefined),
  wrap: ({ args }) => ({ ...args, wrapper: true }),
});

function answering(...responses: QuestionResponse[]) {
  const asked: Question[] = [];
  const person = onInteraction(
    ({ questions }) => {
      asked.push(...questions);
      return answerQuestions(responses);
    },
    { name: 'person' },
  );
  return { asked, person };
}

const args = { api: 'fetchAll' };

function throwing(): never {
  throw new TypeError('no');
}

describe('migrationQuestion', () => {
  it(proves('E08')('asks how to migrate, with three options, and lets a direct replacement run'), async () => {
    const { asked, person } = answering({ selected: [0] });
    const { call, host } = await rig({ hooks: [hook, person] });
    expect(await call('act', args)).toMatchObject({ type: 'ok' });
    expect(host.calls[0]?.args).toEqual(args);
    expect(asked).toEqual([
      {
        question: 'The migration from `fetchAll()` to `query()` has multiple valid approaches. Which strategy?',
        options: [
          { text: 'Direct replacement — swap the call in-place' },
          { text: 'Wrapper function — create a compatibility shim' },
          { text: 'Skip — flag for manual review' },
        ],
        multiSelect: false,
      },
    ]);
  });

  it(proves('E08')('runs a wrapper with other arguments, which policy decides again'), async () => {
    const { person } = answering({ selected: [1] });
    const { call, host } = await rig({ hooks: [hook, person] });
    await call('act', args);
    expect(host.calls[0]?.args).toEqual({ ...args, wrapper: true });
    const strict = [deny('act', { when: ({ wrapper }) => wrapper === true, reason: 'no wrappers' }), allowAll()];
    const denied = await rig({ hooks: [hook, person], policy: strict });
    expect(await denied.call('act', args)).toMatchObject({ type: 'denied', reason: 'no wrappers' });
  });

  it(proves('E08')('refuses a skipped migration, and says so'), async () => {
    const { person } = answering({ selected: [2] });
    const { call, host } = await rig({ hooks: [hook, person] });
    const reason = 'The migration from fetchAll() to query() was skipped and flagged for manual review';
    expect(await call('act', args)).toMatchObject({ type: 'denied', reason });
    expect(host.calls).toEqual([]);
  });

  it(
    proves('E08', 'H06')('refuses without a choice: no answer, no option, free text, cancelled, no person'),
    async () => {
      const people = [
        [],
        [answering({}).person],
        [answering({ selected: [] }).person],
        [answering({ text: 'both, please' }).person],
        [answering({ skipped: true }).person],
        [onInteraction(() => cancelQuestions(), { name: 'person' })],
      ];
      for (const person of people) {
        const { call, host } = await rig({ hooks: [hook, ...person] });
        expect(await call('act', args)).toMatchObject({ type: 'denied', hook: 'migration-question' });
        expect(host.calls).toEqual([]);
      }
    },
  );

  it(proves('E08', 'H08')('waits until the timeout of the question'), async () => {
    const hangs = onInteraction(never, { name: 'person' });
    const { call, clock } = await rig({ hooks: [hook, hangs], askTimeoutMs: 60_000 });
    const calling = call('act', args);
    await clock.advance(61_000);
    expect(await calling).toMatchObject({ type: 'denied', reason: expect.stringContaining('unanswered') });
  });

  it(proves('E08')('ignores other calls, and shows invisible characters'), async () => {
    const { asked, person } = answering({ selected: [0] });
    const odd = migrationQuestion({
      tools: ['act'],
      detect: ({ args: { api } }) => (typeof api === 'string' ? { from: api, to: 'x' } : undefined),
      wrap: ({ args: given }) => given,
    });
    const { call } = await rig({ hooks: [odd, person] });
    await call('look', args);
    await call('act', {});
    expect(asked).toEqual([]);
    await call('act', { api: `a\n\u202eb${'x'.repeat(100_000)}` });
    expect(asked[0]?.question).toContain('a⟨newline⟩ ⟨U+202E⟩b');
    expect(asked[0]?.question.length).toBeLessThan(600);
  });

  it(proves('E08', 'H06')('refuses the call when its own functions fail'), async () => {
    const options = { tools: ['act'], detect: () => ({ from: 'a', to: 'b' }), wrap: () => ({}) };
    const broken = [
      { detect: throwing },
      { detect: () => ({}) as never },
      { wrap: throwing },
      { wrap: () => 'x' as never },
    ];
    for (const each of broken) {
      const { call, host } = await rig({
        hooks: [migrationQuestion({ ...options, ...each }), answering({ selected: [1] }).person],
      });
      expect(await call('act', args)).toMatchObject({ type: 'denied', hook: 'migration-question' });
      expect(host.calls).toEqual([]);
    }
    expect(() => migrationQuestion({ tools: [] } as never)).toThrow('migrationQuestion');
  });
});
