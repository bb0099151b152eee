/** The scripted model streams and fails like a provider, and never answers anything that is not in its script. */

import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { BridleError } from 'bridle';
import { scriptedModel, type ScriptedStep } from 'bridle/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../test/contract/cite.ts';
import { runs } from '../../test/property-runs.ts';

function asking(text: string, more: Partial<LanguageModelV4CallOptions> = {}): LanguageModelV4CallOptions {
  return { prompt: [{ role: 'user', content: [{ type: 'text', text }] }], ...more };
}

/** All streamed parts, and the error that broke the stream. */
async function streamed(stream: ReadableStream<LanguageModelV4StreamPart>) {
  const parts: LanguageModelV4StreamPart[] = [];
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { parts, error: undefined };
      parts.push(value);
    }
  } catch (error) {
    return { parts, error };
  }
}

async function play(step: ScriptedStep, more: Partial<LanguageModelV4CallOptions> = {}) {
  const { stream } = await scriptedModel([step]).doStream(asking('hi', more));
  return streamed(stream);
}

const call = { tool: 'view_file', args: { file_path: 'a.txt' } };
const broken = new TypeError('terminated');

describe('a scripted model answers', () => {
  it('to a list of steps only', () => {
    expect(() => scriptedModel('hello' as never)).toThrow('scriptedModel: pass a list of steps');
  });

  it(proves('A03')('with a text, as a provider streams it'), async () => {
    expect(await play('hello')).toEqual({
      error: undefined,
      parts: [
        { type: 'stream-start', warnings: [] },
        { type: 'text-start', id: 'text' },
        { type: 'text-delta', id: 'text', delta: 'hello' },
        { type: 'text-end', id: 'text' },
        { type: 'finish', finishReason: { unified: 'stop', raw: undefined }, usage: expect.any(Object) },
      ],
    });
  });

  it(proves('A03')('with thinking, text, tool calls and usage, the same without streaming'), async () => {
    const usage = { inputTokens: 10, outputTokens: 4, cachedInputTokens: 3, cacheCreationTokens: 2 };
    const model = scriptedModel([{ thinking: 'hm', text: 'look', toolCalls: [call, { ...call, id: 'mine' }], usage }]);
    expect(await model.doGenerate(asking('hi'))).toEqual({
      content: [
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text: 'look' },
        { type: 'tool-call', toolCallId: 'call-1', toolName: 'view_file', input: '{"file_path":"a.txt"}' },
        { type: 'tool-call', toolCallId: 'mine', toolName: 'view_file', input: '{"file_path":"a.txt"}' },
      ],
      finishReason: { unified: 'tool-calls', raw: undefined },
      usage: {
        inputTokens: { total: 10, noCache: 5, cacheRead: 3, cacheWrite: 2 },
        outputTokens: { total: 4, text: 4, reasoning: 0 },
      },
      warnings: [],
    });
  });

  it(proves('A03')('with a function of the call, and with arguments that are not JSON'), async () => {
    const model = scriptedModel([
      ({ prompt }) => `you said ${prompt.length}`,
      async () => ({ toolCalls: [{ tool: 'x', args: '{oops' }] }),
    ]);
    expect((await model.doGenerate(asking('a'))).content).toEqual([{ type: 'text', text: 'you said 1' }]);
    expect((await model.doGenerate(asking('b'))).content).toMatchObject([{ toolCallId: 'call-1', input: '{oops' }]);
  });

  it(proves('A03')('in the given number of pieces, which add up to the text'), async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 9 }), async (text, chunks) => {
        const model = scriptedModel([{ text, thinking: text, toolCalls: [{ tool: 'x', args: { text } }] }], { chunks });
        const { parts } = await streamed((await model.doStream(asking('hi'))).stream);
        const joined = (type: string) => parts.map((part) => (part.type === type ? deltaOf(part) : '')).join('');
        expect(joined('text-delta')).toBe(text);
        expect(joined('reasoning-delta')).toBe(text);
        expect(joined('tool-input-delta')).toBe(JSON.stringify({ text }));
        expect(parts.filter(({ type }) => type === 'text-delta').length).toBeLessThanOrEqual(chunks);
      }),
      { numRuns: runs(100) },
    );
  });

  it(proves('A03')('after a delay, and repeatedly if configured'), async () => {
    const model = scriptedModel(['a', 'b'], { repeat: true, delayMs: 1, keepCalls: false });
    const received: unknown[] = [];
    for (let n = 0; n < 3; n += 1) received.push((await model.doGenerate(asking('hi'))).content);
    expect(received).toMatchObject([[{ text: 'a' }], [{ text: 'b' }], [{ text: 'a' }]]);
    expect(model.calls).toEqual([]);
    model.assertDone();
  });
});

function deltaOf(part: object): string {
  return 'delta' in part ? String(part.delta) : '';
}

