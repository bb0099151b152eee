import { createGuard, postLlmCall, replace, transform, type Hook } from 'bridle';
import type { LlmResponse } from 'bridle/agent';
import { outputGuardrail } from 'bridle/ready-made';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { sampleResponse } from '../../../test/rigs/sample-payloads.ts';

const token = ['gh', 'p_', 'q7Zp2LxV9tRb4NwKs8YcJd3Hf6Gm1Ae5UoXi'].join('');
const privateKey = ['-----BEGIN OPENSSH ', 'PRIVATE KEY-----\nabc'].join('');

async function judged(response: Partial<LlmResponse>, ...hooks: Hook[]) {
  const session = await createGuard({ tools: [], policy: [], hooks }).start();
  return session.turn().dispatch('postLlmCall', { response: { ...sampleResponse, ...response } });
}

const call = (args: LlmResponse['toolCalls'][number]['args']) => ({ toolCalls: [{ id: '1', tool: 'post', args }] });

async function moderate({ text }: LlmResponse): Promise<string | undefined> {
  return text.includes('rude') ? 'it is rude' : undefined;
}

function throwing(): never {
  throw new TypeError('no');
}

describe('outputGuardrail', () => {
  it(proves('E13')('lets the model answer again without the secret, and does not repeat it'), async () => {
    const result = await judged({ text: `Use ${token}` }, outputGuardrail());
    const feedback = 'Your answer was blocked: it contains what looks like a GitHub token. Answer again without it.';
    expect(result).toEqual({ type: 'answered', action: { type: 'retry', feedback }, hook: 'output-guardrail' });
    expect(JSON.stringify(result)).not.toContain(token);
    expect(await judged({ text: 'hello' }, outputGuardrail())).toMatchObject({ type: 'passed' });
  });

  it.each([
    ['text', { text: token }],
    ['thinking', { thinking: `hm ${privateKey}` }],
    ['an argument', call({ body: `x ${token}` })],
    ['a nested argument', call({ files: [{ content: privateKey }] })],
    ['a name beside a value', call({ env: { API_KEY: 'q7Zp2LxV9tRb4NwKs8Yc' } })],
  ])(proves('E13')('finds a secret in %s'), async (_where, response) => {
    expect(await judged(response, outputGuardrail({ onFinding: 'reject' }))).toMatchObject({ type: 'rejected' });
  });

  it(proves('E13')('calls moderation, and tells the model what was wrong'), async () => {
    const hook = outputGuardrail({ secrets: false, moderate });
    expect(await judged({ text: 'a rude word' }, hook)).toMatchObject({
      action: { feedback: 'Your answer was blocked: it is rude. Answer again without it.' },
    });
    expect(await judged({ text: token }, hook)).toMatchObject({ type: 'passed' });
    const strict = outputGuardrail({ moderate, onFinding: 'reject' });
    expect(await judged({ text: 'rude' }, strict)).toMatchObject({ reason: 'The answer was blocked: it is rude' });
  });

  it(proves('E13')('accepts additional patterns with any flags'), async () => {
    const hook = outputGuardrail({ secrets: [/project zebra/gi] });
    for (let n = 0; n < 3; n++)
      expect(await judged({ text: 'Project Zebra' }, hook)).toMatchObject({ type: 'answered' });
    expect(await judged({ text: token }, hook)).toMatchObject({ type: 'answered' });
  });

  it(proves('E13', 'H06')('refuses the answer when moderation fails or returns an invalid result'), async () => {
    const moderations = [
      throwing,
      () => Promise.reject(new TypeError('no')),
      () => true,
      () => '',
      () => null,
      () => ({}),
    ];
    for (const each of moderations) {
      const hook = outputGuardrail({ moderate: each as never });
      expect(await judged({ text: 'hello' }, hook)).toMatchObject({ type: 'rejected', hook: 'output-guardrail' });
    }
    expect(outputGuardrail()).toMatchObject({ gate: true, failOpen: false });
  });

  it(proves('E13', 'H03', 'H04')('runs last, and sees the answer after other hooks'), async () => {
    const leak = { ...sampleResponse, text: token };
    const changing = postLlmCall(() => transform(leak), { name: 'other' });
    expect(await judged({ text: 'hello' }, outputGuardrail(), changing)).toMatchObject({ type: 'answered' });
    const replacing = postLlmCall(() => replace(leak), { name: 'other' });
    expect(await judged({ text: 'hello' }, outputGuardrail(), replacing)).toMatchObject({ type: 'rejected' });
  });

  it(proves('E13')('handles very large answers'), async () => {
    const text = `${'lorem ipsum '.repeat(300_000)}${token}`;
    expect(await judged({ text }, outputGuardrail())).toMatchObject({ type: 'answered' });
  });

  it.each([[{ secrets: false }], [{ secrets: [] }], [{ secrets: ['x'] }], [{ moderate: 1 }], [{ onFinding: 'log' }]])(
    proves('E13')('refuses invalid options: %j'),
    (options) => {
      expect(() => outputGuardrail(options as never)).toThrow('outputGuardrail');
    },
  );
});
