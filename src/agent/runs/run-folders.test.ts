/** An approved command is approved for the folder it was shown with, even if a link changes later. */

import { mkdirSync, realpathSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allow, ask } from 'bridle';
import { type AgentOptions, createAgent } from 'bridle/agent';
import { createApproverKey } from 'bridle/store';
import { type ScriptedModel, scriptedModel } from 'bridle/testing';
import { expect, it, test } from 'vitest';
import { signElsewhere } from '../../../test/rigs/approval-rig.ts';
import { proves } from '../../../test/contract/cite.ts';
import { describeStores, type StoreRig } from '../../../test/rigs/store-rig.ts';

function folders(rig: StoreRig): string {
  const base = join(realpathSync(rig.folder), 'w');
  for (const name of ['a', 'b']) {
    mkdirSync(join(base, name), { recursive: true });
    writeFileSync(join(base, name, `in-${name}`), '');
  }
  symlinkSync(join(base, 'a'), join(base, 'link'));
  return base;
}

function turnLink(base: string, to: string): void {
  unlinkSync(join(base, 'link'));
  symlinkSync(join(base, to), join(base, 'link'));
}

const cases = [
  ['the folder of the agent', 'link', {}],
  ['the folder of the command', '.', { working_dir: 'link' }],
] as const;

describeStores('an approved command', (rig) => {
  const each = rig.kind === 'sqlite' ? test.each(cases) : it.skip.each(cases);

  each(proves('Q01', 'W06')('counts for where %s leads'), async (_, cwd, args) => {
    const base = folders(rig);
    const store = await rig.open();
    const key = createApproverKey({ folder: rig.keys, name: 'ann' });
    const call = { toolCalls: [{ tool: 'run_command', id: 'c1', args: { command_line: 'ls', ...args } }] };
    const run = async (id: string, model: ScriptedModel): Promise<string> => {
      const options: AgentOptions = {
        model,
        policy: [ask('run_command'), allow('*')],
        telemetry: false,
        store,
        cwd: join(base, cwd),
        workspaces: [],
      };
      const agent = createAgent(options);
      await agent.start();
      await agent.run('go', { id, hold: 'release' });
      await agent.stop();
      return JSON.stringify(model.calls.at(-1)?.prompt.at(-1)?.content);
    };
    for (const [id, to] of [
      ['same', 'a'],
      ['turned', 'b'],
    ] as const) {
      await run(id, scriptedModel([call]));
      const [record] = await store.approvals.list({ state: 'pending' });
      if (record === undefined) throw new TypeError('Nothing was asked.');
      expect(record.shown.text).toContain(join(base, 'a'));
      await store.approvals.answer(signElsewhere(key, record, { type: 'approve' }));
      turnLink(base, to);
      const result = await run(id, scriptedModel(['done']));
      if (to === 'a') expect(result).toContain('in-a');
      else expect(result).toContain('changed after approval was requested');
      expect(result).not.toContain('in-b');
    }
  });
});