describe('a scripted model fails', () => {
  it(proves('A03')('before the stream opens'), async () => {
    await expect(play({ error: broken })).rejects.toBe(broken);
    await expect(scriptedModel([{ error: broken }]).doGenerate(asking('hi'))).rejects.toBe(broken);
  });

  it(proves('A03')('in the middle of a text'), async () => {
    const { parts, error } = await play({ text: 'so far', cut: broken });
    expect(error).toBe(broken);
    expect(parts.map(deltaOf).join('')).toBe('so far');
    expect(parts.some(({ type }) => type === 'text-end' || type === 'finish')).toBe(false);
  });

  it(proves('A03')('in the middle of a tool call, after complete ones'), async () => {
    const { parts, error } = await play({ toolCalls: [call, call], cut: broken });
    expect(error).toBe(broken);
    expect(parts.filter(({ type }) => type === 'tool-call')).toHaveLength(1);
    expect(parts.at(-1)).toEqual({ type: 'tool-input-delta', id: 'call-2', delta: '{"file_path' });
  });

  it(proves('A03')('with an error part, as providers do'), async () => {
    const step = { text: 'so far', cut: broken, cutBy: 'part' } as const;
    const { parts, error } = await play(step);
    expect(error).toBeUndefined();
    expect(parts.slice(-2)).toMatchObject([
      { type: 'error', error: broken },
      { type: 'finish', finishReason: { unified: 'error' } },
    ]);
    await expect(scriptedModel([step]).doGenerate(asking('hi'))).rejects.toBe(broken);
  });

  it(proves('A03')('immediately if the reply is empty'), async () => {
    expect(await play({ cut: broken })).toMatchObject({ error: broken, parts: [{ type: 'stream-start' }] });
  });
});

describe('an abort', () => {
  const abortError = { name: 'AbortError' };

  it(proves('A03')('before the call, while it hangs, and while it is delayed is an AbortError'), async () => {
    await expect(play('hi', { abortSignal: AbortSignal.abort() })).rejects.toMatchObject(abortError);
    for (const step of [{ hang: true }, { text: 'late', delayMs: 60_000 }]) {
      const abort = new AbortController();
      const playing = play(step, { abortSignal: abort.signal });
      abort.abort('a reason of their own');
      await expect(playing).rejects.toMatchObject(abortError);
    }
  });

  it(proves('A03')('in the middle of a stream breaks it'), async () => {
    for (const step of [
      { text: 'one two', hang: true },
      { text: 'one two', chunks: 2 },
    ]) {
      const abort = new AbortController();
      const { stream } = await scriptedModel([step]).doStream(asking('hi', { abortSignal: abort.signal }));
      const reader = stream.getReader();
      for (let n = 0; n < 3; n += 1) await reader.read();
      abort.abort();
      await expect(reader.read()).rejects.toMatchObject(abortError);
    }
  });

  it(proves('A03')('reaches a reader of a hanging stream'), async () => {
    const abort = new AbortController();
    const playing = play({ toolCalls: [call], hang: true }, { abortSignal: abort.signal });
    setTimeout(() => abort.abort(), 5);
    const { parts, error } = await playing;
    expect(error).toMatchObject(abortError);
    expect(parts.at(-1)).toMatchObject({ type: 'tool-input-delta' });
  });
});

describe('the script', () => {
  it(proves('A03')('records each call as it was made'), async () => {
    const model = scriptedModel(['a']);
    const tools = [{ type: 'function' as const, name: 'x', inputSchema: {} }];
    const callOptions = asking('hi', { tools, temperature: 0.5, abortSignal: new AbortController().signal });
    await model.doStream(callOptions);
    callOptions.prompt.push({ role: 'system', content: 'later' });
    expect(model.calls).toEqual([{ prompt: asking('hi').prompt, tools, settings: { temperature: 0.5 } }]);
  });

  it(proves('A03')('reports an unexpected call and its prompt'), async () => {
    const model = scriptedModel(['a']);
    await model.doStream(asking('first'));
    model.assertDone();
    const tools = [{ type: 'function' as const, name: 'x', inputSchema: {} }];
    const error = await model.doStream(asking('second', { tools })).then(undefined, (thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BridleError);
    expect((error as BridleError).code).toBe('SCRIPT_FAILED');
    expect((error as BridleError).message).toMatch(
      /^unexpected model call 2: .* 1 steps\. The call was user: .*second.*tools: x$/,
    );
    expect(() => model.assertDone()).toThrow('the model was called 1 times more than the script has steps');
  });

  it(proves('A03')('reports unused steps'), async () => {
    const model = scriptedModel(['a', { text: 'b' }, () => 'c', { error: broken }]);
    await model.doStream(asking('hi'));
    expect(() => model.assertDone()).toThrow(
      '3 of 4 scripted steps were not used: step 2: {"text":"b"}; step 3: a function; step 4: an error',
    );
  });
});
