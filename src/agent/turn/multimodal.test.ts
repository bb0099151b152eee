/** Images, documents, audio and video in prompts and in tool results. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postToolCall, preTurn, replace, transform } from 'bridle';
import type { PromptInput } from 'bridle/agent';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentRig, calling, look, type AgentRigOptions } from '../../../test/rigs/agent-rig.ts';
import { proves } from '../../../test/contract/cite.ts';
import { conversationProblems } from '../../../test/rigs/conversation.ts';

const bytes = new Uint8Array([137, 80, 78, 71, 0, 255]);
const base64 = Buffer.from(bytes).toString('base64');
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-media-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, contents: Uint8Array | string = bytes): { type: 'file'; path: string } {
  const path = join(folder, name);
  writeFileSync(path, contents);
  return { type: 'file', path };
}

/** The message that the model gets for a prompt. */
async function messageFor(prompt: PromptInput, options: AgentRigOptions = {}): Promise<unknown> {
  const { agent, model } = await agentRig(['fine'], options);
  try {
    await agent.chat(prompt);
    return model.calls[0]?.prompt.at(-1)?.content;
  } finally {
    await agent.stop();
  }
}

function filePart(mediaType: string, filename?: string): object {
  return { type: 'file', mediaType, data: { type: 'data', data: base64 }, ...(filename !== undefined && { filename }) };
}

describe('a prompt with media', () => {
  it(proves('A16')('from files: image, document, audio, video, by extension or by mediaType'), async () => {
    const names = { 'a.png': 'image/png', 'b.PDF': 'application/pdf', 'c.mp3': 'audio/mpeg', 'd.mp4': 'video/mp4' };
    const prompt = [
      'look',
      ...Object.keys(names).map((name) => file(name)),
      { ...file('e.bin'), mediaType: 'image/webp' },
      'at these',
    ];
    expect(await messageFor(prompt)).toEqual([
      { type: 'text', text: 'look\nat these' },
      ...Object.entries(names).map(([name, type]) => filePart(type, name)),
      filePart('image/webp', 'e.bin'),
    ]);
  });

  it(proves('A16')('from bytes and from base64 text, with or without text'), async () => {
    const media = { type: 'media', mediaType: 'image/jpeg', data: bytes } as const;
    expect(await messageFor([media])).toEqual([filePart('image/jpeg')]);
    expect(await messageFor(['see', { ...media, data: base64, name: 'cat.jpg' }])).toEqual([
      { type: 'text', text: 'see' },
      filePart('image/jpeg', 'cat.jpg'),
    ]);
  });

  it(proves('A16')('of an unsupported type, unreadable, too large or not a file is refused'), async () => {
    const { agent, model } = await agentRig([], { limits: { mediaBytes: 1000 } });
    mkdirSync(join(folder, 'dir.png'));
    const wrong: readonly unknown[] = [
      { type: 'media', mediaType: 'application/x-sh', data: bytes },
      { type: 'media', mediaType: 'image/svg+xml', data: bytes },
      { type: 'media', mediaType: undefined, data: bytes },
      { type: 'media', mediaType: 'image/png', data: 7 },
      { type: 'media', mediaType: 'image/png' },
      { type: 'picture', mediaType: 'image/png', data: bytes },
      { ...file('x.exe') },
      { ...file('x.exe'), mediaType: 'application/octet-stream' },
      { type: 'file', path: join(folder, 'missing.png') },
      { type: 'file', path: join(folder, 'dir.png') },
      { type: 'file', path: '/dev/zero', mediaType: 'image/png' },
      { type: 'file' },
      { type: 'file', path: 7 },
      { type: 'file', path: `${folder}/a\0.png` },
      file('big.png', 'x'.repeat(2000)),
      7,
      null,
    ];
    for (const part of wrong) {
      await expect(agent.chat(['look', part as string])).rejects.toMatchObject({ code: 'PROMPT_INVALID' });
    }
    model.assertDone();
    await agent.stop();
  });

  it(proves('A16', 'A08')('that is too large in total is refused before any hook'), async () => {
    let hooked = 0;
    const { agent, model } = await agentRig([], {
      limits: { mediaBytes: 10 },
      hooks: [preTurn(() => void hooked++, { name: 'see' })],
    });
    const media = { type: 'media', mediaType: 'image/png', data: bytes } as const;
    const [end] = await Promise.allSettled([agent.chat(['look', media, media])]);
    expect(end?.status === 'rejected' || end?.value.stopReason === 'rejected').toBe(true);
    expect(hooked).toBe(0);
    model.assertDone();
    await agent.stop();
  });

  it(proves('A16')('passes preTurn, which can remove or add media'), async () => {
    const seen: unknown[] = [];
    const swap = preTurn(
      ({ prompt }) => {
        seen.push(...prompt.media.map(({ mediaType, name }) => [mediaType, name]));
        for (const { data } of prompt.media) (data as Uint8Array).fill(0);
        return transform({ text: prompt.text, media: prompt.media.slice(1) });
      },
      { name: 'swap' },
    );
    const own = new Uint8Array(bytes);
    const media = { type: 'media', mediaType: 'image/gif', data: own } as const;
    expect(await messageFor(['x', file('f.png'), media], { hooks: [swap] })).toHaveLength(2);
    expect(seen).toEqual([
      ['image/png', 'f.png'],
      ['image/gif', undefined],
    ]);
    expect(own).toEqual(bytes);
  });
});

