/** What a policy decides is what happens. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { subagentPrompt } from '../lab.mjs';
import { assertFiles, assertTold, noFiles, says } from './policy.mjs';

async function prepare(lab) {
  await lab.policy(noFiles);
  await lab.install();
}

export const decisionCases = [
  {
    name: 'control',
    title: 'without Bridle, all calls of these cases run',
    async run(lab) {
      const { host } = lab;
      const { main, subagent } = host.delegate(subagentPrompt, [host.shell('touch no-part')]);
      const turns = [
        { calls: [host.shell('touch no-shell')] },
        { calls: [host.write(join(lab.project, 'no-text'), 'text\n')] },
        { calls: [host.touch('no-touch')] },
        ...main,
        { calls: [1, 2, 3, 4].map((n) => host.shell(`touch no-${n}`)) },
      ];
      await lab.session({ turns, subagent });
      assertFiles(lab, { made: ['no-shell', 'no-text', 'no-touch', 'no-part', 'no-1', 'no-2', 'no-3', 'no-4'] });
    },
  },
  {
    name: 'uninstalled',
    title: 'after `bridle uninstall`, the call runs, and the settings are as before',
    async run(lab) {
      const before = lab.configuration();
      await prepare(lab);
      assert.notDeepEqual(lab.configuration(), before);
      await lab.uninstall();
      assert.deepEqual(lab.configuration(), before);
      await lab.session({ turns: [{ calls: [lab.host.shell('touch no-shell')] }] });
      assertFiles(lab, { made: ['no-shell'] });
    },
  },
  {
    name: 'allow',
    title: 'an allowed command runs, and the journal has its decision and outcome',
    async run(lab) {
      await prepare(lab);
      await lab.session({ turns: [{ calls: [lab.host.shell('touch yes')] }] });
      assertFiles(lab, { made: ['yes'] });
      assert.deepEqual(await lab.outcomes('run_command'), ['allowed ok']);
    },
  },
  {
    name: 'deny',
    title: 'a denied command does not run, the model gets the reason, and the session continues',
    async run(lab) {
      await prepare(lab);
      const turns = [{ calls: [lab.host.shell('touch no-shell')] }, { calls: [lab.host.shell('touch yes')] }];
      const session = await lab.session({ turns });
      assertFiles(lab, { made: ['yes'], missing: ['no-shell'] });
      assertTold(session, 'main 0.0', says);
      assert.deepEqual(await lab.outcomes('run_command'), ['denied', 'allowed ok']);
    },
  },
  {
    name: 'bypass',
    title: 'a denied command does not run in the mode that skips all permissions of the host',
    async run(lab) {
      await prepare(lab);
      const turns = [{ calls: [lab.host.shell('touch no-shell')] }, { calls: [lab.host.shell('touch yes')] }];
      const session = await lab.session({ turns, mode: 'bypass' });
      assertFiles(lab, { made: ['yes'], missing: ['no-shell'] });
      assertTold(session, 'main 0.0', says);
    },
  },
  {
    name: 'subagent',
    title: 'a denied command of a subagent does not run, and its model gets the reason',
    async run(lab) {
      await prepare(lab);
      const calls = [lab.host.shell('touch no-part'), lab.host.shell('touch part')];
      const { main, subagent } = lab.host.delegate(subagentPrompt, calls);
      const session = await lab.session({ turns: main, subagent });
      assertFiles(lab, { made: ['part'], missing: ['no-part'] });
      assertTold(session, 'subagent 0.0', says);
    },
  },
  {
    name: 'mcp',
    title: 'a tool of an MCP server runs or not as the rule for `server/tool` says',
    async run(lab) {
      await prepare(lab);
      const session = await lab.session({
        turns: [{ calls: [lab.host.touch('no-touch')] }, { calls: [lab.host.touch('touched')] }],
      });
      assertFiles(lab, { made: ['touched'], missing: ['no-touch'] });
      assertTold(session, 'main 0.0', says);
      assert.deepEqual(await lab.outcomes('lab/touch'), ['denied', 'allowed ok']);
    },
  },
  {
    name: 'file',
    title: 'a file is written or not as the rule for its path says',
    async run(lab) {
      await prepare(lab);
      const write = (name) => lab.host.write(join(lab.project, name), 'text\n');
      const session = await lab.session({ turns: [{ calls: [write('no-text')] }, { calls: [write('text')] }] });
      assertFiles(lab, { made: ['text'], missing: ['no-text'] });
      assertTold(session, 'main 0.0', says);
    },
  },
  {
    name: 'parallel',
    title: 'of four calls in one answer of the model, exactly the two allowed ones run',
    async run(lab) {
      await prepare(lab);
      const calls = ['no-1', 'yes-2', 'no-3', 'yes-4'].map((name) => lab.host.shell(`touch ${name}`));
      const session = await lab.session({ turns: [{ calls }] });
      assertFiles(lab, { made: ['yes-2', 'yes-4'], missing: ['no-1', 'no-3'] });
      for (const place of ['main 0.0', 'main 0.2']) assertTold(session, place, says);
    },
  },
];
