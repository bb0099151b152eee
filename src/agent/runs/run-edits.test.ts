/** Runs with edited calls, and idempotency keys of runs and sessions with the same id. */

import { allow, ask, preToolCall, transform } from 'bridle';
import { type Agent, type AgentOptions, createAgent } from 'bridle/agent';
import { scriptedModel, type ScriptedModel, type ScriptedStep } from 'bridle/testing';
import { defineTool } from 'bridle/tools';
import { expect, it } from 'vitest';
import { act, resultsIn } from '../../../test/rigs/agent-rig.ts';
import { signElsewhere } from '../../../test/rigs/approval-rig.ts';
import { proves } from '../../../test/contract/cite.ts';
import { describeStores, type StoreRig } from '../../../test/rigs/store-rig.ts';
import type { ApproverAnswer } from '../../approvals/signing/approval-record.ts';
import { createApproverKey } from '../../store/keys/approver-keys.ts';
import type { SigningKey } from '../../approvals/signing/key-ring.ts';
import type { Store } from '../../store/store.ts';

async function startAgent(store: Store, model: ScriptedModel, options: Partial<AgentOptions>) {
  const base = { capabilities: 'none', default: 'allow', telemetry: false, retries: 0 } as const;
  return createAgent({ ...base, model, store, ...options }).start();
}

const callOf = (tool: string, args = {}): ScriptedStep => ({ toolCalls: [{ tool, id: 'c1', args }] });

interface EditRig {
  readonly store: Store;
  readonly executed: unknown[];
  /** Runs one segment as a separate process would, without waiting. Returns the tool result that the model received. */
  readonly runSegment: (options?: Partial<AgentOptions>) => Promise<string>;
  readonly answer: (answer: ApproverAnswer) => Promise<void>;
  readonly states: () => Promise<readonly string[]>;
}

async function editRig(rig: StoreRig): Promise<EditRig> {
  const store = await rig.open();
  const ann: SigningKey = createApproverKey({ folder: rig.keys, name: 'ann' });
  const executed: unknown[] = [];
  const tool = defineTool({ name: 'act', paths: ['path'], run: (args) => `ran ${executed.push(args)}` });
  const shared = { tools: [tool], policy: [ask('act'), allow('*')], cwd: rig.folder, workspaces: [rig.folder] };
  return {
    store,
    executed,
    runSegment: async (options = {}) => {
      const isBegun = (await store.runs.get('r1')) !== undefined;
      const model = scriptedModel(isBegun ? ['end'] : [callOf('act', { path: 'a.txt', n: 1 }), 'end']);
      const agent = await startAgent(store, model, { ...shared, ...options });
      const { state } = await agent.run('go', { id: 'r1', hold: 'release' });
      await agent.stop();
      const last = model.calls.at(-1)?.prompt.findLast(({ role }) => role === 'tool');
      return state === 'done' ? String(resultsIn(last)[0]?.output.value) : state;
    },
    answer: async (answer) => {
      const [record] = await store.approvals.list({ state: 'pending' });
      if (record !== undefined) await store.approvals.answer(signElsewhere(ann, record, answer));
    },
    states: async () => (await store.approvals.list({ run: 'r1' })).map(({ state }) => state).toReversed(),
  };
}

const edit: ApproverAnswer = { type: 'approve', args: { path: 'b.txt', n: 2 } };

describeStores('an edited call of a run', (rig) => {
  it(proves('Q02', 'Q03')('runs after a person approved the edited call'), async () => {
    const { runSegment, answer, executed, states } = await editRig(rig);
    expect(await runSegment()).toBe('waiting');
    await answer(edit);
    // Where a path leads is shown: the edit is asked about again.
    expect(await runSegment()).toBe('waiting');
    expect(await states()).toEqual(['used', 'pending']);
    expect(await runSegment()).toBe('waiting');
    await answer({ type: 'approve' });
    expect(await runSegment()).toBe('ran 1');
    expect(executed).toMatchObject([{ n: 2 }]);
    expect(await states()).toEqual(['used', 'used']);
  });

  it(proves('Q02', 'Q03')('does not run if a person denied the edited call'), async () => {
    const { runSegment, answer, executed } = await editRig(rig);
    await runSegment();
    await answer(edit);
    await runSegment();
    await answer({ type: 'deny', reason: 'Not that one' });
    expect(await runSegment()).toBe('Not that one');
    expect(executed).toEqual([]);
  });

  it(proves('Q03')('loses both approvals if a hook changes it afterwards'), async () => {
    const { runSegment, answer, executed, states } = await editRig(rig);
    await runSegment();
    await answer(edit);
    await runSegment();
    await answer({ type: 'approve' });
    const rewrite = preToolCall(({ call }) => transform({ ...call.args, n: 3 }), { name: 'rewrite' });
    expect(await runSegment({ hooks: [rewrite] })).toContain('is void');
    expect(executed).toEqual([]);
    expect(await states()).toEqual(['used', 'void']);
  });
});

describeStores('idempotency keys', (rig) => {
  it(proves('R07', 'R04')('differ between namespaces, and between a run and a session with the same id'), async () => {
    const keys: string[] = [];
    const tools = [act((_, { idempotencyKey }) => `${keys.push(idempotencyKey)}`)];
    for (const namespace of ['one', 'other']) {
      const store = await rig.open({ namespace });
      const model = () => scriptedModel([callOf('act'), 'end']);
      const runs = await startAgent(store, model(), { tools });
      await runs.run('go', { id: 'x1' });
      await runs.stop();
      const sessions = await startAgent(store, model(), { tools, session: { id: 'x1' } });
      await sessions.chat('go');
      await expect(sessions.run('go', { id: 'x1' })).rejects.toMatchObject({ code: 'RUN_STATE' });
      await expect(sessions.resume('x1')).rejects.toMatchObject({ code: 'RUN_STATE' });
      await sessions.stop();
    }
    expect(new Set(keys).size).toBe(4);
    expect(keys.every((key) => key.endsWith('/x1/1/1/c1'))).toBe(true);
  });

  it('cannot collide: no session can be opened with the id of a run in progress', async () => {
    const store = await rig.open();
    const tool = act(async () => {
      await expect(agent.open({ id: 'x1' })).rejects.toMatchObject({ code: 'SESSION_STORE' });
      return 'refused';
    });
    const agent: Agent = await startAgent(store, scriptedModel([callOf('act'), 'end']), { tools: [tool] });
    expect(await agent.run('go', { id: 'x1' })).toMatchObject({ state: 'done', text: 'end' });
    await agent.stop();
  });
});
