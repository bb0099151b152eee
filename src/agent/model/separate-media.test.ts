import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { separateMedia } from './language-model.ts';

const file = (data: string) => ({
  type: 'file' as const,
  mediaType: 'image/png',
  data: { type: 'data' as const, data },
});
const result = (toolCallId: string, ...files: readonly ReturnType<typeof file>[]) => ({
  type: 'tool-result' as const,
  toolCallId,
  toolName: 'look',
  output: { type: 'content' as const, value: [{ type: 'text' as const, text: `seen ${toolCallId}` }, ...files] },
});
const plain = {
  type: 'tool-result' as const,
  toolCallId: 'c3',
  toolName: 'add',
  output: { type: 'text' as const, value: '3' },
};
const prompt: LanguageModelV4Prompt = [
  { role: 'user', content: [{ type: 'text', text: 'look' }] },
  { role: 'tool', content: [result('c1', file('AAAA')), plain, result('c2', file('BBBB'), file('CCCC'))] },
  { role: 'assistant', content: [{ type: 'text', text: 'ok' }] },
];

describe(proves('A16')('media in tool results'), () => {
  it.each(['anthropic.messages', 'openai.responses', 'google.generative-ai', 'amazon-bedrock', 'bridle.testing'])(
    'stay where they are for %s',
    (provider) => expect(separateMedia({ provider }, prompt)).toBe(prompt),
  );

  it.each(['openai.chat', 'mistral.chat', 'ollama'])('move to a separate message for %s', (provider) => {
    const [asked, results, media, answer, ...more] = separateMedia({ provider }, prompt);
    expect(more).toEqual([]);
    expect([asked, answer]).toEqual([prompt[0], prompt[2]]);
    expect(results?.content).toEqual([
      { ...result('c1'), output: { type: 'text', value: 'seen c1' } },
      plain,
      { ...result('c2'), output: { type: 'text', value: 'seen c2' } },
    ]);
    expect(media?.role).toBe('user');
    expect(media?.content.slice(1)).toEqual([file('AAAA'), file('BBBB'), file('CCCC')]);
  });

  it('leave a prompt without media unchanged', () => {
    const text = prompt.filter(({ role }) => role !== 'tool');
    expect(separateMedia({ provider: 'openai.chat' }, text)).toBe(text);
  });
});
