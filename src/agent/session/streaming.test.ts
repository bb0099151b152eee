/** A stream is one buffer with any number of readers. `chat` runs the same turn without readers. */

import { postLlmCall, type BridleEvent, type Hook } from 'bridle';
import type { TurnStream } from 'bridle/agent';
import { audit, costTracker, logging, outputGuardrail, slowToolTimer } from 'bridle/ready-made';
import { scriptedModel, type ScriptedStep } from 'bridle/testing';
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { act, agentRig, calling, drained, look, settled, type AgentRigOptions } from '../../../test/rigs/agent-rig.ts';
import { proves } from '../../../test/contract/cite.ts';
import { eventsOf, later } from '../../../test/rigs/guard-rig.ts';
import { runs } from '../../../test/property-runs.ts';

async function textOf(stream: TurnStream): Promise<string> {
  return (await drained(stream.textStream)).items.join('');
}

function types(events: readonly BridleEvent[]): readonly string[] {
  return events.map(({ type }) => type);
}

describe('the readers of a stream', () => {
  it(proves('A05')('each see everything from the beginning, at their own pace, also after the end'), async () => {
    const { agent } = await agentRig([{ text: 'one two three', chunks: 5, thinking: 'hm' }, 'x']);
    const stream = agent.stream('go');
    const slow = stream[Symbol.asyncIterator]();
    const first = await slow.next();
    const fast = await drained(stream);
    expect(first.value).toEqual(fast.items[0]);
    expect(fast.items.at(-1)).toMatchObject({ type: 'turn_ended', stopReason: 'end' });
    const rest: BridleEvent[] = [];
    for (let next = await slow.next(); next.done !== true; next = await slow.next()) rest.push(next.value);
    expect(rest).toEqual(fast.items.slice(1));
    expect(await drained(stream)).toEqual(fast);
    expect(await textOf(stream)).toBe('one two three');
    expect((await stream.result).text).toBe('one two three');
    await agent.stop();
  });

  it(proves('A05')('that never read, or stop early, block nothing'), async () => {
    const { agent } = await agentRig([{ text: 'word '.repeat(500), chunks: 500 }, 'next']);
    const stream = agent.stream('go');
    const stuck = stream[Symbol.asyncIterator]();
    await stuck.next();
    for await (const _ of stream) break;
    expect((await stream.result).text).toHaveLength(2500);
    expect(await agent.chat('next')).toMatchObject({ text: 'next' });
    expect((await drained(stream)).items.filter(({ type }) => type === 'text_delta')).toHaveLength(500);
    await agent.stop();
  });

  it(proves('A05')('each get the error after everything else, and one terminal event'), async () => {
    const { agent } = await agentRig([{ text: 'half of it', chunks: 2, cut: new TypeError('cut') }]);
    const stream = agent.stream('go');
    const readers = await Promise.all([drained(stream), drained(stream), drained(stream.textStream)]);
    readers.push(await drained(stream));
    await expect(stream.result).rejects.toMatchObject({ code: 'LLM_FAILED' });
    for (const { error } of readers) expect(error).toMatchObject({ code: 'LLM_FAILED' });
    const [events] = readers;
    expect(types(events?.items ?? []).filter((type) => type === 'turn_ended')).toHaveLength(1);
    expect(events?.items.at(-1)).toMatchObject({ type: 'turn_ended', stopReason: 'error' });
    await agent.stop();
  });

  it(proves('A05')('an error that nobody reads is not an unhandled rejection'), async () => {
    const seen: unknown[] = [];
    const note = (reason: unknown): void => void seen.push(reason);
    process.on('unhandledRejection', note);
    const { agent } = await agentRig([{ error: new TypeError('down') }]);
    agent.stream('go');
    agent.stream('   ');
    for (let wait = 0; wait < 5; wait++) await settled();
    await agent.stop();
    process.off('unhandledRejection', note);
    expect(seen).toEqual([]);
  });

  it(proves('A05')('see only their own turn'), async () => {
    const { agent } = await agentRig(['one', 'two', 'three'], {});
    const other = await agent.open({});
    const streams = [agent.stream('a'), agent.stream('b'), other.stream('c')];
    const read = await Promise.all(streams.map(drained));
    for (const { items } of read) {
      expect(new Set(items.map(({ turn, session }) => `${session} ${turn}`)).size).toBe(1);
      expect(types(items)[0]).toBe('turn_started');
      expect(types(items).filter((type) => type === 'turn_ended')).toHaveLength(1);
    }
    await agent.stop();
  });
});

