/**
 * Questions to a person: from the model, a hook, a tool or a custom loop; the first answer wins, and nothing waits
 * forever.
 */

import { answerQuestions, cancelQuestions, onInteraction, type Hook } from 'bridle';
import type { Interaction, Question } from 'bridle/agent';
import { fakeClock } from 'bridle/testing';
import { describe, expect, it } from 'vitest';
import { agentRig, calling, counting, look, resultsIn, settled } from '../../../test/rigs/agent-rig.ts';
import { proves } from '../../../test/contract/cite.ts';
import { conversationProblems } from '../../../test/rigs/conversation.ts';
import { eventsOf, never } from '../../../test/rigs/guard-rig.ts';

const asking = { capabilities: { enabledTools: ['ask_question'] } } as const;
const questions = [
  { question: 'Which colour?', options: [{ text: 'red' }, { text: 'blue', description: 'like the sea' }] },
  { question: 'Which sizes?', options: [{ text: 'S' }, { text: 'M' }, { text: 'L' }], multi_select: true },
  { question: 'Anything else?' },
  { question: 'Your name?' },
];
const ask = calling(['ask_question', { questions }]);

function questionResult(history: readonly { readonly content: unknown }[]): unknown {
  const [part] = resultsIn(history[2]);
  return part?.output.type === 'text' ? JSON.parse(part.output.value) : part?.output;
}

describe('ask_question', () => {
  it(proves('A21')('asks structured questions, and each answer has its question'), async () => {
    const put: (readonly Question[])[] = [];
    const person = onInteraction(
      ({ questions: given }) => {
        put.push(given);
        return answerQuestions([
          { selected: [1] },
          { selected: [0, 2], text: 'or XL' },
          { text: 'no' },
          { skipped: true },
        ]);
      },
      { name: 'person' },
    );
    const { agent, events } = await agentRig([ask, 'fine'], { ...asking, hooks: [person] });
    await agent.chat('order');
    expect(put[0]?.[1]).toMatchObject({ question: 'Which sizes?', multiSelect: true });
    expect(questionResult(agent.history)).toEqual({
      outcome: 'answered',
      answers: [
        { question: 'Which colour?', selected: ['blue'] },
        { question: 'Which sizes?', selected: ['S', 'L'], text: 'or XL' },
        { question: 'Anything else?', text: 'no' },
        { question: 'Your name?', skipped: true },
      ],
    });
    expect(eventsOf({ events }, 'interaction_settled').map(({ outcome }) => outcome)).toEqual(['answered']);
    await agent.stop();
  });

  it(proves('A21')('the first answer wins: no other hook is asked'), async () => {
    const quiet = counting('quiet', { onInteraction: () => undefined });
    const first = onInteraction(() => answerQuestions(questions.map(() => ({ text: 'first' }))), { name: 'first' });
    const second = counting('second', {
      onInteraction: () => answerQuestions(questions.map(() => ({ text: 'second' }))),
    });
    const { agent } = await agentRig([ask, 'fine'], { ...asking, hooks: [quiet.hook, first, second.hook] });
    await agent.chat('order');
    expect(JSON.stringify(questionResult(agent.history))).toContain('first');
    expect([quiet.counts, second.counts]).toEqual([{ onInteraction: 1 }, {}]);
    await agent.stop();
  });

  it(proves('A21')('unanswered if there is no hook, no answer, or the answer is for other questions'), async () => {
    const misfits: readonly Hook[] = [
      { name: 'short', onInteraction: () => answerQuestions([{ text: 'only one' }]) },
      { name: 'beyond', onInteraction: () => answerQuestions([{ selected: [7] }, {}, {}, {}]) },
      { name: 'both', onInteraction: () => answerQuestions([{ selected: [0, 1] }, {}, {}, {}]) },
      { name: 'mute', onInteraction: () => undefined },
    ];
    for (const hooks of [[], ...misfits.map((hook) => [hook])]) {
      const { agent } = await agentRig([ask, 'fine'], { ...asking, hooks });
      expect(await agent.chat('order')).toMatchObject({ text: 'fine' });
      expect(questionResult(agent.history)).toEqual({ outcome: 'unanswered' });
      await agent.stop();
    }
  });

  it(proves('A21')('unanswered after the timeout of the question, whatever the timeout of the hook'), async () => {
    const clock = fakeClock();
    const slow: Hook = { name: 'slow', timeoutMs: 1000, onInteraction: never };
    const { agent } = await agentRig([ask, 'fine'], { ...asking, hooks: [slow], clock, askTimeoutMs: 60_000 });
    let over = false;
    const turn = agent.chat('order').finally(() => (over = true));
    await clock.advance(50_000);
    expect(over).toBe(false);
    await clock.advance(11_000);
    await turn;
    expect(questionResult(agent.history)).toEqual({ outcome: 'unanswered' });
    await agent.stop();
  });

  it(proves('A21')('cancelled by the person, or by cancelling the turn, which leaves a valid history'), async () => {
    const no = onInteraction(() => cancelQuestions(), { name: 'no' });
    const refused = await agentRig([ask, 'fine'], { ...asking, hooks: [no] });
    await refused.agent.chat('order');
    expect(questionResult(refused.agent.history)).toEqual({ outcome: 'cancelled' });
    const hung = await agentRig([ask, 'fine'], { ...asking, hooks: [onInteraction(never, { name: 'hung' })] });
    const turn = hung.agent.chat('order');
    await settled();
    hung.agent.cancel();
    expect(await turn).toMatchObject({ stopReason: 'cancelled' });
    expect(conversationProblems(hung.agent.history)).toEqual([]);
    await Promise.all([refused.agent.stop(), hung.agent.stop()]);
  });

  it(proves('A21')('invalid questions are an error result, and nobody is asked'), async () => {
    const person = counting('person', { onInteraction: () => cancelQuestions() });
    const wrong = [
      {},
      { questions: [] },
      { questions: [{ question: '' }] },
      { questions: [{ question: 'x', options: [{}] }] },
    ];
    const { agent } = await agentRig([calling(...wrong.map((args) => ['ask_question', args] as const)), 'fine'], {
      ...asking,
      hooks: [person.hook],
    });
    await agent.chat('order');
    expect(person.counts).toEqual({});
    const results = resultsIn(agent.history[2]);
    expect(results.map(({ output }) => output.type)).toEqual(wrong.map(() => 'error-text'));
    await agent.stop();
  });
});

