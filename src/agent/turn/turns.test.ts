/** Model calls pass their hooks, failures are reported, and a cancel leaves a valid state. */

import {
  onTurnError,
  postLlmCall,
  postTurn,
  preLlmCall,
  preTurn,
  reject,
  replace,
  retry,
  transform,
  type Hook,
} from 'bridle';
import { systemClock } from '../../kernel/clock.ts';
import type { LlmRequest, Message } from 'bridle/agent';
import { fakeClock } from 'bridle/testing';
import { describe, expect, it } from 'vitest';
import { act, agentRig, calling, counting, look, resultsIn, settled } from '../../../test/rigs/agent-rig.ts';
import { proves } from '../../../test/contract/cite.ts';
import { conversationProblems, promptProblems } from '../../../test/rigs/conversation.ts';
import { eventsOf, later, never, only } from '../../../test/rigs/guard-rig.ts';

const used = { inputTokens: 10, outputTokens: 5, cachedInputTokens: 0, cacheCreationTokens: 0 };

function roles(messages: readonly { readonly role: string }[]): string {
  return messages.map(({ role }) => role).join(' ');
}

function lastText(messages: readonly unknown[]): unknown {
  const { content } = messages.at(-1) as Message;
  return typeof content === 'string' ? content : content.at(-1)?.['text'];
}

describe('preLlmCall', () => {
  it(proves('A04')('runs once for each model call, and the model gets its result'), async () => {
    const seen: LlmRequest[] = [];
    const rewrite = preLlmCall(
      (request) => {
        seen.push(request);
        const messages = [
          ...request.messages.slice(0, -1),
          { role: 'user' as const, content: `masked ${seen.length}` },
        ];
        const system = { role: 'system' as const, content: [{ type: 'text', text: 'be brief' }] };
        return transform({ ...request, messages: [system, ...messages], settings: { temperature: 0 } });
      },
      { name: 'rewrite' },
    );
    const { agent, model } = await agentRig([calling('look'), 'done'], { hooks: [rewrite], tools: [look()] });
    await agent.chat('my name is Ada');
    expect(seen).toHaveLength(2);
    expect(model.calls.map(({ prompt }) => [prompt[0]?.content, lastText(prompt)])).toEqual([
      ['be brief', 'masked 1'],
      ['be brief', 'masked 2'],
    ]);
    expect(model.calls[0]?.prompt).toEqual([
      { role: 'system', content: 'be brief' },
      { role: 'user', content: [{ type: 'text', text: 'masked 1' }] },
    ]);
    expect(model.calls[0]?.settings.temperature).toBe(0);
    expect(lastText(agent.history.slice(0, 1))).toBe('my name is Ada');
    await agent.stop();
  });

  it(proves('A04')('that rejects new input leaves nothing in the history, and the next turn works'), async () => {
    const gate = preLlmCall(({ messages }) => (lastText(messages) === 'bad' ? reject('personal data') : undefined), {
      name: 'gate',
    });
    const { agent, model } = await agentRig(['one', 'two'], { hooks: [gate] });
    await agent.chat('good');
    const before = agent.history;
    expect(await agent.chat('bad')).toMatchObject({
      stopReason: 'rejected',
      text: 'personal data',
      steps: 0,
      usage: { inputTokens: 0 },
    });
    expect(agent.history).toEqual(before);
    await agent.chat('good');
    expect(roles(model.calls[1]?.prompt ?? [])).toBe('user assistant user');
    expect(JSON.stringify(agent.history)).not.toContain('bad');
    model.assertDone();
    await agent.stop();
  });

  it(proves('A04')('that rejects during a turn keeps the finished steps and a valid history'), async () => {
    let callCount = 0;
    const gate = preLlmCall(() => (++callCount === 2 ? reject('enough') : undefined), { name: 'gate' });
    const { agent, model } = await agentRig([calling('act'), 'fine'], { hooks: [gate], tools: [act()] });
    expect(await agent.chat('go')).toMatchObject({ stopReason: 'rejected', text: 'enough' });
    expect(roles(agent.history)).toBe('user assistant tool');
    await agent.chat('on');
    expect(promptProblems(model.calls[1]?.prompt ?? [])).toEqual([]);
    await agent.stop();
  });

  it(proves('A04')('that fails rejects the call, and the reason names it'), async () => {
    const broken = preLlmCall(
      () => {
        throw new TypeError('no');
      },
      { name: 'broken' },
    );
    const { agent, model } = await agentRig([], { hooks: [broken] });
    expect(await agent.chat('go')).toMatchObject({ stopReason: 'rejected', text: expect.stringContaining('broken') });
    model.assertDone();
    await agent.stop();
  });
});

