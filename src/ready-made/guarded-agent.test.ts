/** Ready-made hooks in a whole agent: what reaches the model, the stream, the history and the start. */

import { allowAll, type BridleEvent, type Hook } from 'bridle';
import { createAgent } from 'bridle/agent';
import {
  audit,
  costTracker,
  errorRecovery,
  humanApproval,
  inputGuardrail,
  logging,
  migrationQuestion,
  outputGuardrail,
  providerFallback,
  requestGuardrail,
  retryLoopDetector,
  rewriteArguments,
  slowToolTimer,
  tokenBudget,
  turnLimit,
} from 'bridle/ready-made';
import { scriptedModel } from 'bridle/testing';
import { defineTool } from 'bridle/tools';
import { describe, expect, it } from 'vitest';
import { proves } from '../../test/contract/cite.ts';

const token = ['gh', 'p_', 'q7Zp2LxV9tRb4NwKs8YcJd3Hf6Gm1Ae5UoXi'].join('');
const mail = 'ann@example.com';

const everyOther: readonly Hook[] = [
  audit({ write: () => undefined }),
  costTracker({ prices: { '*': { input: 1, output: 1 } } }),
  errorRecovery([{ match: 'x', value: 1 }]),
  inputGuardrail({ patterns: [/zebra/] }),
  logging({ write: () => undefined }),
  migrationQuestion({ tools: ['*'], detect: () => undefined, wrap: ({ args }) => args }),
  outputGuardrail(),
  providerFallback({ models: ['a/b'] }),
  requestGuardrail(),
  retryLoopDetector({ maxCalls: 10 }),
  rewriteArguments({ tool: '*', rewrite: (args) => args }),
  slowToolTimer({ thresholdMs: 1 }),
  tokenBudget({ max: 1_000_000 }),
  turnLimit({ max: 100 }),
];

describe('ready-made hooks in an agent', () => {
  it(proves('E13', 'A05')('a secret does not reach the stream, the history or the result'), async () => {
    const model = scriptedModel([
      { text: `It is ${token}`, chunks: 20 },
      { text: 'It is in the vault.', chunks: 20 },
    ]);
    const agent = createAgent({ model, capabilities: 'none', hooks: [outputGuardrail()] });
    await agent.start();
    const stream = agent.stream('What is it?');
    const events: BridleEvent[] = [];
    for await (const event of stream) events.push(event);
    expect(JSON.stringify([events, agent.history, await stream.result])).not.toContain(token.slice(4, 20));
    expect((await stream.result).text).toBe('It is in the vault.');
    await agent.stop();
  });

  it(proves('E13', 'A04')('repeated violations end in an error that names the hook'), async () => {
    const model = scriptedModel([`It is ${token}`], { repeat: true });
    const agent = createAgent({ model, capabilities: 'none', hooks: [outputGuardrail()] });
    await agent.start();
    await expect(agent.chat('What is it?')).rejects.toThrow('output-guardrail');
    await agent.stop();
  });

  it(proves('E16')('the model never sees personal data; the history keeps the original'), async () => {
    const model = scriptedModel([{ toolCalls: [{ tool: 'find', args: { who: mail } }] }, 'Found.', 'Again.']);
    const find = defineTool({ name: 'find', tier: 'observe', run: () => ({ mail, phone: '+1 415 555 0132' }) });
    const hooks = [requestGuardrail()];
    const agent = createAgent({ model, tools: [find], capabilities: 'none', instructions: `Ask ${mail}`, hooks });
    await agent.start();
    await agent.chat([`I am ${mail}`, { type: 'media', mediaType: 'text/plain', data: Buffer.from(mail) }]);
    await agent.chat('again');
    expect(model.calls).toHaveLength(3);
    const seen = JSON.stringify(model.calls);
    expect(seen).not.toMatch(/example\.com|555/);
    expect(seen).not.toContain(JSON.stringify([...Buffer.from(mail)]).slice(1, -1));
    expect(JSON.stringify(agent.history)).toContain(mail);
    await agent.stop();
  });

  it(proves('E11', 'A02')('only humanApproval covers tools without a rule'), async () => {
    const act = defineTool({ name: 'act', run: () => 'done' });
    const options = { model: scriptedModel([]), tools: [act], capabilities: 'none' } as const;
    await expect(createAgent({ ...options, hooks: everyOther }).start()).rejects.toMatchObject({
      code: 'AGENT_UNSAFE',
    });
    const approved = createAgent({
      ...options,
      hooks: [...everyOther, humanApproval({ tools: ['*'], ask: () => true })],
    });
    await approved.start();
    await approved.stop();
  });

  it(proves('E01', 'E02', 'E05', 'E06', 'E14')('all hooks together allow an ordinary turn'), async () => {
    const model = scriptedModel([{ toolCalls: [{ tool: 'act', args: { n: 1 } }] }, 'Done.']);
    const act = defineTool({ name: 'act', run: () => 'done' });
    const hooks = [...everyOther, humanApproval({ tools: ['act'], ask: () => true })];
    const agent = createAgent({ model, tools: [act], capabilities: 'none', policy: allowAll(), hooks });
    await agent.start();
    expect(await agent.chat('Please act')).toMatchObject({ text: 'Done.', stopReason: 'end' });
    await agent.stop();
    model.assertDone();
  });
});
