/** The agent and its repository cannot switch the hook off. */

import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { assertFiles, assertTold, noFiles } from './policy.mjs';

const allowAll = "  - allow: '*'\n";
const refusal = /denied|forbid|protect|only a person|people/i;

export const protectionCases = [
  {
    name: 'settings',
    title: 'the agent cannot write settings of the host: not with its file tool, not with a command',
    async run(lab) {
      await lab.policy(allowAll);
      await lab.install();
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
    skip: (driver) => (driver.repositoryEnv === undefined ? 'a repository cannot set variables of hooks' : undefined),
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
