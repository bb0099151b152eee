/** The history as providers get it: it contains what they require, and nothing they would refuse. */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type JsonValue, postLlmCall, preLlmCall, transform } from 'bridle';
import type { Media } from 'bridle/agent';
import { defineTool } from 'bridle/tools';
import { proves } from '../contract/cite.ts';
import { data, event, type StreamedCall } from './frames.ts';
import { whole } from './raw-server.ts';
import { answering, mocked, onWire, until } from './rig.ts';
import { wires, type Json, type Sent, type Wire } from './wires.ts';

const add: StreamedCall = { id: 'call_1', name: 'add', args: '{"a":1,"b":2}' };
const byName = new Map(wires.map((wire) => [wire.name, wire]));
const wireOf = (name: string) => byName.get(name) as Wire;

/** Answers with thinking, text and a tool call, signed as each provider does. */
const thoughtful: readonly (readonly [string, readonly string[], (body: Json) => unknown])[] = [
  [
    'Anthropic',
    [
      ...wireOf('Anthropic').frames.open,
      event('content_block_start', { index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } }),
      event('content_block_delta', { index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } }),
      event('content_block_delta', { index: 0, delta: { type: 'signature_delta', signature: 'SIGNED' } }),
      event('content_block_stop', { index: 0 }),
      event('content_block_start', { index: 1, content_block: { type: 'redacted_thinking', data: 'SEALED' } }),
      event('content_block_stop', { index: 1 }),
      event('content_block_start', { index: 2, content_block: { type: 'text', text: '' } }),
      event('content_block_delta', { index: 2, delta: { type: 'text_delta', text: 'So.' } }),
      event('content_block_stop', { index: 2 }),
      event('content_block_start', {
        index: 3,
        content_block: { type: 'tool_use', id: 'call_1', name: 'add', input: {} },
      }),
      event('content_block_delta', { index: 3, delta: { type: 'input_json_delta', partial_json: add.args } }),
      event('content_block_stop', { index: 3 }),
      event('message_delta', { delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 1 } }),
      event('message_stop'),
    ],
    (body) => body.messages[1].content.map((part: Json) => part.signature ?? part.data ?? part.type),
  ],
  [
    'Google',
    [
      data({ candidates: [{ content: { role: 'model', parts: [{ text: 'Hm.', thought: true }] } }] }),
      data({ candidates: [{ content: { role: 'model', parts: [{ text: 'So.' }] } }] }),
      data({
        candidates: [
          {
            content: {
              role: 'model',
              parts: [
                { functionCall: { id: 'call_1', name: 'add', args: JSON.parse(add.args) }, thoughtSignature: 'SIGNED' },
              ],
            },
            finishReason: 'STOP',
          },
        ],
      }),
    ],
    (body) => body.contents[1].parts.find((part: Json) => part.functionCall !== undefined).thoughtSignature,
  ],
  [
    'OpenAI responses',
    [
      ...wireOf('OpenAI responses').frames.open,
      event('response.output_item.added', {
        output_index: 0,
        item: { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: null },
      }),
      event('response.reasoning_summary_part.added', { item_id: 'rs_1', output_index: 0, summary_index: 0 }),
      event('response.reasoning_summary_text.delta', {
        item_id: 'rs_1',
        output_index: 0,
        summary_index: 0,
        delta: 'Hm.',
      }),
      event('response.output_item.done', {
        output_index: 0,
        item: {
          id: 'rs_1',
          type: 'reasoning',
          summary: [{ type: 'summary_text', text: 'Hm.' }],
          encrypted_content: 'SEALED',
        },
      }),
      ...wireOf('OpenAI responses').frames.text('So.'),
      event('response.output_item.done', {
        output_index: 0,
        item: { id: 'msg_1', type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'So.' }] },
      }),
      ...wireOf('OpenAI responses').frames.toolCall(add),
      ...wireOf('OpenAI responses').frames.end(add),
    ],
    (body) => body.input.map((item: Json) => item.encrypted_content ?? item.type ?? item.role),
  ],
];

const signed: Readonly<Record<string, unknown>> = {
  Anthropic: ['SIGNED', 'SEALED', 'text', 'tool_use'],
  Google: 'SIGNED',
  'OpenAI responses': ['user', 'SEALED', 'assistant', 'function_call', 'function_call_output'],
};

function good(wire: Wire): readonly string[] {
  return [...wire.frames.open, ...wire.frames.text('Done.'), ...wire.frames.end()];
}

describe.each(thoughtful)('thinking of %s', (name, answer, signatures) => {
  const wire = wireOf(name);

  it(proves('A03')('is sent back exactly as signed'), async () => {
    const server = await answering(whole(...answer), whole(...good(wire)));
    const { agent, bodies } = await onWire(wire, server.url);
    const result = await agent.chat('sum');
    expect(result).toMatchObject({ text: 'Done.', thinking: 'Hm.' });
    expect(signatures(bodies[1])).toEqual(signed[name]);
  });

  it(proves('A04')('keeps its signatures if a hook changes the text'), async () => {
    const server = await answering(whole(...answer), whole(...good(wire)));
    const polite = postLlmCall(({ response }) => transform({ ...response, text: `${response.text} Please.` }), {
      name: 'polite',
    });
    const { agent, bodies, requests } = await onWire(wire, server.url, { hooks: [polite] });
    await agent.chat('sum');
    expect(requests()[1]?.texts.join('\n')).toContain('So. Please.');
    expect(signatures(bodies[1])).toEqual(signed[name]);
  });
});