describe('media in a tool result', () => {
  const picture = { mediaType: 'image/png', data: bytes };
  const shot = look((_args, { attach }) => {
    attach({ mediaType: 'image/gif', data: base64 });
    return { page: 1, shot: attach(picture) };
  }, 'shot');

  it(proves('A16')('are sent to the model with the result if it mentions them'), async () => {
    const { agent, model } = await agentRig([calling('shot'), 'fine'], { tools: [shot] });
    await agent.chat('go');
    const content = model.calls[1]?.prompt.at(-1)?.content as readonly { output: unknown }[];
    expect(content[0]?.output).toEqual({
      type: 'content',
      value: [{ type: 'text', text: expect.stringMatching(/"page":1.*image\/png, 6 bytes/) }, filePart('image/png')],
    });
    expect(JSON.stringify(content[0]).match(/image\/gif/)).toBeNull();
    expect(conversationProblems(agent.history)).toEqual([]);
    expect(JSON.parse(JSON.stringify(agent.history))).toEqual(agent.history);
    await agent.stop();
  });

  it(proves('A16')('are dropped if a hook replaces the result, and never appear in journal or events'), async () => {
    const redact = postToolCall(() => replace('withheld'), { name: 'redact' });
    const hidden = await agentRig([calling('shot'), 'fine'], { tools: [shot], hooks: [redact] });
    await hidden.agent.chat('go');
    expect(hidden.agent.history[2]?.content).toEqual([
      { type: 'tool-result', toolCallId: 'call-1', toolName: 'shot', output: { type: 'text', value: 'withheld' } },
    ]);
    const plain = await agentRig([calling('shot'), 'fine'], { tools: [shot] });
    await plain.agent.chat('go');
    expect(JSON.stringify([plain.events, plain.journal.entries()])).not.toContain(base64);
    await Promise.all([hidden.agent.stop(), plain.agent.stop()]);
  });

  it(proves('A16')('that a hook has dropped do not come back if another tool mentions them'), async () => {
    const redact = postToolCall(({ call }) => (call.tool === 'shot' ? replace('withheld') : undefined), {
      name: 'redact',
    });
    const echo = look(
      () => '[image/gif, 6 bytes, attached as media-1] [image/png, 6 bytes, attached as media-2]',
      'echo',
    );
    const { agent } = await agentRig(
      [calling('shot', 'echo'), { toolCalls: [{ tool: 'echo', id: 'call-1' }] }, 'fine'],
      {
        tools: [shot, echo],
        hooks: [redact],
      },
    );
    await agent.chat('go');
    expect(JSON.stringify(agent.history)).toContain('attached as media-2');
    expect(JSON.stringify(agent.history)).not.toContain(base64);
    await agent.stop();
  });

  it(proves('A16')('of two concurrent calls stay separate'), async () => {
    const both = look(({ n }, { attach }) => attach({ ...picture, name: `shot-${JSON.stringify(n)}.png` }), 'both');
    const { agent } = await agentRig([calling(['both', { n: 1 }], ['both', { n: 2 }]), 'fine'], { tools: [both] });
    await agent.chat('go');
    const results = agent.history[2]?.content as unknown as readonly { output: { value: { filename?: string }[] } }[];
    expect(results.map(({ output }) => output.value.slice(1).map(({ filename }) => filename))).toEqual([
      ['shot-1.png'],
      ['shot-2.png'],
    ]);
    await agent.stop();
  });

  it(proves('A16')('that are too large are left out, and the model gets a note'), async () => {
    const { agent } = await agentRig([calling('shot'), 'fine'], { tools: [shot], limits: { mediaBytes: 5 } });
    await agent.chat('go');
    expect(JSON.stringify(agent.history[2])).not.toContain(base64);
    expect(JSON.stringify(agent.history[2])).toContain('left out');
    await agent.stop();
  });
});