describe('a stream ends', () => {
  it(proves('A05')('with the end of its own turn, despite events of subagents, late tools and observers'), async () => {
    const late = later<string>();
    const hooks: Hook[] = [
      { name: 'straggler', detached: true, postTurn: (_payload, ctx) => settled().then(() => ctx.emit('late')) },
      { name: 'chatty', onEvent: (event, ctx) => (event.type === 'turn_ended' ? ctx.emit('seen') : undefined) },
    ];
    const { agent } = await agentRig(
      [
        calling('slow'),
        calling(['start_subagent', { agent: 'helper', prompt: 'help' }]),
        'from the helper',
        'fine',
        'next',
      ],
      { hooks, tools: [look(() => late.promise, 'slow')], capabilities: 'all', subagents: { helper: {} } },
    );
    const cancelled = agent.stream('wait');
    for await (const { type } of cancelled) if (type === 'tool_started') cancelled.cancel();
    const stream = agent.stream('go');
    for await (const { type } of stream) if (type === 'subagent_started') late.resolve('too late');
    const { items } = await drained(stream);
    expect(items.at(-1)).toMatchObject({ type: 'turn_ended', agent: ['main'], stopReason: 'end' });
    const ends = items.filter(({ type }) => type === 'turn_ended');
    expect(ends.map(({ agent: path }) => path)).toEqual([['main', 'helper'], ['main']]);
    expect(items.filter(({ turn }) => turn === 1)).toEqual([]);
    expect(await textOf(stream)).toBe('fine');
    await agent.stop();
  });
});

describe('with a hook that can reject answers', () => {
  it(proves('A05')('no text is streamed before the hook has passed it, and no rejected text'), async () => {
    const hookReached = later<undefined>();
    const released = later<undefined>();
    const gate: Hook = {
      name: 'gate',
      async postLlmCall({ response }) {
        if (response.text.includes('wrong')) return { type: 'retry', feedback: 'no' };
        hookReached.resolve(undefined);
        await released.promise;
        return undefined;
      },
    };
    const { agent, events } = await agentRig(
      [
        { text: 'wrong words', chunks: 4, thinking: 'wrong idea' },
        { text: 'good words', chunks: 4, thinking: 'ok' },
      ],
      { hooks: [gate] },
    );
    const stream = agent.stream('go');
    await hookReached.promise;
    expect(types(events).filter((type) => type.endsWith('_delta'))).toEqual([]);
    released.resolve(undefined);
    expect(await textOf(stream)).toBe('good words');
    expect(JSON.stringify(events)).not.toContain('wrong');
    await agent.stop();
  });

  it(proves('A05')('the streamed text is the text after the hook'), async () => {
    const mask = postLlmCall(({ response }) => ({ type: 'transform', value: { ...response, text: '***' } }), {
      name: 'mask',
    });
    const { agent } = await agentRig([{ text: 'secret', chunks: 3 }], { hooks: [mask] });
    const stream = agent.stream('go');
    expect(await textOf(stream)).toBe('***');
    expect((await stream.result).text).toBe('***');
    await agent.stop();
  });
});

const write = (): void => {};
const deltas = (events: readonly BridleEvent[]): readonly BridleEvent[] =>
  events.filter(({ type }) => type === 'text_delta');