it('an answer that is all thinking is not sent back: it would be refused', async () => {
  const wire = wireOf('Anthropic');
  const thinking = [
    ...wire.frames.open,
    event('content_block_start', { index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } }),
    event('content_block_delta', { index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } }),
    event('content_block_delta', { index: 0, delta: { type: 'signature_delta', signature: 'SIGNED' } }),
    event('content_block_stop', { index: 0 }),
    event('message_delta', { delta: { stop_reason: 'max_tokens', stop_sequence: null }, usage: { output_tokens: 1 } }),
    event('message_stop'),
  ];
  const server = await answering(whole(...thinking), whole(...good(wire)));
  const { agent, bodies } = await onWire(wire, server.url);
  expect(await agent.chat('sum')).toMatchObject({ text: '', thinking: 'Hm.', stopReason: 'length' });
  await agent.chat('go on');
  for (const message of bodies[1].messages) {
    if (message.role === 'assistant') expect(message.content.at(-1).type).not.toBe('thinking');
  }
});

describe.each(wires.map((wire) => [wire.name, wire] as const))('%s', (_, wire) => {
  const call: StreamedCall = { id: 'call_1', name: 'wait', args: '{}' };
  const { open, toolCall, end } = wire.frames;

  it(proves('A07')('gets a result for a call that was cancelled'), async () => {
    const server = await answering(whole(...open, ...toolCall(call), ...end(call)), whole(...good(wire)));
    let waiting = false;
    const wait = defineTool({
      name: 'wait',
      schema: z.object({}),
      run: async () => {
        waiting = true;
        await new Promise(() => {});
      },
    });
    const { agent, requests } = await onWire(wire, server.url, {
      tools: [wait],
      capabilities: { enabledTools: ['wait'] },
    });
    const pending = agent.chat('start');
    await until(() => waiting);
    agent.cancel();
    expect((await pending).stopReason).toBe('cancelled');
    expect((await agent.chat('again')).text).toBe('Done.');
    const { calls, results } = requests()[1] as Sent;
    expect(results.map(({ id }) => id)).toEqual(calls.map(({ id }) => id));
  });

  it(proves('A16')('gets an image that a tool attached, but not its bytes as text'), async () => {
    const look: StreamedCall = { id: 'call_1', name: 'look', args: '{}' };
    const server = await answering(whole(...open, ...toolCall(look), ...end(look)), whole(...good(wire)));
    const pixels = Buffer.alloc(3000, 7);
    const tool = defineTool({
      name: 'look',
      schema: z.object({}),
      tier: 'observe',
      // Tools may destructure their context.
      run: (_args, { attach }: { readonly attach: (media: Media) => JsonValue }) => ({
        seen: attach({ mediaType: 'image/png', data: new Uint8Array(pixels) }),
      }),
    });
    const { agent, requests, bodies } = await onWire(wire, server.url, {
      tools: [tool],
      capabilities: { enabledTools: ['look'] },
    });
    expect((await agent.chat('look')).text).toBe('Done.');
    const base64 = pixels.toString('base64');
    const body = JSON.stringify(bodies[1]);
    expect(body.split(base64)).toHaveLength(2);
    expect(requests()[1]?.results[0]?.text).not.toContain(base64);
  });

  it(proves('A04')('gets the messages that a hook writes as plain text'), async () => {
    const url = await mocked((mock) => mock.on({}, { content: 'Hello.' }));
    const remind = preLlmCall(
      ({ messages, tools, settings }) =>
        transform({ messages: [...messages, { role: 'user' as const, content: 'Mind the time.' }], tools, settings }),
      { name: 'remind' },
    );
    const { agent, requests } = await onWire(wire, url, { hooks: [remind] });
    expect((await agent.chat('hi')).text).toBe('Hello.');
    expect(requests()[0]?.texts).toEqual(['hi', 'Mind the time.']);
  });

  it(proves('A09')('gets complete steps after a compaction, starting with a prompt'), async () => {
    const url = await mocked((mock) => {
      mock.on(
        { userMessage: 'plus', hasToolResult: false },
        { toolCalls: [{ id: 'c1', name: 'add', arguments: { a: 1, b: 2 } }] },
      );
      mock.on({ userMessage: 'plus', hasToolResult: true }, { content: 'It is 3.' });
      mock.on({}, { content: 'So far: sums.' });
    });
    const { agent, requests } = await onWire(wire, url);
    for (let turn = 0; turn < 4; turn++) await agent.chat(`plus ${turn}`);
    await agent.compact();
    const before = requests().length;
    await agent.chat('and then');
    const last = requests()[before] as Sent;
    expect(last.results.map(({ id }) => id)).toEqual(last.calls.map(({ id }) => id));
    expect(last.roles[0]).toBe('user');
    expect(last.texts.at(-1)).toContain('and then');
    expect(last.texts.join('\n')).toContain('So far: sums.');
  });

  it('gets the settings of the agent', async () => {
    const url = await mocked((mock) => mock.on({}, { content: 'Hello.' }));
    const settings = { ...wire.settings, maxOutputTokens: 77, temperature: 0.5 };
    const { agent, bodies } = await onWire(wire, url, { settings });
    await agent.chat('hi');
    expect(JSON.stringify(bodies[0])).toMatch(/77/);
  });
});