describe('postLlmCall', () => {
  it(proves('A04')('that rejects stores nothing and runs no tool; the usage of the answer counts'), async () => {
    const executed: string[] = [];
    const gate = postLlmCall(() => reject('not this'), { name: 'gate' });
    const { agent, events } = await agentRig([{ text: 'secret', ...calling('act'), usage: used }], {
      hooks: [gate],
      tools: [act(() => void executed.push('act'))],
    });
    const result = await agent.chat('go');
    expect(result).toMatchObject({ stopReason: 'rejected', text: 'not this', usage: used, thinking: '' });
    expect({ ran: executed, history: agent.history }).toEqual({ ran: [], history: [] });
    expect(agent.usage.total).toEqual(used);
    expect(only(eventsOf({ events }, 'llm_rejected'))).toMatchObject({
      hook: 'gate',
      reason: 'not this',
      next: 'fail',
    });
    expect(JSON.stringify(events)).not.toContain('secret');
    await agent.stop();
  });

  it(
    proves('A04')('that sends an answer back: the feedback reaches the model, and stays out of the history'),
    async () => {
      const gate = postLlmCall(
        ({ response }) => (response.text.includes('secret') ? retry('leave the secret out') : undefined),
        { name: 'gate' },
      );
      const { agent, model, events } = await agentRig(
        [
          { text: 'the secret', usage: used },
          { text: 'secret again', usage: used, ...calling('act') },
          { text: 'fine', usage: used },
        ],
        { hooks: [gate], tools: [act()] },
      );
      const result = await agent.chat('go');
      expect(result).toMatchObject({
        text: 'fine',
        stopReason: 'end',
        steps: 1,
        usage: { inputTokens: 30, outputTokens: 15 },
      });
      expect(model.calls.map(({ prompt }) => roles(prompt))).toEqual([
        'user',
        'user assistant user',
        'user assistant user assistant user',
      ]);
      expect(lastText(model.calls[2]?.prompt ?? [])).toBe('leave the secret out');
      for (const { prompt } of model.calls) expect(promptProblems(prompt)).toEqual([]);
      expect(roles(agent.history)).toBe('user assistant');
      expect(JSON.stringify([agent.history, eventsOf({ events }, 'text_delta')])).not.toContain('secret');
      expect(eventsOf({ events }, 'llm_rejected').map(({ next }) => next)).toEqual(['retry', 'retry']);
      await agent.stop();
    },
  );

  it(
    proves('A04')('that always sends answers back is stopped after 8 in a row, with an error that names it'),
    async () => {
      const counted = counting('picky', { preLlmCall: () => undefined, postLlmCall: () => retry('better') });
      const { agent, model, events } = await agentRig([{ text: 'no good', usage: used }], {
        script: { repeat: true },
        hooks: [counted.hook],
      });
      await expect(agent.chat('go')).rejects.toMatchObject({
        code: 'LLM_REJECTED',
        message: expect.stringContaining('"picky"'),
      });
      expect(counted.counts).toEqual({ preLlmCall: 9, postLlmCall: 9 });
      expect(model.calls).toHaveLength(9);
      expect(agent.usage.total.inputTokens).toBe(90);
      expect(agent.history).toEqual([]);
      expect(eventsOf({ events }, 'llm_rejected').map(({ next }) => next)).toEqual([
        ...Array<string>(8).fill('retry'),
        'fail',
      ]);
      expect(only(eventsOf({ events }, 'turn_ended'))).toMatchObject({
        stopReason: 'error',
        usage: { inputTokens: 90 },
      });
      await agent.stop();
    },
  );

  it(
    proves('A04')('that accepts after 8 rejections lets the turn continue; the next answer counts from 0'),
    async () => {
      let callCount = 0;
      const picky = postLlmCall(() => (++callCount % 9 === 0 ? undefined : retry('better')), { name: 'picky' });
      const steps = [...Array<string>(8).fill('no'), calling('act'), ...Array<string>(8).fill('no'), 'fine'];
      const { agent, model } = await agentRig(steps, { hooks: [picky], tools: [act()] });
      expect(await agent.chat('go')).toMatchObject({ text: 'fine', steps: 2 });
      model.assertDone();
      await agent.stop();
    },
  );

  it(proves('A04')('that changes an answer changes what is stored, streamed and run'), async () => {
    const executed: unknown[] = [];
    const change = postLlmCall(
      ({ response }) =>
        transform({
          ...response,
          text: response.text.replace('secret', '***'),
          toolCalls: response.toolCalls.map((call) => ({ ...call, args: { x: 2 } })),
        }),
      { name: 'change' },
    );
    const { agent, events } = await agentRig([{ text: 'secret', ...calling(['act', { x: 1 }]) }, 'a secret'], {
      hooks: [change],
      tools: [act((args) => (executed.push(args), 'done'))],
    });
    expect(await agent.chat('go')).toMatchObject({ text: 'a ***' });
    expect(executed).toEqual([{ x: 2 }]);
    expect(JSON.stringify([agent.history, events])).not.toContain('secret');
    expect(conversationProblems(agent.history)).toEqual([]);
    await agent.stop();
  });

  it(proves('A04')('that produces two calls with the same id rejects the answer'), async () => {
    const twice = postLlmCall(
      ({ response }) => transform({ ...response, toolCalls: [...response.toolCalls, ...response.toolCalls] }),
      { name: 'twice' },
    );
    const { agent } = await agentRig([calling('act')], { hooks: [twice], tools: [act()] });
    expect(await agent.chat('go')).toMatchObject({ stopReason: 'rejected', text: expect.stringContaining('call-1') });
    expect(agent.history).toEqual([]);
    await agent.stop();
  });
});

