/** Whatever is broken on Bridle's side, nothing runs. */

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertFiles, assertTold, noFiles } from './policy.mjs';

/**
 * Something breaks while the model thinks, and is repaired after its next call. Both calls are allowed, so only the fault
 * can be what stops the first one.
 */
async function expectBlocked(lab, { fault: { damage, repair }, told = /./ }) {
  const turns = [
    { before: damage, calls: [lab.host.shell('touch yes')] },
    { before: repair, calls: [lab.host.shell('touch later')] },
  ];
  const session = await lab.session({ turns });
  assertFiles(lab, { made: ['later'], missing: ['yes'] });
  assertTold(session, 'main 0.0', told);
}

function changed(path, text) {
  const before = readFileSync(path);
  return { damage: () => writeFileSync(path, text), repair: () => writeFileSync(path, before) };
}

function removed(path) {
  return { damage: () => renameSync(path, `${path}.away`), repair: () => renameSync(`${path}.away`, path) };
}

function brokenHandler(name, title, faultOf) {
  return {
    name,
    title,
    async run(lab) {
      await lab.policy(noFiles);
      await lab.install('--limit', '10');
      await expectBlocked(lab, { fault: faultOf(lab.handler()) });
    },
  };
}

export const faultCases = [
  brokenHandler('crash', 'a handler that crashes: nothing runs', (path) => changed(path, 'process.abort();\n')),
  brokenHandler('hang', 'a handler that hangs: nothing runs', (path) =>
    changed(path, 'setInterval(() => {}, 1000);\n'),
  ),
  brokenHandler('no-handler', 'no handler: nothing runs', removed),
  {
    name: 'no-node',
    title: 'no node: nothing runs',
    async run(lab) {
      await lab.policy(noFiles);
      const node = lab.ownNode();
      await lab.bridleWith(node, 'install', lab.hostName, '--yes');
      await expectBlocked(lab, { fault: removed(node) });
    },
  },
  {
    name: 'no-policy',
    title: 'no policy: nothing runs, and the model is told to run `bridle init`',
    async run(lab) {
      await lab.install();
      const session = await lab.session({ turns: [{ calls: [lab.host.shell('touch yes')] }] });
      assertFiles(lab, { missing: ['yes'] });
      assertTold(session, 'main 0.0', /bridle init/);
    },
  },
  {
    name: 'broken-policy',
    title: 'a policy with a mistake: nothing runs, and the model is told where it is',
    async run(lab) {
      await lab.policy(noFiles);
      await lab.install();
      const fault = changed(join(lab.project, 'bridle.yaml'), 'version: 1\nrules:\n  - alow: run_command\n');
      await expectBlocked(lab, { fault, told: /bridle\.yaml:3/ });
    },
  },
  {
    name: 'untrusted-policy',
    title: 'a policy that nobody trusted cannot allow a call',
    async run(lab) {
      lab.write(join(lab.project, 'bridle.yaml'), "version: 1\nrules:\n  - allow: '*'\n");
      await lab.install('--limit', '10');
      await lab.session({ turns: [{ calls: [lab.host.shell('touch yes')] }] });
      assertFiles(lab, { missing: ['yes'] });
    },
  },
];
