/** Answers with a schema: a match is returned as data, a mismatch is sent back, and reported after some attempts. */

import { postLlmCall, retry } from 'bridle';
import type { OutputSchema } from 'bridle/agent';
import { fakeClock } from 'bridle/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agentRig, calling, look, textIn } from '../../../test/rigs/agent-rig.ts';
import { proves } from '../../../test/contract/cite.ts';
import { conversationProblems, promptProblems } from '../../../test/rigs/conversation.ts';
import { never } from '../../../test/rigs/guard-rig.ts';

const person = z.object({ name: z.string(), age: z.number().default(1) });
const written = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'number' } },
  required: ['name'],
} as const;
const ada = '{"name":"Ada","age":36}';

function finish(result: unknown): ReturnType<typeof calling> {
  return calling(['finish', { result }]);
}

describe('an answer with a schema', () => {
  it(
    proves('A15')('that matches is data, for a Standard Schema or a JSON Schema, in a code fence or not'),
    async () => {
      const { agent, model } = await agentRig([ada, `\`\`\`json\n${ada}\n\`\`\``, '{"name":"Bob"}', ` ${ada}\n`]);
      expect(await agent.chat('who', { schema: person })).toMatchObject({
        data: { name: 'Ada', age: 36 },
        stopReason: 'end',
        text: ada,
        problem: undefined,
      });
      expect(await agent.chat('who', { schema: written })).toMatchObject({ data: { name: 'Ada', age: 36 } });
      expect(await agent.chat('who', { schema: person })).toMatchObject({ data: { name: 'Bob', age: 1 } });
      expect(await agent.stream('who', { schema: person }).result).toMatchObject({ data: { name: 'Ada', age: 36 } });
      for (const { settings } of model.calls) {
        expect(settings.responseFormat).toMatchObject({ type: 'json', schema: { type: 'object', required: ['name'] } });
      }
      await agent.stop();
    },
  );

  it(proves('A15')('is requested in that turn only'), async () => {
    const { agent, model } = await agentRig([ada, 'plain']);
    await agent.chat('who', { schema: person });
    expect(await agent.chat('who')).toMatchObject({ text: 'plain', data: undefined, problem: undefined });
    expect(model.calls[1]?.settings.responseFormat).toBeUndefined();
    await agent.stop();
  });

  it(proves('A15')('that does not match is sent back with the problem, and stays out of the history'), async () => {
    const { agent, model } = await agentRig(['I think it is Ada', '{"name":7}', '[]', ada]);
    const result = await agent.chat('who', { schema: person });
    expect(result).toMatchObject({ data: { name: 'Ada' }, stopReason: 'end', steps: 1, text: ada });
    expect(model.calls).toHaveLength(4);
    expect(textIn(model.calls[1]?.prompt.at(-1))).toContain('not JSON');
    expect(textIn(model.calls[2]?.prompt.at(-1))).toContain('name');
    for (const { prompt } of model.calls) expect(promptProblems(prompt)).toEqual([]);
    expect(agent.history).toHaveLength(2);
    await agent.stop();
  });

  it(
    proves('A15')(
      'that never matches is reported after three more attempts: no data, the problem, its own stop reason',
    ),
    async () => {
      const { agent, model } = await agentRig(['no', 'no', 'no', 'still no', 'next']);
      const result = await agent.chat('who', { schema: person });
      expect(result).toMatchObject({ stopReason: 'schema_mismatch', data: undefined, text: 'still no' });
      expect(result.problem).toContain('not JSON');
      expect(model.calls).toHaveLength(4);
      expect(conversationProblems(agent.history)).toEqual([]);
      expect(await agent.chat('on')).toMatchObject({ text: 'next', problem: undefined, stopReason: 'end' });
      await agent.stop();
    },
  );

  it(proves('A15')('may come after tools'), async () => {
    const { agent } = await agentRig([calling('look'), 'hm', ada], { tools: [look()] });
    expect(await agent.chat('who', { schema: person })).toMatchObject({ data: { name: 'Ada' }, steps: 2 });
    await agent.stop();
  });

  it(proves('A15', 'A04')('passes hooks too: both may send it back'), async () => {
    let callCount = 0;
    const gate = postLlmCall(() => (++callCount === 1 ? retry('no') : undefined), { name: 'gate' });
    const { agent, model } = await agentRig(['x', 'not json', ada], { hooks: [gate] });
    expect(await agent.chat('who', { schema: person })).toMatchObject({ data: { name: 'Ada' } });
    model.assertDone();
    await agent.stop();
  });

  it(proves('A15')('a schema that throws is reported as a problem'), async () => {
    const broken = z.object({}).refine(() => {
      throw new TypeError('my schema');
    });
    const { agent } = await agentRig(['{}'], { script: { repeat: true } });
    const result = await agent.chat('who', { schema: broken });
    expect(result).toMatchObject({ stopReason: 'schema_mismatch', problem: expect.stringContaining('my schema') });
    await agent.stop();
  });

  it(proves('A15')('a schema that never answers is reported as a problem after a timeout'), async () => {
    const clock = fakeClock();
    const mute = { '~standard': { version: 1, vendor: 'mute', validate: () => never() } } as const;
    const { agent } = await agentRig(['{}'], { script: { repeat: true }, clock });
    const turn = agent.chat('who', { schema: mute });
    await clock.advance(60_000);
    expect(await turn).toMatchObject({
      stopReason: 'schema_mismatch',
      problem: expect.stringContaining('took longer than'),
    });
    await agent.stop();
  });

  it(proves('A15')('may have any type, not only objects'), async () => {
    const schemas: readonly [OutputSchema, string, string][] = [
      [{ type: 'array', items: { $ref: '#/$defs/n' }, $defs: { n: { type: 'number' } } }, '["x"]', '[1,2]'],
      [{ enum: ['spam', 'ham'] }, '"eggs"', '"ham"'],
      [{ type: ['string', 'null'] }, '7', 'null'],
      [z.array(z.number()), '["x"]', '[1,2]'],
      [z.enum(['spam', 'ham']), '"eggs"', '"ham"'],
    ];
    for (const [schema, wrong, right] of schemas) {
      const { agent, model } = await agentRig([wrong, right, finish(JSON.parse(wrong)), finish(JSON.parse(right))], {
        capabilities: { enabledTools: ['finish'] },
      });
      const data = JSON.parse(right) as unknown;
      expect(await agent.chat('which', { schema })).toMatchObject({ data, stopReason: 'end' });
      expect(await agent.chat('which', { schema })).toMatchObject({ data, stopReason: 'finished' });
      model.assertDone();
      await agent.stop();
    }
  });

  it(proves('A15')('a value that is not a schema is refused before the turn'), async () => {
    const { agent, eventTypes } = await agentRig([]);
    for (const schema of [7, 'text', { type: 'nonsense' }] as readonly unknown[] as readonly OutputSchema[]) {
      await expect(agent.chat('who', { schema })).rejects.toMatchObject({ name: 'BridleError' });
    }
    expect(eventTypes()).toEqual(['session_started']);
    await agent.stop();
  });
});