describe('questions can also come from', () => {
  const question = [{ question: 'Sure?', options: [{ text: 'yes' }, { text: 'no' }] }];
  const person = onInteraction(() => answerQuestions([{ selected: [0] }]), { name: 'person' });

  it(proves('A21')('a hook, at any point of a turn, and a tool'), async () => {
    const got: [string, Interaction][] = [];
    const asker: Hook = {
      name: 'asker',
      preTurn: async (_payload, ctx) => void got.push(['preTurn', await ctx.ask(question)]),
      preLlmCall: async (_payload, ctx) => void got.push(['preLlmCall', await ctx.ask(question)]),
      preToolCall: async (_payload, ctx) => void got.push(['preToolCall', await ctx.ask(question)]),
      postTurn: async (_payload, ctx) => void got.push(['postTurn', await ctx.ask(question)]),
    };
    const tool = look(async (_args, context) => void got.push(['tool', await context.ask(question)]));
    const { agent, events } = await agentRig([calling('look'), 'fine'], { hooks: [asker, person], tools: [tool] });
    await agent.chat('go');
    const yes = { type: 'answered', responses: [{ selected: [0] }] };
    expect(got).toEqual(
      ['preTurn', 'preLlmCall', 'preToolCall', 'tool', 'preLlmCall', 'postTurn'].map((who) => [who, yes]),
    );
    expect(eventsOf({ events }, 'interaction_asked')).toHaveLength(6);
    await agent.stop();
  });

  it(proves('A21', 'A20')('a custom loop'), async () => {
    const loop = {
      name: 'asking',
      run: async ({ ask: put }: { ask: (questions: readonly Question[]) => Promise<Interaction> }) =>
        (await put(question)).type,
    };
    const { agent } = await agentRig([], { loop, hooks: [person] });
    expect(await agent.chat('go')).toMatchObject({ text: 'answered' });
    await agent.stop();
  });
});
