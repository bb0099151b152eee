/** The agent and its repository cannot switch the hook off. */

import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
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
    name: 'own-settings-change',
    title:
      "a change of the file with Bridle's hook does not switch it off during the session: removed, edited or invalid",
    skip: (driver) => (driver.reloadMs === undefined ? 'the host reads its settings only when it starts' : undefined),
    async run(lab) {
      await lab.policy(noFiles);
      const file = join(lab.home, lab.host.settings);
      const real = join(lab.home, 'dotfiles/settings.json');
      lab.write(real, '{}\n');
      mkdirSync(dirname(file), { recursive: true });
      symlinkSync(real, file);
      await lab.install();
      const installed = lab.read(file);
      const changes = [
        '{}',
        JSON.stringify({ note: join(lab.home, '.bridle/hosts', lab.hostName) }),
        installed.replace('"timeout": 60', '"timeout": "ten"'),
        installed.replaceAll('"matcher": "*"', '"matcher": "Nothing"'),
      ];
      const turns = changes.map((text, index) => ({
        before: () => {
          lab.write(file, text);
          return sleep(lab.host.reloadMs);
        },
        calls: [lab.host.shell(`touch no-${index}`)],
      }));
      const session = await lab.session({ turns: [{ calls: [lab.host.shell('touch yes')] }, ...turns] });
      assertFiles(lab, { made: ['yes'], missing: changes.map((_text, index) => `no-${index}`) });
      for (const index of changes.keys()) assertTold(session, `main ${index + 1}.0`, says);
    },
  },
  {
    name: 'subfolder',
    title: 'in a session that starts in a subfolder, the agent cannot write settings there',
    async run(lab) {
      await lab.policy(noFiles);
      await lab.install();
      lab.enter('sub');
      const { path, text } = lab.host.switchOff;
      const turns = [
        { calls: [lab.host.write(join(lab.project, path), text)] },
        { calls: [lab.host.shell('touch yes')] },
      ];
      const session = await lab.session({ turns });
      assertFiles(lab, { made: ['yes'], missing: [path] });
      assertTold(session, 'main 0.0', refusal);
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
      // With such variables, nothing is known about commands; a file shows that the handler answers.
      const turns = [
        { calls: [lab.host.shell('touch no-shell')] },
        { calls: [lab.host.write(join(lab.project, 'yes'), 'text\n')] },
      ];
      const session = await lab.session({ turns });
      assertFiles(lab, { made: ['yes'], missing: ['no-shell'] });
      assertTold(session, 'main 0.0', says);
    },
  },
];
