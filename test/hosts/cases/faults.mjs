/** Whatever is broken on Bridle's side, nothing runs. */

import { rmSync } from 'node:fs';
import { assertFiles, assertTold, noFiles } from './policy.mjs';

/** The call would be allowed, so only the fault can be what stops it. */
async function expectBlocked(lab, { told, ...options } = {}) {
  const session = await lab.session({ turns: [{ calls: [lab.host.shell('touch yes')] }], ...options });
  assertFiles(lab, { missing: ['yes'] });
  if (told !== undefined) assertTold(session, 'main 0.0', told);
}

function brokenHandler(name, title, code) {
  return {
    name,
    title,
    async run(lab) {
      await lab.policy(noFiles);
      await lab.install('--limit', '10');
      for (const handler of lab.handlers()) lab.write(handler, code);
      await expectBlocked(lab);
    },
  };
}

export const faultCases = [
  brokenHandler('crash', 'a handler that crashes: nothing runs', 'process.abort();\n'),
  brokenHandler('silent', 'a handler that prints nothing: nothing runs', 'process.exit(0);\n'),
  brokenHandler(
    'torn',
    'a handler that prints half an answer: nothing runs',
    'process.stdout.write(\'{"decision":\');\n',
  ),
  brokenHandler('hang', 'a handler that hangs: nothing runs', 'setInterval(() => {}, 1000);\n'),
  {
    name: 'no-handler',
    title: 'no handler: nothing runs',
    async run(lab) {
      await lab.policy(noFiles);
      await lab.install();
      for (const handler of lab.handlers()) rmSync(handler);
      await expectBlocked(lab);
    },
  },
  {
    name: 'no-node',
    title: 'no node: nothing runs',
    async run(lab) {
      await lab.policy(noFiles);
      const node = lab.ownNode();
      await lab.bridleWith(node, 'install', lab.hostName, '--yes');
      rmSync(node);
      await expectBlocked(lab);
    },
  },
  {
    name: 'no-policy',
    title: 'no policy: nothing runs, and the model is told to run `bridle init`',
    async run(lab) {
      await lab.install();
      await expectBlocked(lab, { told: /bridle init/ });
    },
  },
  {
    name: 'broken-policy',
    title: 'a policy with a mistake: nothing runs, and the model is told where it is',
    async run(lab) {
      await lab.policy(noFiles);
      await lab.install();
      lab.write(`${lab.project}/bridle.yaml`, 'version: 1\nrules:\n  - alow: run_command\n');
      await expectBlocked(lab, { told: /bridle\.yaml/ });
    },
  },
  {
    name: 'untrusted-policy',
    title: 'a policy that nobody trusted: nothing runs, and the model is told to run `bridle trust`',
    async run(lab) {
      lab.write(`${lab.project}/bridle.yaml`, "version: 1\nrules:\n  - allow: '*'\n");
      await lab.install();
      await expectBlocked(lab, { told: /bridle trust/ });
    },
  },
];
