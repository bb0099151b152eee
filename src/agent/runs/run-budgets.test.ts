/** Budgets of resumed runs: earlier usage counts, and a call that had to wait is counted once. */

import { allow, ask, type Approver } from 'bridle';
import { createAgent, type Agent, type AgentOptions } from 'bridle/agent';
import { scriptedModel, type ScriptedStep } from 'bridle/testing';
import { expect, it } from 'vitest';
import { calling, look } from '../../../test/rigs/agent-rig.ts';
import { proves } from '../../../test/contract/cite.ts';
import { describeStores, type StoreRig } from '../../../test/rigs/store-rig.ts';

const suspend: Approver = () => ({ type: 'suspend' });
const policy = [ask('peek'), allow('*')];
const tools = [look(), look(() => 'peeked', 'peek')];

async function worker(rig: StoreRig, script: readonly ScriptedStep[], options: Partial<AgentOptions>): Promise<Agent> {
  const base = {
    model: scriptedModel(script),
    capabilities: 'none',
    telemetry: false,
    store: await rig.open(),
  } as const;
  const agent = createAgent({ ...base, tools, policy, ...options });
  await agent.start();
  return agent;
}

/** Starts a run that has to wait, continues it with another agent, and returns its stop reason. */
async function resumed(rig: StoreRig, options: Partial<AgentOptions>): Promise<string> {
  const first = await worker(rig, [calling('look', 'peek', 'look')], { ...options, approver: suspend });
  const waiting = await first.run('go', { id: 'r1', hold: 'release' });
  if (waiting.state !== 'waiting') throw new TypeError(`the run is ${waiting.state}`);
  await first.stop();
  const { approvals } = await rig.open();
  for (const id of waiting.approvals) await approvals.move(id as never, { from: 'pending', to: 'cancelled', by: 'x' });
  const steps = Array.from({ length: 9 }, () => calling('look'));
  const second = await worker(rig, steps, { ...options, approver: () => true });
  const result = await second.resume('r1');
  await second.stop();
  return result.state === 'done' ? result.stopReason : result.state;
}

describeStores('a run that is resumed', (rig) => {
  it(proves('A18', 'R07')('does not get a new budget for its turn, and counts a waiting call once'), async () => {
    // One answer before, with three calls; then two answers with one call each.
    expect(await resumed(rig, { budget: { perTurn: { modelCalls: 3 } } })).toBe('budget:perTurn.modelCalls');
    const record = await (await rig.open()).runs.get('r1');
    expect(record?.output).toMatchObject({ steps: 3 });
  });

  it(proves('A18', 'R07')('keeps its tool-call count'), async () => {
    expect(await resumed(rig, { budget: { perTurn: { toolCalls: 5 } } })).toBe('budget:perTurn.toolCalls');
    const { output } = (await (await rig.open()).runs.get('r1')) ?? {};
    // Three in the first answer, one in each of the two that follow; the next one is refused.
    expect(output).toMatchObject({ steps: 4 });
  });

  it(proves('A18', 'R07')('does not count calls twice in a shared budget'), async () => {
    const budget = { shared: { account: 'team', limits: { toolCalls: 5 } } };
    expect(await resumed(rig, { budget })).toBe('budget:shared.toolCalls');
    const { runs, counters } = await rig.open();
    expect((await runs.get('r1'))?.output).toMatchObject({ steps: 4 });
    expect(await counters.used('team')).toMatchObject({ toolCalls: 5, modelCalls: 4 });
  });

  it(proves('A18', 'R07')('keeps the call times of its rate limits'), async () => {
    const rates = { modelCalls: { max: 3, perMs: 3_600_000 } };
    expect(await resumed(rig, { budget: { rates } })).toBe('budget:rates.modelCalls');
    expect((await (await rig.open()).runs.get('r1'))?.output).toMatchObject({ steps: 3 });
  });
});
