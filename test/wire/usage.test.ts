/** The token counts of four providers are counted in the same way. */

import { describe, expect, it } from 'vitest';
import { proves } from '../contract/cite.ts';
import { data, event } from './frames.ts';
import { whole } from './raw-server.ts';
import { answering, eventsOf, mocked, onWire, usage } from './rig.ts';
import { wires, type Json, type Wire } from './wires.ts';

const chat = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'gpt-test' };

/** The end of an answer with 1,000 input tokens, 600 of them cached, and 50 output tokens. */
const ends: Readonly<Record<string, (wire: Wire) => readonly string[]>> = {
  'OpenAI chat': () => [
    data({ ...chat, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
    data({
      ...chat,
      choices: [],
      usage: {
        prompt_tokens: 1000,
        completion_tokens: 50,
        total_tokens: 1050,
        prompt_tokens_details: { cached_tokens: 600 },
      },
    }),
    'data: [DONE]\n\n',
  ],
  'OpenAI responses': () => [
    event('response.completed', {
      response: {
        id: 'resp_1',
        object: 'response',
        created_at: 1,
        model: 'gpt-test',
        output: [],
        status: 'completed',
        usage: {
          input_tokens: 1000,
          output_tokens: 50,
          total_tokens: 1050,
          input_tokens_details: { cached_tokens: 600 },
          output_tokens_details: { reasoning_tokens: 20 },
        },
      },
    }),
  ],
  Anthropic: () => [
    event('content_block_stop', { index: 0 }),
    event('message_delta', {
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { input_tokens: 300, cache_read_input_tokens: 600, cache_creation_input_tokens: 100, output_tokens: 50 },
    }),
    event('message_stop'),
  ],
  Google: () => [
    data({
      candidates: [{ content: { role: 'model', parts: [{ text: '' }] }, finishReason: 'STOP' }],
      usageMetadata: {
        promptTokenCount: 1000,
        cachedContentTokenCount: 600,
        candidatesTokenCount: 30,
        thoughtsTokenCount: 20,
        totalTokenCount: 1050,
      },
    }),
  ],
};

const maxTokensOf = (body: Json): unknown =>
  body.max_tokens ?? body.max_completion_tokens ?? body.max_output_tokens ?? body.generationConfig?.maxOutputTokens;

describe.each(wires.map((wire) => [wire.name, wire] as const))('%s', (name, wire) => {
  it('has its cached tokens counted as input, with their own price', async () => {
    const { open, text } = wire.frames;
    const server = await answering(whole(...open, ...text('Hello.'), ...(ends[name]?.(wire) ?? [])));
    const model = wire.model(server.url).modelId;
    const prices = { [model]: { input: 10, output: 100, cachedInput: 1, cacheWrite: 20 } };
    const { agent, events } = await onWire(wire, server.url, { prices });
    const result = await agent.chat('hi');
    const written = name === 'Anthropic' ? 100 : 0;
    const counted = {
      inputTokens: 1000,
      outputTokens: 50,
      cachedInputTokens: 600,
      cacheCreationTokens: written,
    };
    expect(result.usage).toEqual(counted);
    expect(eventsOf(events, 'llm_settled')).toMatchObject([{ usage: counted }]);
    expect(result.cost).toBeCloseTo(((400 - written) * 10 + 600 + written * 20 + 50 * 100) / 1e6, 12);
  });

  it(proves('A18')('may write no more tokens than the budget has left'), async () => {
    const url = await mocked((mock) => {
      mock.onMessage('one', { content: 'Hello.', usage: usage(10, 60) });
      mock.onMessage('two', { content: 'Hello.', usage: usage(10, 60) });
    });
    const { agent, bodies } = await onWire(wire, url, { budget: { perSession: { outputTokens: 100 } } });
    await agent.chat('one');
    await agent.chat('two');
    expect(bodies.map(maxTokensOf)).toEqual([100, 40]);
    expect((await agent.chat('one')).stopReason).toBe('budget:perSession.outputTokens');
    expect(bodies).toHaveLength(2);
  });

  it('serves many concurrent sessions without mixing them', async () => {
    const url = await mocked((mock) => {
      for (let each = 0; each < 8; each++) {
        mock.on(
          { userMessage: `plus ${each}`, hasToolResult: false },
          {
            toolCalls: [{ id: `c${each}`, name: 'add', arguments: { a: each, b: 100 } }],
          },
        );
        mock.on(
          { userMessage: `plus ${each}`, toolResultContains: `${each + 100}` },
          { content: `It is ${each + 100}.` },
        );
      }
    });
    const { agent } = await onWire(wire, url);
    const answers = Array.from({ length: 8 }, async (_, each) => {
      const session = await agent.open({ id: `s${each}` });
      const { text } = await session.chat(`plus ${each}`);
      await session.stop();
      return text;
    });
    expect(await Promise.all(answers)).toEqual(Array.from({ length: 8 }, (_, each) => `It is ${each + 100}.`));
  });
});
