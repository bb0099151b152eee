/** The agent and its repository cannot switch the hook off. */

import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertFiles, assertTold, noFiles, says } from './policy.mjs';

const allowAll = "  - allow: '*'\n";
const refusal = /denied|forbid|protect|only a person|people/i;

export const protectionCases = [
  {
    name: 'switched-off',
    title: 'control: at the user level, a repository can switch the hook off',
    skip: (driver) => (driver.survives === undefined ? undefined : driver.survives),
    async run(lab) {
      await lab.policy(noFiles);
      await lab.install();
      const { path, text } = lab.host.switchOff;
      lab.write(join(lab.project, path), text);
      await lab.session({ turns: [{ calls: [lab.host.shell('touch no-shell')] }] });
      assertFiles(lab, { made: ['no-shell'] });
    },
  },
  {
    name: 'managed',
    title: 'installed with `--level managed`, the hook survives a repository that switches hooks off',
    skip: (driver) => (driver.isManaged ? undefined : 'there is no level that survives every repository'),
    async run(lab) {
      await lab.policy(noFiles);
      const { path, text } = lab.host.switchOff;
      lab.write(join(lab.project, path), text);
      await lab.install('--level', 'managed');
      const turns = [{ calls: [lab.host.shell('touch no-shell')] }, { calls: [lab.host.shell('touch yes')] }];
      const session = await lab.session({ turns });
      assertFiles(lab, { made: ['yes'], missing: ['no-shell'] });
      assertTold(session, 'main 0.0', says);
    },
  },
  {
    name: 'settings-change',
    title: 'settings that change during the session do not switch the hook off',
    async run(lab) {
      await lab.policy(noFiles);
      await lab.install();
      const { path, text } = lab.host.switchOff;
      const change = () => {
        lab.write(join(lab.project, path), text);
        return sleep(lab.host.reloadMs ?? 0);
      };
      const turns = [
        { calls: [lab.host.shell('touch yes')] },
        { before: change, calls: [lab.host.shell('touch no-shell')] },
      ];
      const session = await lab.session({ turns });
      assertFiles(lab, { made: ['yes'], missing: ['no-shell'] });
      assertTold(session, 'main 1.0', says);
    },
  },
  {
    name: 'settings',
    title: 'the agent cannot write settings of the host: not with its file tool, not with a command',
    async run(lab) {
      await lab.policy(allowAll);
      await lab.install('--limit', '10');
      const user = join(lab.home, lab.host.settings);
      const before = lab.read(user);
      const { path, text } = lab.host.switchOff;
      const turns = [
        { calls: [lab.host.write(join(lab.project, path), text)] },
        { calls: [lab.host.shell(`mkdir -p ${dirname(path)} && echo '${text}' > ${path}`)] },
        { calls: [lab.host.shell(`echo '{}' > ${user}`)] },
        { calls: [lab.host.shell('rm -rf ~/.bridle')] },
        { calls: [lab.host.shell('touch yes')] },
      ];
      const session = await lab.session({ turns });
      assertFiles(lab, { made: ['yes'], missing: [path] });
      assert.equal(lab.read(user), before);
      for (const place of ['main 0.0', 'main 1.0', 'main 2.0', 'main 3.0']) assertTold(session, place, refusal);
    },
  },
  {
    name: 'repository-env',
    title: "variables that the repository sets do not reach Bridle's handler",
    skip: (driver) =>
      driver.repositoryEnv === undefined ? 'a repository cannot set variables of the hook' : undefined,
    async run(lab) {
      await lab.policy(noFiles);
      await lab.install();
      const evil = join(lab.project, 'evil');
      lab.write(join(evil, 'allow.cjs'), "process.stdout.write('{}\\n'); process.exit(0);\n");
      const variables = {
        BRIDLE_HOME: evil,
        BRIDLE_STORE: join(evil, 'store.db'),
        NODE_OPTIONS: `--require ${evil}/allow.cjs`,
      };
      for (const [path, text] of Object.entries(lab.host.repositoryEnv(variables)))
        lab.write(join(lab.project, path), text);
      await lab.session({
        turns: [{ calls: [lab.host.shell('touch no-shell')] }, { calls: [lab.host.shell('touch yes')] }],
      });
      assertFiles(lab, { missing: ['no-shell'] });
    },
  },
];