describe('hooks that only observe', () => {
  const six = { text: 'one two three four five six', chunks: 6 };
  const readyMade: Readonly<Record<string, () => Hook>> = {
    logging: () => logging({ write }),
    costTracker: () => costTracker({ prices: { '*': { input: 1, output: 1 } } }),
    audit: () => audit({ write }),
    slowToolTimer: () => slowToolTimer({ thresholdMs: 1 }),
  };

  it.each(Object.keys(readyMade))(proves('H17', 'A05')('hold no text back: %s'), async (name) => {
    const { agent, events } = await agentRig([six], { hooks: [readyMade[name]?.() as Hook] });
    expect(await textOf(agent.stream('go'))).toBe(six.text);
    expect(deltas(events)).toHaveLength(6);
    await agent.stop();
  });

  it(proves('H17', 'A05')('hold no text back even together, but a hook that can answer does'), async () => {
    const observing = Object.values(readyMade).map((make) => make());
    const all = await agentRig([six], { hooks: observing });
    await all.agent.chat('go');
    expect(deltas(all.events)).toHaveLength(6);
    await all.agent.stop();
    const guarded = await agentRig([six], { hooks: [...observing, outputGuardrail()] });
    await guarded.agent.chat('go');
    expect(deltas(guarded.events)).toHaveLength(1);
    await guarded.agent.stop();
  });

  it(proves('H17')('get the complete answer after its text was streamed, and are awaited'), async () => {
    const called = later<string>();
    const open = later<undefined>();
    const watch = postLlmCall(
      async ({ response }) => {
        called.resolve(response.text);
        await open.promise;
      },
      { name: 'seer', observes: true },
    );
    const { agent, events } = await agentRig([six], { hooks: [watch] });
    const answer = agent.chat('go');
    expect(await called.promise).toBe(six.text);
    expect(deltas(events)).toHaveLength(6);
    await settled();
    expect(types(events)).not.toContain('turn_ended');
    open.resolve(undefined);
    expect(await answer).toMatchObject({ text: six.text });
    await agent.stop();
  });

  it(proves('H17', 'A04')('see each rejected answer and the accepted one'), async () => {
    const seen: string[] = [];
    const hooks: Hook[] = [
      { name: 'seer', observes: true, postLlmCall: ({ response }) => void seen.push(response.text) },
      {
        name: 'gate',
        postLlmCall: ({ response }) => (response.text === 'bad' ? { type: 'retry', feedback: 'no' } : undefined),
      },
    ];
    const { agent } = await agentRig(['bad', 'good'], { hooks });
    expect(await agent.chat('go')).toMatchObject({ text: 'good' });
    expect(seen).toEqual(['bad', 'good']);
    await agent.stop();
  });

  it(proves('H17')('cannot change the answer or the history'), async () => {
    const hooks = [
      { name: 'no', observes: true, postLlmCall: () => ({ type: 'reject', reason: 'no' }) },
      {
        name: 'mine',
        observes: true,
        postLlmCall: () => ({ allow: false }),
        postTurn: () => false,
        preTurn: () => null,
      },
    ] as unknown as readonly Hook[];
    const { agent, eventTypes } = await agentRig([six], { hooks });
    expect(await agent.chat('go')).toMatchObject({ text: six.text });
    expect(eventTypes().filter((type) => type === 'hook_failed')).toHaveLength(4);
    expect(agent.history).toHaveLength(2);
    await agent.stop();
  });
});

