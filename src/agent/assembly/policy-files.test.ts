/** Agents with policy files: applied from the start, reloaded on change, and layered for subagents. */

import { mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgent } from 'bridle/agent';
import { scriptedModel } from 'bridle/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { act, agentRig, calling, look } from '../../../test/rigs/agent-rig.ts';
import { proves } from '../../../test/contract/cite.ts';

let cwd: string;
beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), 'agent-policy-')));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

function write(name: string, text: string): void {
  writeFileSync(join(cwd, `${name}.new`), `version: 1\n${text}`);
  renameSync(join(cwd, `${name}.new`), join(cwd, name));
}

const allowAct = 'rules: [{ allow: act }, { allow: look }]';
const denyAct = 'rules:\n  - deny: act\n    reason: not today\n  - allow: look';

describe('an agent with a policy file', () => {
  it(proves('D08', 'D04')('follows it, and gives the model the position of the rule'), async () => {
    write('bridle.yaml', denyAct);
    const steps = [calling('act', 'look'), { text: 'done' }];
    const { agent, model, journal } = await agentRig(steps, {
      cwd,
      policy: 'bridle.yaml',
      default: undefined,
      tools: [act(), look()],
    });
    await agent.chat('go');
    const sent = JSON.stringify(model.calls.at(-1));
    expect(sent).toContain('not today [bridle.yaml:3]');
    const decided = journal.entries().flatMap((entry) => (entry.kind === 'decided' ? [entry] : []));
    expect(decided).toMatchObject([
      { status: 'denied', tool: 'act', rule: { at: 'bridle.yaml:3' }, policy: agent.guard.policy.version, cwd },
      { status: 'allowed', tool: 'look', rule: { at: 'bridle.yaml:5' } },
    ]);
    await agent.stop();
  });

  it(proves('D02')('emits an event for every change, also for an invalid one'), async () => {
    write('bridle.yaml', allowAct);
    const { agent, events } = await agentRig([calling('act'), { text: 'done' }], {
      cwd,
      policy: 'bridle.yaml',
      default: undefined,
      tools: [act(), look()],
    });
    const { version } = agent.guard.policy;
    writeFileSync(join(cwd, 'bridle.yaml'), 'rules: [');
    await expect.poll(() => events.map(({ type }) => type), { timeout: 10_000 }).toContain('policy_failed');
    write('bridle.yaml', denyAct);
    await expect.poll(() => events.map(({ type }) => type), { timeout: 10_000 }).toContain('policy_changed');
    expect(agent.guard.policy.version).not.toBe(version);
    await agent.chat('go');
    expect(events.filter(({ type }) => type === 'tool_denied')).toHaveLength(1);
    await agent.stop();
  });

  it(proves('A02', 'P06')('starts with any tools: calls that no rule matches are denied'), async () => {
    write('bridle.yaml', 'rules: [{ allow: look }]');
    const { agent, events } = await agentRig([calling('act'), { text: 'done' }], {
      cwd,
      policy: 'bridle.yaml',
      default: undefined,
      tools: [act(), look()],
    });
    await agent.chat('go');
    expect(events.filter(({ type }) => type === 'tool_denied')).toHaveLength(1);
    await agent.stop();
  });

  it(proves('D05', 'A13')('gives a subagent its own file as an additional layer'), async () => {
    write('bridle.yaml', 'default: allow\nrules: [{ allow: act }]');
    write('child.yaml', 'rules: [{ deny: act }]');
    const child = scriptedModel([calling('act', 'look'), { text: 'child done' }]);
    const { agent, events } = await agentRig(
      [calling(['start_subagent', { agent: 'child', prompt: 'x' }]), { text: 'done' }],
      {
        cwd,
        policy: 'bridle.yaml',
        default: undefined,
        capabilities: undefined,
        tools: [act(), look()],
        subagents: { child: { model: child, policy: 'child.yaml', capabilities: 'all' } },
      },
    );
    await agent.chat('go');
    const of = (type: string): unknown[] => events.filter((event) => event.type === type && event.agent.length === 2);
    expect(of('tool_denied')).toMatchObject([{ tool: 'act', rule: { at: 'child.yaml:2' } }]);
    expect(of('tool_settled')).toMatchObject([{ tool: 'look' }]);
    await agent.stop();
  });

  it(proves('D01', 'D02')('cannot be created with an invalid file'), () => {
    const model = scriptedModel([]);
    const agentWith = (policy: string): unknown => createAgent({ model, cwd, policy, approver: () => true });
    expect(() => agentWith('missing.yaml')).toThrow('missing.yaml does not exist');
    write('bad.yaml', 'rules: [{ alow: view_file }]');
    expect(() => agentWith('bad.yaml')).toThrow(/bad\.yaml:2:\d+: .*allow/);
    write('typed.yaml', 'rules: [{ allow: view_file, when: args.file_path > 3 }]');
    expect(() => agentWith('typed.yaml')).toThrow(/typed\.yaml:2:\d+/);
    write('fine.yaml', 'rules: [{ allow: view_file }]');
    expect(() => createAgent({ model, cwd, policy: 'fine.yaml', default: 'allow' })).toThrow('option "default"');
  });
});
