/** Subagents inside runs: their steps are recorded like those of the agent that started them. */

import { allow, ask, type Approver } from 'bridle';
import { createAgent } from 'bridle/agent';
import { scriptedModel, type ScriptedStep } from 'bridle/testing';
import { expect, it } from 'vitest';
import { act, calling } from '../../../test/rigs/agent-rig.ts';
import { proves } from '../../../test/contract/cite.ts';
import { describeStores, type StoreRig } from '../../../test/rigs/store-rig.ts';

interface Family {
  readonly main: readonly ScriptedStep[];
  readonly helper: readonly ScriptedStep[];
  readonly approver: Approver;
}

const start = ['start_subagent', { agent: 'helper', prompt: 'do it' }] as const;

async function family(rig: StoreRig, { main, helper, approver }: Family) {
  const store = await rig.open();
  const executed: string[] = [];
  const keys: string[] = [];
  const tool = (name: string) =>
    act((_, { idempotencyKey }) => {
      executed.push(name);
      keys.push(idempotencyKey);
      return `${name} ran`;
    }, name);
  const models = { main: scriptedModel(main), helper: scriptedModel(helper) };
  const agent = createAgent({
    model: models.main,
    telemetry: false,
    workspaces: [],
    store,
    approver,
    tools: [tool('own')],
    policy: [ask('start_subagent'), ask('second'), ask('own'), allow('*')],
    subagents: { helper: { model: models.helper, tools: [tool('first'), tool('second')] } },
  });
  await agent.start();
  return { agent, store, ran: executed, keys, models };
}

const starts = (prompt: string) => ({
  toolCalls: [{ tool: 'start_subagent', id: 's1', args: { agent: 'helper', prompt } }],
});
const noSecond: Approver = ({ call }) => (call.tool === 'own' ? { type: 'suspend' } : true);

describeStores('a subagent of a run', (rig) => {
  it(proves('R07', 'Q03', 'A13')('that has to wait continues where it stopped: nothing runs twice'), async () => {
    const questions: string[] = [];
    const onlyStart: Approver = ({ call }) => {
      questions.push(call.tool);
      return call.tool === 'start_subagent' ? true : { type: 'suspend' };
    };
    const first = await family(rig, {
      main: [calling(start)],
      helper: [calling('first', 'second')],
      approver: onlyStart,
    });
    const paused = await first.agent.run('go', { id: 'r1', hold: 'release' });
    expect(paused).toEqual({ state: 'waiting', id: 'r1', approvals: [expect.any(String)] });
    expect(first.ran).toEqual(['first']);
    await first.agent.stop();
    const pending = (await first.store.approvals.list({ run: 'r1' })).filter(({ state }) => state === 'pending');
    expect(pending).toMatchObject([{ tool: 'second', agent: ['main', 'helper'] }]);

    // As an answer would, but without one: whoever is asked next says yes.
    const { wakeRun } = await import('../../store/runs/run-rows.ts');
    const parts = await rig.parts();
    await parts.database.write((transaction) => wakeRun(parts, transaction, 'r1'));

    const second = await family(rig, {
      main: ['it is done'],
      helper: ['the helper is done'],
      approver: ({ call }) => (questions.push(call.tool), true),
    });
    const result = await second.agent.resume('r1');
    expect(result).toMatchObject({ state: 'done', text: 'it is done' });
    expect(second.ran).toEqual(['second']);
    expect(questions).toEqual(['start_subagent', 'second', 'start_subagent', 'second']);
    expect(new Set([...first.keys, ...second.keys]).size).toBe(2);
    expect(second.models.main.calls).toHaveLength(1);
    expect(second.models.helper.calls).toHaveLength(1);
    const used = (await second.store.approvals.list({ run: 'r1' })).map(({ tool, state }) => `${tool} ${state}`);
    expect(used.toSorted()).toEqual(['second used', 'start_subagent used', 'start_subagent used']);
  });

  it(proves('R07', 'A13')('is not confused with an earlier one whose call had the same id'), async () => {
    const second = ['second', {}] as const;
    const first = await family(rig, {
      main: [starts('FIRST'), calling('own')],
      helper: [calling(second), 'the first is done'],
      approver: noSecond,
    });
    expect(await first.agent.run('go', { id: 'r1', hold: 'release' })).toMatchObject({ state: 'waiting' });
    expect(first.ran).toEqual(['second']);
    await first.agent.stop();
    const { wakeRun } = await import('../../store/runs/run-rows.ts');
    const parts = await rig.parts();
    await parts.database.write((transaction) => wakeRun(parts, transaction, 'r1'));
    const later = await family(rig, {
      main: [starts('SECOND'), 'all done'],
      helper: ['the second is done'],
      approver: () => true,
    });
    expect(await later.agent.resume('r1')).toMatchObject({ state: 'done', text: 'all done' });
    const prompt = JSON.stringify(later.models.helper.calls[0]?.prompt);
    expect(prompt).toContain('SECOND');
    expect(prompt).not.toContain('FIRST');
    expect(later.ran).toEqual(['own']);
  });
});
