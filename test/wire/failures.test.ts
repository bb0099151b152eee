/** The agent with failing providers: real connections that are refused, cut, silent or slow. */

import { describe, expect, it } from 'vitest';
import { fakeClock } from 'bridle/testing';
import { proves } from '../contract/cite.ts';
import { cut, fail, hang, whole, type Answer } from './raw-server.ts';
import { agentWith, answering, eventsOf, onWire, until } from './rig.ts';
import { wires, type Json } from './wires.ts';

/** The clock is stopped in most of these tests, so a wait would make a test hang. */
const soon = { 'retry-after-ms': '1' };

describe.each(wires.map((wire) => [wire.name, wire] as const))('%s', (_, wire) => {
  const { open, text, toolCall, end, overloaded } = wire.frames;
  const good: Answer = whole(...open, ...text('Hello.'), ...end());
  const half = { id: 'call_1', name: 'shout', args: '{"text": "he' };

  it(proves('A03')('is retried no sooner than it asks'), async () => {
    const server = await answering(fail(429, { headers: { 'retry-after': '9' } }), good);
    const clock = fakeClock();
    const { agent, events } = await onWire(wire, server.url, { clock });
    const pending = agent.chat('hi');
    await until(() => eventsOf(events, 'llm_failed').length === 1);
    expect(eventsOf(events, 'llm_failed')[0]).toMatchObject({ next: 'retry', afterMs: 9000, attempt: 1 });
    expect(eventsOf(events, 'llm_failed')[0]?.error).toContain('429');
    await clock.advance(8900);
    expect(server.requests()).toBe(1);
    await clock.advance(300);
    expect((await pending).text).toBe('Hello.');
    expect(server.requests()).toBe(2);
  });

  it(proves('A03')('is retried after a server error'), async () => {
    const server = await answering(fail(500, { headers: soon }), fail(503, { headers: soon }), good);
    const { agent, events, requests } = await onWire(wire, server.url);
    expect(await agent.chat('hi')).toMatchObject({ text: 'Hello.', stopReason: 'end', steps: 1 });
    expect(server.requests()).toBe(3);
    expect(eventsOf(events, 'llm_failed').map(({ next }) => next)).toEqual(['retry', 'retry']);
    expect(requests()[2]).toEqual(requests()[0]);
  });

  it(proves('A03', 'A22')('fails the turn if it keeps failing, and the next turn is clean'), async () => {
    const bad = fail(500, { headers: soon, message: 'Broken for sk-live-0123456789' });
    const server = await answering(bad, bad, bad, good);
    const { agent, events, requests } = await onWire(wire, server.url);
    const error: Json = await agent.chat('first').catch((thrown: unknown) => thrown);
    expect(error.code).toBe('LLM_FAILED');
    expect(error.message).toMatch(/500 Broken for \[key\]/);
    expect(eventsOf(events, 'llm_failed').map(({ next }) => next)).toEqual(['retry', 'retry', 'fail']);
    expect(eventsOf(events, 'turn_ended')).toMatchObject([{ stopReason: 'error' }]);
    expect((await agent.chat('second')).text).toBe('Hello.');
    expect(requests().at(-1)?.texts.at(-1)).toBe('second');
    expect(requests().at(-1)?.texts).not.toContain('');
  });

  it.each([400, 401, 404])(proves('A03', 'A22')('is not retried after status %i'), async (status) => {
    const server = await answering(fail(status, { headers: soon }), good);
    const { agent } = await onWire(wire, server.url);
    await expect(agent.chat('hi')).rejects.toMatchObject({ code: 'LLM_FAILED' });
    expect(server.requests()).toBe(1);
  });

  it(proves('A03')('is retried if it goes silent'), async () => {
    const server = await answering(hang(...open, ...text('Hel')), good);
    const clock = fakeClock();
    const { agent, events } = await onWire(wire, server.url, { clock, modelTimeoutMs: 5000 });
    const pending = agent.chat('hi');
    await until(() => eventsOf(events, 'text_delta').length > 0);
    await clock.advance(6000);
    await until(() => eventsOf(events, 'llm_failed').length === 1);
    await clock.advance(2000);
    expect((await pending).text).toBe('Hello.');
    expect(server.requests()).toBe(2);
  });

  const broken: readonly (readonly [string, Answer])[] = [
    ['its connection breaks before anything came', cut()],
    ['its connection breaks in the middle of text', cut(...open, ...text('Hel'))],
    ['its connection breaks in the middle of a tool call', cut(...open, ...toolCall(half))],
    ['its stream ends in the middle of text', whole(...open, ...text('Hel'))],
    ['its stream ends in the middle of a tool call', whole(...open, ...toolCall(half))],
    ['it reports overload in the middle', whole(...open, ...text('Hel'), ...overloaded)],
  ];
  it.each(broken)(proves('A03')('is retried if %s, and nothing of the failed answer stays'), async (_, answer) => {
    const server = await answering(answer, good);
    const clock = fakeClock();
    const { agent, events, executed, requests } = await onWire(wire, server.url, { clock });
    const pending = agent.chat('hi');
    await until(() => eventsOf(events, 'llm_failed').length === 1 || eventsOf(events, 'turn_ended').length === 1);
    await clock.advance(5000);
    expect(await pending).toMatchObject({ text: 'Hello.', stopReason: 'end' });
    expect(executed).toEqual([]);
    expect(requests()[1]).toEqual(requests()[0]);
    expect(eventsOf(events, 'text_delta').filter(({ attempt }) => attempt === 2)).toMatchObject([{ text: 'Hello.' }]);
    expect(eventsOf(events, 'turn_ended')).toHaveLength(1);
  });

  it(proves('A03')('is replaced by the next model, which gets the whole history in its own format'), async () => {
    const done = { id: 'call_1', name: 'shout', args: '{"text":"hey"}' };
    const first = await answering(whole(...open, ...toolCall(done), ...end(done)), fail(400));
    const other = wires[(wires.indexOf(wire) + 1) % wires.length] ?? wire;
    const answer = [...other.frames.open, ...other.frames.text('From me.'), ...other.frames.end()];
    const second = await answering(whole(...answer));
    const bodies: Json[] = [];
    const model = [wire.model(first.url), other.model(second.url, bodies)];
    const { agent, events, executed } = await agentWith({ model, instructions: 'Be brief.' });
    expect((await agent.chat('hi')).text).toBe('From me.');
    expect(executed).toEqual(['hey']);
    expect(eventsOf(events, 'llm_failed')).toMatchObject([{ next: 'fallback' }]);
    const got = other.read(bodies[0]);
    expect(got).toMatchObject({ calls: [{ name: 'shout', args: { text: 'hey' } }], texts: ['hi'] });
    expect(got.results).toHaveLength(1);
    expect(got.results[0]?.id).toBe(got.calls[0]?.id);
    expect(got.results[0]?.text).toContain('HEY');
    expect(got.system).toContain('Be brief.');
  });

  it(proves('A03')('is replaced by the next model if the connection is refused'), async () => {
    const closedServer = await answering();
    await closedServer.close();
    const server = await answering(good);
    const model = [wire.model(closedServer.url), wire.model(server.url)];
    const { agent } = await agentWith({ model, retries: 0 });
    expect((await agent.chat('hi')).text).toBe('Hello.');
  });

  it(proves('A22')('can have its failure replaced by a hook'), async () => {
    const server = await answering(fail(400));
    const hooks = [
      {
        name: 'sorry',
        onTurnError: () => ({
          type: 'replace' as const,
          value: {
            text: 'Sorry.',
            thinking: '',
            steps: 0,
            usage: { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, cacheCreationTokens: 0 },
            stopReason: 'end',
          },
        }),
      },
    ];
    const { agent } = await onWire(wire, server.url, { hooks });
    expect((await agent.chat('hi')).text).toBe('Sorry.');
  });

  it(proves('A07')('has its connection closed when the turn is cancelled'), async () => {
    let closed = false;
    const server = await answering((response, request) => {
      response.on('close', () => {
        closed = true;
      });
      return hang(...open, ...text('Hel'))(response, request);
    }, good);
    const { agent, events } = await onWire(wire, server.url);
    const pending = agent.chat('hi');
    await until(() => eventsOf(events, 'text_delta').length > 0);
    agent.cancel();
    expect((await pending).stopReason).toBe('cancelled');
    await until(() => closed);
    expect((await agent.chat('again')).text).toBe('Hello.');
  });
});
