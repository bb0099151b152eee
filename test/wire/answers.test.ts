/** Requests and answers of real provider clients in successful turns. */

import type { FixtureFileResponse } from '@copilotkit/aimock';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { proves } from '../contract/cite.ts';
import { whole } from './raw-server.ts';
import { answering, eventsOf, mocked, onWire, usage } from './rig.ts';
import { wires, type Sent } from './wires.ts';

const call = { id: 'call_1', name: 'add', arguments: { a: 1, b: 2 } };
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Checks that every call has exactly one result, in order. */
function expectPaired({ calls, results }: Sent): void {
  expect(results.map(({ id }) => id)).toEqual(calls.map(({ id }) => id));
}

describe.each(wires.map((wire) => [wire.name, wire] as const))('%s', (_, wire) => {
  /** An answer with a schema. If there are other tools, Google's client sends the schema as an extra tool. */
  const json = (value: object): FixtureFileResponse =>
    wire.name === 'Google'
      ? { toolCalls: [{ id: 'json_1', name: 'json', arguments: { ...value } }] }
      : { content: JSON.stringify(value) };

  it(proves('A03')('answers, with its instructions sent and its tokens counted'), async () => {
    const url = await mocked((mock) => mock.onMessage('hello', { content: 'Hi there', usage: usage(11, 7) }));
    const { agent, requests } = await onWire(wire, url, { instructions: 'Be brief.' });
    const result = await agent.chat('hello');
    expect(result).toMatchObject({ text: 'Hi there', stopReason: 'end', steps: 1 });
    expect(result.usage).toMatchObject({ inputTokens: 11, outputTokens: 7 });
    expect(agent.usage.total).toMatchObject({ inputTokens: 11, outputTokens: 7 });
    expect(requests()).toHaveLength(1);
    expect(requests()[0]?.system).toContain('Be brief.');
    expect(requests()[0]?.texts).toEqual(['hello']);
  });

  it(proves('A03')('gets the result of its tool call, and keeps both in the next turn'), async () => {
    const url = await mocked((mock) => {
      mock.on({ userMessage: 'sum', hasToolResult: false }, { toolCalls: [call], usage: usage(10, 1) });
      mock.on({ userMessage: 'sum', hasToolResult: true }, { content: 'It is 3.', usage: usage(20, 2) });
      mock.onMessage('thanks', { content: 'Welcome.' });
    });
    const { agent, requests, executed } = await onWire(wire, url);
    const result = await agent.chat('sum');
    expect(result).toMatchObject({ text: 'It is 3.', stopReason: 'end', steps: 2 });
    expect(result.usage).toMatchObject({ inputTokens: 30, outputTokens: 3 });
    expect(executed).toEqual(['1+2']);
    expect(requests()[0]).toMatchObject({ calls: [], results: [], tools: ['add', 'shout'] });
    expect(requests()[1]?.calls).toMatchObject([{ name: 'add', args: { a: 1, b: 2 } }]);
    expect(requests()[1]?.results[0]?.text).toContain('3');
    await agent.chat('thanks');
    expect(requests()[2]?.calls).toEqual(requests()[1]?.calls);
    expect(requests()[2]?.texts).toEqual(expect.arrayContaining(['sum', 'It is 3.', 'thanks']));
    for (const each of requests()) expectPaired(each);
  });

  it(proves('A03')('gets the results of several calls in order, together with its text'), async () => {
    const second = { id: 'call_2', name: 'shout', arguments: { text: 'seven' } };
    const url = await mocked((mock) => {
      mock.on({ hasToolResult: false }, { content: 'Let me see.', toolCalls: [call, second] });
      mock.on({ hasToolResult: true }, { content: 'Done.' });
    });
    const { agent, requests, executed } = await onWire(wire, url);
    expect((await agent.chat('both')).text).toContain('Done.');
    expect(executed).toEqual(['1+2', 'seven']);
    const [, next] = requests();
    expect(next?.calls.map(({ name }) => name)).toEqual(['add', 'shout']);
    expect(next?.results.map(({ text }) => /3|SEVEN/.exec(text)?.[0])).toEqual(['3', 'SEVEN']);
    expect(next?.texts).toContain('Let me see.');
    if (next !== undefined) expectPaired(next);
  });

  it(proves('A05', 'A06')('streams its text in order to every reader, with the same result as chat()'), async () => {
    const content = 'One, two, three, four, five, six, seven.';
    const url = await mocked((mock) => mock.onMessage('count', { content }, { chunkSize: 4 }));
    const streaming = await onWire(wire, url);
    const stream = streaming.agent.stream('count');
    const readers = [stream, stream].map(async (cursor) => {
      const seen = [];
      for await (const event of cursor) seen.push(event);
      return seen;
    });
    const texts: string[] = [];
    for await (const text of stream.textStream) texts.push(text);
    const [first = [], second] = await Promise.all(readers);
    expect(texts.join('')).toBe(content);
    expect(texts.length).toBeGreaterThan(5);
    expect(first).toEqual(second);
    expect(eventsOf(first, 'text_delta').map(({ text }) => text)).toEqual(texts);
    expect(eventsOf(first, 'turn_ended')).toHaveLength(1);
    expect(first.at(-1)?.type).toBe('turn_ended');
    const chatting = await onWire(wire, url);
    const { text, stopReason, steps } = await chatting.agent.chat('count');
    expect(await stream.result).toMatchObject({ text, stopReason, steps });
    expect(chatting.bodies).toEqual(streaming.bodies);
  });

  it(proves('A16')('gets an image as its own kind of part'), async () => {
    const url = await mocked((mock) => mock.onMessage('what', { content: 'A dot.' }));
    const { agent, requests } = await onWire(wire, url);
    const prompt = ['what is it', { type: 'media' as const, mediaType: 'image/png', data: new Uint8Array(png) }];
    expect((await agent.chat(prompt)).text).toBe('A dot.');
    expect(requests()[0]?.media).toEqual([`data:image/png;base64,${png.toString('base64')}`]);
    expect(requests()[0]?.texts.join('')).toBe('what is it');
  });

  it(proves('A15')('answers with a schema'), async () => {
    const url = await mocked((mock) => mock.onMessage('where', json({ city: 'Rome' })));
    const { agent, requests } = await onWire(wire, url);
    const result = await agent.chat('where', { schema: z.object({ city: z.string() }) });
    expect(result).toMatchObject({ data: { city: 'Rome' }, stopReason: 'end' });
    expect(requests()).toHaveLength(1);
  });

  it(proves('A15')('gets feedback for an answer that does not match the schema'), async () => {
    const url = await mocked((mock) => {
      mock.on({ userMessage: 'where', turnIndex: 0 }, json({ town: 'Rome' }));
      mock.on({}, json({ city: 'Rome' }));
    });
    const { agent, requests } = await onWire(wire, url);
    const result = await agent.chat('where', { schema: z.object({ city: z.string() }) });
    expect(result.data).toEqual({ city: 'Rome' });
    expect(requests()).toHaveLength(2);
    expect(requests()[1]?.texts.join('\n')).toContain('city');
  });

  it(proves('A22')('gets an error for an unknown tool, and continues'), async () => {
    const url = await mocked((mock) => {
      mock.on({ hasToolResult: false }, { toolCalls: [{ id: 'call_1', name: 'substract', arguments: { a: 1 } }] });
      mock.on({ hasToolResult: true }, { content: 'Never mind.' });
    });
    const { agent, requests, executed } = await onWire(wire, url);
    expect(await agent.chat('less')).toMatchObject({ text: 'Never mind.', stopReason: 'end' });
    expect(executed).toEqual([]);
    expect(requests()[1]?.results[0]?.text).toContain('substract');
    if (requests()[1] !== undefined) expectPaired(requests()[1] as Sent);
  });

  it(proves('A22')('gets an error for invalid arguments, and continues'), async () => {
    const url = await mocked((mock) => {
      mock.on({ hasToolResult: false }, { toolCalls: [{ ...call, arguments: { a: 'one', b: 2 } }] });
      mock.on({ hasToolResult: true }, { content: 'Never mind.' });
    });
    const { agent, requests, executed } = await onWire(wire, url);
    expect((await agent.chat('sum')).text).toBe('Never mind.');
    expect(executed).toEqual([]);
    expect(requests()[1]?.results[0]?.text).toMatch(/number/);
  });

  it('may give an empty answer, and gets no empty message afterwards', async () => {
    const url = await mocked((mock) => {
      // Some clients merge the two prompts into one message.
      mock.onMessage('speak', { content: 'Here.' });
      mock.onMessage('hush', { content: '' });
    });
    const { agent, requests } = await onWire(wire, url);
    expect(await agent.chat('hush')).toMatchObject({ text: '', stopReason: 'end' });
    expect((await agent.chat('speak')).text).toBe('Here.');
    expect(requests()[1]?.texts).not.toContain('');
    expect(requests()[1]?.texts).toEqual(expect.arrayContaining(['hush', 'speak']));
  });
});

// Google sends arguments as JSON inside JSON, so they cannot be malformed separately.
const writingArguments = wires.filter(({ name }) => name !== 'Google');

describe.each(writingArguments.map((wire) => [wire.name, wire] as const))('%s', (_, wire) => {
  it(proves('A22')('gets an error for arguments that are not JSON, in a valid request'), async () => {
    const { open, text, toolCall, end } = wire.frames;
    const broken = { id: 'call_1', name: 'add', args: '{"a": 1, "b' };
    const server = await answering(
      whole(...open, ...toolCall(broken), ...end(broken)),
      whole(...open, ...text('Never mind.'), ...end()),
    );
    const { agent, requests, executed } = await onWire(wire, server.url);
    expect(await agent.chat('sum')).toMatchObject({ text: 'Never mind.', stopReason: 'end' });
    expect(executed).toEqual([]);
    const next = requests()[1] as Sent;
    expect(next.calls).toHaveLength(1);
    expect(typeof next.calls[0]?.args).toBe('object');
    expect(next.results[0]?.text).toMatch(/JSON/);
    expectPaired(next);
  });
});