/** A fatal hook that fails at a point. */
function strict(point: 'postTurn' | 'onTurnError'): Hook {
  return { name: `strict ${point}`, failOpen: false, [point]: broken };
}

function broken(): never {
  throw new TypeError('no');
}

describe('a failure', () => {
  const down = { error: new TypeError('down') };

  it(proves('A22')('of the model ends only that turn'), async () => {
    const { agent, events } = await agentRig([down, 'fine']);
    await expect(agent.chat('go')).rejects.toMatchObject({ code: 'LLM_FAILED', cause: down.error });
    expect(agent.history).toEqual([]);
    expect(await agent.chat('again')).toMatchObject({ text: 'fine' });
    expect(eventsOf({ events }, 'turn_ended').map(({ stopReason }) => stopReason)).toEqual(['error', 'end']);
    await agent.stop();
  });

  it(proves('A22')('of the model can be replaced by a hook, the first of them'), async () => {
    const output = { text: 'sorry', thinking: '', steps: 0, usage: used, stopReason: 'excused' };
    const errors: unknown[] = [];
    const excuse = onTurnError(
      ({ input, error }) => (errors.push([input.text, (error as Error).message]), replace(output)),
      { name: 'excuse' },
    );
    const after = counting('after', {
      onTurnError: () => replace({ ...output, text: 'no' }),
      postTurn: () => undefined,
    });
    const { agent, events } = await agentRig([down], { hooks: [excuse, after.hook] });
    expect(await agent.chat('go')).toMatchObject({ text: 'sorry', stopReason: 'excused' });
    expect(errors).toEqual([['go', expect.stringContaining('down')]]);
    expect(after.counts).toEqual({});
    expect(only(eventsOf({ events }, 'turn_ended'))).toMatchObject({ stopReason: 'excused' });
    await agent.stop();
  });

  it(proves('A22')('after tools have run keeps their results'), async () => {
    const { agent } = await agentRig([calling('act'), down], { tools: [act()] });
    await expect(agent.chat('go')).rejects.toMatchObject({ code: 'LLM_FAILED' });
    expect(roles(agent.history)).toBe('user assistant tool');
    await agent.stop();
  });

  it(proves('A22')('of a tool, an unknown tool, or a denial is a result for the model'), async () => {
    const fail = act(() => {
      throw new TypeError('broken pipe');
    }, 'fail');
    const gate: Hook = {
      name: 'gate',
      preToolCall: ({ call }) => (call.tool === 'act' ? reject('not allowed') : undefined),
    };
    const { agent } = await agentRig([calling('fail', 'act', 'nothing', ['look', '{"x":']), 'fine'], {
      hooks: [gate],
      tools: [fail, act(), look()],
    });
    expect(await agent.chat('go')).toMatchObject({ text: 'fine', stopReason: 'end' });
    const outputs = resultsIn(agent.history[2]).map(({ output }) => output);
    expect(outputs.map(({ type }) => type)).toEqual(Array(4).fill('error-text'));
    expect(outputs[0]?.value).toContain('broken pipe');
    expect(outputs[1]?.value).toBe('not allowed');
    expect(outputs[2]?.value).toContain('nothing');
    await agent.stop();
  });

  it(proves('A22')('of an observer is ignored; of a result hook it is reported, and the turn continues'), async () => {
    const bad: Hook = {
      name: 'bad',
      onEvent: () => {
        throw new TypeError('event');
      },
      postTurn: () => {
        throw new TypeError('post');
      },
    };
    const { agent, events } = await agentRig(['fine'], { hooks: [bad] });
    expect(await agent.chat('go')).toMatchObject({ text: 'fine' });
    expect(eventsOf({ events }, 'hook_failed').map(({ point }) => point)).toEqual(['postTurn']);
    await agent.stop();
  });

  it(proves('A22')('of a fatal hook ends the turn with an error that names the hook and the cause'), async () => {
    const post = await agentRig(['fine'], { hooks: [strict('postTurn')] });
    await expect(post.agent.chat('go')).rejects.toMatchObject({
      code: 'HOOK_FATAL',
      message: expect.stringContaining('strict postTurn'),
    });
    expect(only(eventsOf(post, 'turn_ended'))).toMatchObject({ stopReason: 'error' });
    const error = await agentRig([down], { hooks: [strict('onTurnError')] });
    await expect(error.agent.chat('go')).rejects.toMatchObject({ code: 'HOOK_FATAL', cause: { code: 'LLM_FAILED' } });
    await Promise.all([post.agent.stop(), error.agent.stop()]);
  });

  it(
    proves('A22')('a turn that preTurn rejects calls no model and gives the reason, which postTurn may change'),
    async () => {
      const gate = preTurn(({ prompt }) => (prompt.text === 'no' ? reject('closed') : undefined), { name: 'gate' });
      const shout = postTurn(({ output }) => transform({ ...output, text: output.text.toUpperCase() }), {
        name: 'shout',
      });
      const { agent, model } = await agentRig(['fine'], { hooks: [gate, shout] });
      expect(await agent.chat('no')).toMatchObject({ stopReason: 'rejected', text: 'closed', steps: 0 });
      expect(await agent.chat('yes')).toMatchObject({ text: 'FINE' });
      model.assertDone();
      await agent.stop();
    },
  );

  it(proves('A22')('too many steps, a cut answer and a filtered one end the turn with their reasons'), async () => {
    const { agent } = await agentRig(
      [
        calling('look'),
        calling('look'),
        { text: 'half', finishReason: 'length' },
        { text: '', finishReason: 'content-filter' },
      ],
      { tools: [look()], maxSteps: 2 },
    );
    expect(await agent.chat('go')).toMatchObject({ stopReason: 'max_steps', steps: 2 });
    expect(await agent.chat('go')).toMatchObject({ stopReason: 'length', text: 'half' });
    expect(await agent.chat('go')).toMatchObject({ stopReason: 'content_filter' });
    expect(conversationProblems(agent.history)).toEqual([]);
    await agent.stop();
  });
});

