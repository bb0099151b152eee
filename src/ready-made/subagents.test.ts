/** Subagents count toward the session that started them. */

import { allowAll, type Hook } from 'bridle';
import { createAgent } from 'bridle/agent';
import {
  audit,
  type AuditRecord,
  costTracker,
  retryLoopDetector,
  sessionCost,
  tokenBudget,
  tokensUsed,
  turnLimit,
} from 'bridle/ready-made';
import { scriptedModel } from 'bridle/testing';
import { defineTool } from 'bridle/tools';
import { describe, expect, it } from 'vitest';
import { proves } from '../../test/contract/cite.ts';

const usage = { inputTokens: 90, outputTokens: 10 };
const look = { toolCalls: [{ tool: 'look' }], usage };
const delegate = { toolCalls: [{ tool: 'start_subagent', args: { agent: 'x', prompt: 'look around' } }], usage };
const done = { text: 'done', usage };

/** A root that delegates once, and a child that looks twice. */
async function delegated(...hooks: Hook[]) {
  let looks = 0;
  const agent = createAgent({
    model: scriptedModel([delegate, done, look, done]),
    tools: [defineTool({ name: 'look', tier: 'observe', run: () => ++looks })],
    subagents: { x: { model: scriptedModel([look, look, done]), capabilities: 'all' } },
    policy: allowAll(),
    workspaces: [],
    hooks,
  });
  await agent.start();
  return { agent, looks: () => looks };
}

describe('with subagents', () => {
  it(proves('E05', 'E10')('tokens and costs of the whole session are counted once'), async () => {
    const { agent } = await delegated(
      tokenBudget({ max: 10_000 }),
      costTracker({ prices: { '*': { input: 1, output: 0 } } }),
    );
    await agent.chat('go');
    expect(agent.session.scope.get(tokensUsed)).toBe(500);
    expect(agent.session.scope.get(sessionCost)).toBeCloseTo((5 * 90) / 1_000_000, 12);
    await agent.stop();
  });

  it(proves('E06')('calls of a subagent count in the turn that started it'), async () => {
    const { agent, looks } = await delegated(retryLoopDetector({ maxCalls: 2 }));
    await agent.chat('go');
    expect(looks()).toBe(1);
    await agent.chat('again');
    expect(looks()).toBe(2);
    await agent.stop();
  });

  it(proves('E02')('a turn of a subagent counts as a turn'), async () => {
    const { agent, looks } = await delegated(turnLimit({ max: 1 }));
    await agent.chat('go');
    expect(looks()).toBe(0);
    expect(await agent.chat('again')).toMatchObject({ stopReason: 'rejected' });
    await agent.stop();
  });

  it(proves('E03')('an audit records who called'), async () => {
    const records: AuditRecord[] = [];
    const { agent } = await delegated(audit({ write: (record) => void records.push(record) }));
    await agent.chat('go');
    await agent.stop();
    const settled = records.flatMap((each) =>
      each.type === 'settled' ? [`${each.agent.join('/')} ${each.tool}`] : [],
    );
    expect(settled).toEqual(['main/x look', 'main/x look', 'main start_subagent']);
  });
});
