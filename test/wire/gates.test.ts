/** Hooks around model calls, seen from the provider: rejected content is never sent or never stored. */

import { describe, expect, it } from 'vitest';
import { postLlmCall, preLlmCall, reject, retry, transform } from 'bridle';
import { proves } from '../contract/cite.ts';
import { eventsOf, mocked, onWire, usage } from './rig.ts';
import { wires } from './wires.ts';

describe.each(wires.map((wire) => [wire.name, wire] as const))('%s', (_, wire) => {
  it(proves('A04')('never gets a prompt that a hook rejected'), async () => {
    const url = await mocked((mock) => mock.on({}, { content: 'Hello.' }));
    const gate = preLlmCall(({ messages }) => (JSON.stringify(messages).includes('bad') ? reject('no') : undefined), {
      name: 'gate',
    });
    const { agent, requests } = await onWire(wire, url, { hooks: [gate] });
    expect(await agent.chat('bad words')).toMatchObject({ stopReason: 'rejected' });
    expect(requests()).toHaveLength(0);
    expect((await agent.chat('good words')).text).toBe('Hello.');
    expect(requests().map(({ texts }) => texts)).toEqual([['good words']]);
  });

  it(proves('A04')('gets the messages as a hook changed them'), async () => {
    const url = await mocked((mock) => mock.on({}, { content: 'Hello.' }));
    const mask = preLlmCall(
      (request) => transform(JSON.parse(JSON.stringify(request).replaceAll('555-1234', '[phone]'))),
      { name: 'mask' },
    );
    const { agent, requests } = await onWire(wire, url, { hooks: [mask] });
    await agent.chat('call 555-1234');
    expect(requests()[0]?.texts).toEqual(['call [phone]']);
  });

  it(proves('A04', 'A05')('gets the reason why its answer was rejected; readers see only accepted text'), async () => {
    const url = await mocked((mock) => {
      mock.on({ sequenceIndex: 0 }, { content: 'The secret is 42.', usage: usage(10, 5) }, { chunkSize: 4 });
      mock.on({}, { content: 'I cannot say.', usage: usage(20, 3) }, { chunkSize: 4 });
    });
    const gate = postLlmCall(
      ({ response }) => (response.text.includes('secret') ? retry('Keep secrets.') : undefined),
      { name: 'secrets' },
    );
    const { agent, requests, events } = await onWire(wire, url, { hooks: [gate] });
    const stream = agent.stream('tell me');
    let shown = '';
    for await (const text of stream.textStream) shown += text;
    expect(shown).toBe('I cannot say.');
    const result = await stream.result;
    expect(result).toMatchObject({ text: 'I cannot say.', stopReason: 'end' });
    expect(result.usage).toMatchObject({ inputTokens: 30, outputTokens: 8 });
    expect(JSON.stringify(eventsOf(events, 'text_delta'))).not.toContain('secret is');
    expect(requests()[1]?.texts.join('\n')).toContain('Keep secrets.');
    await agent.chat('and now');
    expect(requests()[2]?.texts.join('\n')).not.toContain('The secret is 42.');
  });

  it(proves('A04')('does not get a rejected answer again'), async () => {
    const url = await mocked((mock) => {
      mock.onMessage('one', { content: 'The secret is 42.' });
      mock.onMessage('two', { content: 'Fine.' });
    });
    const gate = postLlmCall(({ response }) => (response.text.includes('secret') ? reject('not that') : undefined), {
      name: 'secrets',
    });
    const { agent, requests } = await onWire(wire, url, { hooks: [gate] });
    expect(await agent.chat('one')).toMatchObject({ stopReason: 'rejected' });
    expect((await agent.chat('two')).text).toBe('Fine.');
    expect(requests()[1]?.texts.join('\n')).not.toContain('secret');
  });
});