describe('a cancel', () => {
  it(proves('A07')('during a model call ends the turn, leaves no trace, and aborts the call'), async () => {
    const { agent, model, events } = await agentRig([{ text: 'a long answer', chunks: 4, hang: true }, 'fine'], {});
    const stream = agent.stream('go');
    for await (const event of stream) if (event.type === 'text_delta') agent.cancel();
    agent.cancel();
    expect(await stream.result).toMatchObject({ stopReason: 'cancelled', steps: 0 });
    expect(agent.history).toEqual([]);
    expect(await agent.chat('again')).toMatchObject({ text: 'fine' });
    expect(eventsOf({ events }, 'turn_ended').map(({ stopReason }) => stopReason)).toEqual(['cancelled', 'end']);
    model.assertDone();
    await agent.stop();
  });

  it(proves('A07')('aborts the current request to the model'), async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const hangingStep = ({ abortSignal }: { abortSignal?: AbortSignal | undefined }) => (
      signals.push(abortSignal),
      never()
    );
    const { agent } = await agentRig([hangingStep]);
    const turn = agent.chat('go');
    await settled();
    expect(only(signals)?.aborted).toBe(false);
    agent.cancel();
    await turn;
    expect(only(signals)?.aborted).toBe(true);
    await agent.stop();
  });

  it(proves('A07')('ends a model call that ignores the signal, and the wait before a retry'), async () => {
    const clock = fakeClock();
    const { agent } = await agentRig(
      [never, { error: Object.assign(new TypeError('busy'), { isRetryable: true, statusCode: 529 }) }],
      {
        clock,
        retries: 2,
      },
    );
    const deaf = agent.chat('go');
    await settled();
    agent.cancel();
    expect(await deaf).toMatchObject({ stopReason: 'cancelled' });
    const paused = agent.chat('go');
    paused.catch(() => undefined);
    await settled();
    agent.cancel();
    const [end] = await Promise.allSettled([paused]);
    expect(end).toMatchObject({ status: 'fulfilled', value: { stopReason: 'cancelled' } });
    await agent.stop();
  });

  it(proves('A07')('during tool calls gives every call a result, also if called twice'), async () => {
    const started = later<undefined>();
    const aborted: unknown[] = [];
    const cancels = counting('cancels', { postToolCall: () => undefined });
    const hang = look((_args, { signal }) => {
      signal.addEventListener('abort', () => aborted.push(signal.reason));
      started.resolve(undefined);
      return never();
    }, 'hang');
    const { agent, model, journal } = await agentRig([calling('act', 'hang', 'look', 'act'), 'fine'], {
      tools: [act(), look(), hang],
      hooks: [cancels.hook],
    });
    const turn = agent.chat('go');
    await started.promise;
    agent.cancel();
    agent.cancel();
    expect(await turn).toMatchObject({ stopReason: 'cancelled' });
    expect(aborted).toEqual(['cancelled']);
    expect(conversationProblems(agent.history)).toEqual([]);
    expect(roles(agent.history)).toBe('user assistant tool');
    expect(journal.entries().map(({ kind, status }) => `${kind} ${status}`)).toContain('settled cancelled');
    await agent.chat('on');
    expect(promptProblems(model.calls[1]?.prompt ?? [])).toEqual([]);
    await agent.stop();
  });

  it(proves('A07')('by the signal of the caller works, before and while the turn runs'), async () => {
    const { agent, model } = await agentRig([{ text: 'x', hang: true }]);
    const controller = new AbortController();
    const running = agent.chat('go', { signal: controller.signal });
    await settled();
    controller.abort();
    expect(await running).toMatchObject({ stopReason: 'cancelled' });
    expect(await agent.chat('go', { signal: AbortSignal.abort() })).toMatchObject({ stopReason: 'cancelled' });
    model.assertDone();
    await agent.stop();
  });

  it(proves('A07')('of a queued stream drops only that one'), async () => {
    const gate = later<string>();
    const { agent, model } = await agentRig([() => gate.promise, 'third']);
    const first = agent.chat('one');
    const second = agent.stream('two');
    const third = agent.chat('three');
    second.cancel();
    second.cancel();
    await settled();
    gate.resolve('first');
    expect(await first).toMatchObject({ text: 'first' });
    expect(await second.result).toMatchObject({ stopReason: 'cancelled' });
    expect(await third).toMatchObject({ text: 'third' });
    model.assertDone();
    await agent.stop();
  });

  it(proves('A07')('from inside any hook ends the turn there, and the next one works'), async () => {
    const points = [
      'preTurn',
      'preLlmCall',
      'postLlmCall',
      'onLlmError',
      'preToolCall',
      'postToolCall',
      'onToolError',
      'onInteraction',
      'preCompaction',
    ] as const;
    for (const point of points) {
      let armed = true;
      const stop: Hook = {
        name: 'stop',
        [point]: () => {
          if (armed) rig.agent.cancel();
          armed = false;
        },
      };
      const busy = { error: Object.assign(new TypeError('busy'), { isRetryable: true }) };
      const question = { questions: [{ question: 'Which?' }] };
      const steps = [calling('look'), 'long '.repeat(90), busy, calling('fail', ['ask_question', question]), 'fine'];
      let callCount = 0;
      // A summary is asked for without tools.
      const next = ({ tools = [] }: { tools?: readonly unknown[] }) =>
        tools.length === 0 ? 'short' : (steps[callCount++ % steps.length] ?? '');
      const rig = await agentRig([next], {
        script: { repeat: true },
        hooks: [stop],
        retries: 3,
        clock: {
          ...systemClock,
          every: (_ms, tick) => systemClock.every(1, tick),
          now: () => performance.now() * 1000,
        },
        compaction: { atTokens: 100, keepTurns: 1 },
        capabilities: { enabledTools: ['look', 'fail', 'ask_question'] },
        tools: [
          look(),
          act(() => {
            throw new TypeError('broken');
          }, 'fail'),
        ],
      });
      const reasons: string[] = [];
      for (let turn = 0; turn < 5; turn++) {
        reasons.push((await rig.agent.chat(`turn ${turn}`)).stopReason);
        expect(conversationProblems(rig.agent.history)).toEqual([]);
      }
      expect([point, reasons.filter((reason) => reason === 'cancelled')]).toEqual([point, ['cancelled']]);
      expect(reasons.at(-1)).toBe('end');
      for (const { prompt } of rig.model.calls) expect(promptProblems(prompt)).toEqual([]);
      await rig.agent.stop();
    }
  });
});
