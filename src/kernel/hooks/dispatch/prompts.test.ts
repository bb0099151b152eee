/** Prompts and responses as hooks get and give them: bounded, copied, with a tool's server named. */

import { createGuard, type Hook, preTurn, transform } from 'bridle';
import type { Limits } from '../../limits.ts';
import type { LlmResponse, Media } from 'bridle/agent';
import { tryHooks } from 'bridle/testing';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { samplePayloads, sampleResponse } from '../../../../test/rigs/sample-payloads.ts';

async function turnWith(hooks: readonly Hook[], limits: Partial<Limits> = {}) {
  const session = await createGuard({ tools: [], policy: [], hooks, limits }).start();
  return session.turn();
}

const image = (data: string | Uint8Array, more: Partial<Media> = {}): Media => ({ mediaType: 'i', data, ...more });

describe('media', () => {
  it.each([
    ['bytes', [image(new Uint8Array(7))], [image(new Uint8Array(8))]],
    ['text', [image('x'.repeat(7))], [image('x'.repeat(8))]],
    ['text of several bytes each', [image('ééé')], [image('éééé')]],
    ['several', [image('xxx'), image('xxx')], [image('xxx'), image('xxxx')]],
    ['names', [image('xxx', { name: 'nnnn' })], [image('xxx', { name: 'nnnnn' })]],
    [
      'bytes that belittle themselves',
      [],
      [image(Object.defineProperty(new Uint8Array(9), 'byteLength', { value: 0 }))],
    ],
  ])(proves('G12')('count together with the text: %s'), async (_what, fits, tooMuch) => {
    const turn = await turnWith([], { mediaBytes: 10 });
    expect(await turn.enter({ text: 'hi', media: fits })).toMatchObject({ type: 'entered', prompt: { media: fits } });
    const refused = await turn.enter({ text: 'hi', media: tooMuch });
    expect(refused).toMatchObject({ type: 'rejected', reason: expect.stringContaining('larger than 10 bytes') });
  });

  it(proves('G12')('that a hook gives are bounded as well, and 32 MiB unless said otherwise'), async () => {
    const large = { text: 'hi', media: [image(new Uint8Array(32 * 1024 * 1024))] };
    const hook = preTurn(() => transform(large), { name: 'large' });
    const result = await (await turnWith([hook])).enter('hi');
    expect(result).toMatchObject({ type: 'rejected', hook: 'large', reason: expect.stringContaining('33554432') });
  });

  it.each<[string, unknown]>([
    ['an impostor', Object.create(Uint8Array.prototype)],
    ['wider numbers', new Uint16Array(2)],
    ['a buffer', new ArrayBuffer(2)],
    ['a list', [1, 2]],
    ['a number', 7],
    ['null', null],
  ])(proves('G12')('are text or real bytes, not %s'), async (_what, data) => {
    const result = await (await turnWith([])).enter({ text: 'hi', media: [image(data as string)] });
    expect(result).toMatchObject({ type: 'rejected', reason: expect.stringContaining('not text or bytes') });
  });

  it(proves('G12', 'H04')('cannot be changed in place, not by their author and not by a hook'), async () => {
    const seen: unknown[] = [];
    const given = new Uint8Array([1, 2]);
    const own = new Uint8Array([5, 6]);
    const scribble = (name: string): Hook =>
      preTurn(
        ({ prompt }) => {
          for (const { data } of prompt.media) {
            seen.push([name, String(data)]);
            if (typeof data !== 'string') data.fill(9);
          }
          given.fill(9);
          own.fill(9);
        },
        { name },
      );
    const change = preTurn(({ prompt }) => transform({ ...prompt, media: [image(own)] }), { name: 'change' });
    const prompt = { text: 'hi', media: [image(given)] };
    const turn = await turnWith([scribble('a'), scribble('b')]);
    expect(await turn.enter(prompt)).toEqual({
      type: 'entered',
      prompt: { text: 'hi', media: [image(new Uint8Array([1, 2]))] },
    });
    own.set([5, 6]);
    const changed = await turnWith([change, scribble('c'), scribble('d')]);
    expect(await changed.enter(prompt)).toMatchObject({ prompt: { media: [image(new Uint8Array([5, 6]))] } });
    expect(seen).toEqual([
      ['a', '1,2'],
      ['b', '1,2'],
      ['c', '5,6'],
      ['d', '5,6'],
    ]);
  });

  it.each(['postTurn', 'onTurnError'] as const)(
    proves('G12')('of the input cannot be changed in place at %s'),
    async (point) => {
      const data = new Uint8Array([1, 2]);
      const input = { text: 'hi', media: [image(data), image('text')] };
      const seen: unknown[] = [];
      const scribble = ({ input: { media } }: { input: { media: readonly Media[] } }): undefined => {
        seen.push(media.map((each) => String(each.data)));
        for (const each of media) if (typeof each.data !== 'string') each.data.fill(9);
      };
      const hooks: Hook[] = ['a', 'b'].map((name) => ({ name, [point]: scribble }));
      await tryHooks(hooks, point, { payload: { ...samplePayloads[point], input } });
      expect(seen).toEqual([
        ['1,2', 'text'],
        ['1,2', 'text'],
      ]);
      expect([...data]).toEqual([1, 2]);
    },
  );
});

const withServer = (server: unknown): LlmResponse => {
  const call = { id: 'c1', tool: 'read', server: server as string | undefined, args: {} };
  return { ...sampleResponse, toolCalls: [call] };
};

const answering = (server: unknown): Promise<unknown> =>
  tryHooks([{ name: 'change', postLlmCall: () => transform(withServer(server)) }], 'postLlmCall', {
    payload: { response: sampleResponse },
  });

describe('a response', () => {
  it(proves('M01')('may name the server of each tool call, and keeps it'), async () => {
    expect(await answering('files')).toMatchObject({ payload: { response: { toolCalls: [{ server: 'files' }] } } });
    expect(await answering(undefined)).toMatchObject({ payload: { response: { toolCalls: [{ tool: 'read' }] } } });
    expect(await answering(7)).toMatchObject({ type: 'rejected', reason: expect.stringContaining('server') });
  });
});