describe('tool calls', () => {
  const one = { tool: 'act', args: { x: 1 }, id: 'same' };

  it(proves('A05')('that are repeated run once; a different call with the same id gets a new id'), async () => {
    const executed: unknown[] = [];
    const { agent, events } = await agentRig(
      [{ toolCalls: [one, one, { ...one, args: { x: 2 } }, { ...one, id: '' }, { ...one, id: 'same-3' }] }, 'fine'],
      { tools: [act((args, { call }) => (executed.push([call.id, args['x']]), 'done'))] },
    );
    await agent.chat('go');
    expect(executed).toEqual([
      ['same', 1],
      ['same-2', 2],
      ['call-3', 1],
      ['same-3', 1],
    ]);
    expect(eventsOf({ events }, 'tool_started')).toHaveLength(4);
    await agent.stop();
  });

  it(proves('A05')('streamed in pieces and then completely are one call'), async () => {
    let runCount = 0;
    const parts: LanguageModelV4StreamPart[] = [
      { type: 'tool-input-start', id: 'c', toolName: 'act' },
      { type: 'tool-input-delta', id: 'c', delta: '{}' },
      { type: 'tool-input-end', id: 'c' },
      { type: 'tool-call', toolCallId: 'c', toolName: 'act', input: '{}' },
      { type: 'tool-call', toolCallId: 'c', toolName: 'act', input: ' { } ' },
      {
        type: 'finish',
        finishReason: { unified: 'tool-calls', raw: undefined },
        usage: (await scriptedModel(['x']).doGenerate({ prompt: [] })).usage,
      },
    ];
    const script = scriptedModel(['fine']);
    const model = {
      ...script,
      doStream: async (options: Parameters<typeof script.doStream>[0]) =>
        runCount === 0
          ? { stream: new ReadableStream({ start: (to) => (parts.forEach((part) => to.enqueue(part)), to.close()) }) }
          : script.doStream(options),
    };
    const { agent } = await agentRig([], { model, tools: [act(() => ++runCount)] });
    expect(await agent.chat('go')).toMatchObject({ text: 'fine' });
    expect(runCount).toBe(1);
    await agent.stop();
  });
});

/** An event without the fields that differ from run to run. */
function bare({ at: _at, session: _session, ...event }: BridleEvent): object {
  return 'elapsedMs' in event ? { ...event, elapsedMs: 0 } : event;
}

/** For JSON without times. */
function timeless(field: string, value: unknown): unknown {
  return field === 'elapsedMs' ? 0 : value;
}

const step: fc.Arbitrary<ScriptedStep> = fc.oneof(
  fc.record({ text: fc.string(), thinking: fc.constantFrom('', 'hm'), chunks: fc.constantFrom(1, 3) }),
  fc.constantFrom<ScriptedStep>(calling('look', 'look', 'act'), calling('nothing'), calling('fail'), 'done'),
  fc.constantFrom<ScriptedStep>({ error: new TypeError('down') }, { text: 'cut', cut: new TypeError('cut') }),
);

const options: AgentRigOptions = {
  script: { repeat: true },
  maxSteps: 4,
  tools: [
    look(),
    act(),
    act(() => {
      throw new TypeError('broken');
    }, 'fail'),
  ],
};

describe('chat and stream', () => {
  it(proves('A06')('have the same events, result and history'), async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async (steps) => {
        const chatted = await agentRig(steps, options);
        const streamed = await agentRig(steps, options);
        for (let turn = 0; turn < 2; turn++) {
          const [chat, stream] = await Promise.allSettled([
            chatted.agent.chat('go'),
            streamed.agent.stream('go').result,
          ]);
          expect(JSON.stringify(stream, timeless)).toBe(JSON.stringify(chat, timeless));
        }
        expect(streamed.agent.history).toEqual(chatted.agent.history);
        await Promise.all([chatted.agent.stop(), streamed.agent.stop()]);
        expect(streamed.events.map(bare)).toEqual(chatted.events.map(bare));
      }),
      { numRuns: runs(100) },
    );
  });

  it(proves('A06')('a stream has the same events as an observer'), async () => {
    const { agent, events } = await agentRig([{ text: 'a b', chunks: 2, ...calling('look') }, 'c'], {
      tools: [look()],
    });
    const before = events.length;
    const { items } = await drained(agent.stream('go'));
    expect(items).toEqual(events.slice(before));
    await agent.stop();
  });
});