describe('the finish tool', () => {
  const finishing = { capabilities: { enabledTools: ['finish'] } };

  it(proves('A15')('ends the turn with its result, which is data if there is a schema'), async () => {
    const { agent, model } = await agentRig([finish('all done'), finish({ name: 'Ada' }), finish(ada)], finishing);
    expect(await agent.chat('go')).toMatchObject({ stopReason: 'finished', text: 'all done', data: undefined });
    expect(await agent.chat('who', { schema: person })).toMatchObject({
      stopReason: 'finished',
      data: { name: 'Ada', age: 1 },
    });
    expect(await agent.chat('who', { schema: person })).toMatchObject({
      stopReason: 'finished',
      data: { name: 'Ada', age: 36 },
    });
    expect(conversationProblems(agent.history)).toEqual([]);
    model.assertDone();
    await agent.stop();
  });

  it(
    proves('A15')('returns an error to the model if the result does not match, and the model may try again'),
    async () => {
      const { agent, model } = await agentRig([finish({ name: 7 }), finish({ name: 'Ada' })], finishing);
      expect(await agent.chat('who', { schema: person })).toMatchObject({
        stopReason: 'finished',
        data: { name: 'Ada' },
      });
      expect(JSON.stringify(model.calls[1]?.prompt.at(-1))).toContain('does not match');
      expect(promptProblems(model.calls[1]?.prompt ?? [])).toEqual([]);
      await agent.stop();
    },
  );

  it(proves('A15')('with results that never match is reported after some attempts'), async () => {
    const { agent, model } = await agentRig([finish({ name: 7 })], { ...finishing, script: { repeat: true } });
    const result = await agent.chat('who', { schema: person });
    expect(result).toMatchObject({
      stopReason: 'schema_mismatch',
      data: undefined,
      problem: expect.stringContaining('name'),
    });
    expect(model.calls).toHaveLength(4);
    expect(conversationProblems(agent.history)).toEqual([]);
    await agent.stop();
  });
});
