/** Errors of real provider clients are classified correctly. */

import { describe, expect, it } from 'vitest';
import { describeFailure, isRetryable, retryAfterMs } from '../../src/agent/model/model-failure.ts';
import { proves } from '../contract/cite.ts';
import { cut, fail, hang, rawServer, whole, type Answer } from './raw-server.ts';
import { wires, type Wire } from './wires.ts';

/** The error that a client throws, or sends inside its stream. */
async function failureOf(wire: Wire, url: string, abortSignal?: AbortSignal): Promise<unknown> {
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'private words' }] }];
  try {
    const { stream } = await wire.model(url).doStream({ prompt, ...(abortSignal && { abortSignal }) });
    const reader = stream.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return undefined;
      if (value.type === 'error') return value.error;
    }
  } catch (error) {
    return error;
  }
}

async function answered(wire: Wire, answer: Answer, signal?: AbortSignal): Promise<unknown> {
  const server = await rawServer(answer);
  try {
    return await failureOf(wire, server.url, signal);
  } finally {
    await server.close();
  }
}

describe.each(wires.map((wire) => [wire.name, wire] as const))('%s', (_, wire) => {
  const { open, text, toolCall, overloaded } = wire.frames;
  const call = { id: 'call_1', name: 'add', args: '{"a": 1' };

  it.each([408, 409, 429, 500, 503, 529])(proves('A03')('may be retried after status %i'), async (status) => {
    const error = await answered(wire, fail(status, { message: 'Please wait' }));
    expect(isRetryable(error)).toBe(true);
    expect(describeFailure(error)).toBe(`${status} Please wait`);
  });

  it.each([400, 401, 403, 404, 422])(proves('A03')('is not retried after status %i'), async (status) => {
    expect(isRetryable(await answered(wire, fail(status)))).toBe(false);
  });

  it(proves('A03')('says how long to wait'), async () => {
    const inSeconds = await answered(wire, fail(429, { headers: { 'Retry-After': '7' } }));
    expect(retryAfterMs(inSeconds)).toBe(7000);
    const inMs = await answered(wire, fail(429, { headers: { 'retry-after-ms': '40', 'retry-after': '1' } }));
    expect(retryAfterMs(inMs)).toBe(40);
  });

  it.each([
    ['nothing', cut()],
    ['text', cut(...open, ...text('Hel'))],
    ['a tool call', cut(...open, ...toolCall(call))],
  ])(proves('A03')('may be retried if the connection breaks after %s'), async (_, answer) => {
    const error = await answered(wire, answer);
    expect(isRetryable(error)).toBe(true);
    expect(describeFailure(error)).not.toBe('');
  });

  it(proves('A03')('may be retried if the connection is refused'), async () => {
    const server = await rawServer();
    await server.close();
    const error = await failureOf(wire, server.url);
    expect(isRetryable(error)).toBe(true);
    expect(describeFailure(error)).toContain('ECONNREFUSED');
  });

  it(proves('A03')('may be retried if it reports overload inside its stream'), async () => {
    const error = await answered(wire, whole(...open, ...overloaded));
    expect(isRetryable(error)).toBe(true);
    expect(describeFailure(error)).toMatch(/overloaded/i);
  });

  it(proves('A03')('is not retried after an abort'), async () => {
    const controller = new AbortController();
    const pending = answered(wire, hang(...open, ...text('Hel')), controller.signal);
    setTimeout(() => controller.abort(), 30);
    expect(isRetryable(await pending)).toBe(false);
  });

  it('shows neither the key nor the request', async () => {
    const error = await answered(wire, fail(401, { message: 'Incorrect API key provided: sk-live-0123456789.' }));
    expect(describeFailure(error)).toBe('401 Incorrect API key provided: [key]');
    expect(describeFailure(error)).not.toContain('private');
  });
});
