/** What is recorded, and what hooks of the policy file change. */

import assert from 'node:assert/strict';
import { assertFiles, noFiles } from './policy.mjs';

export const recordingCases = [
  {
    name: 'observe',
    title: 'installed with `--observe`: a denied command runs, and the journal says that it would have been denied',
    async run(lab) {
      await lab.policy(noFiles);
      await lab.install('--observe');
      await lab.session({ turns: [{ calls: [lab.host.shell('touch no-shell')] }] });
      assertFiles(lab, { made: ['no-shell'] });
      assert.match((await lab.outcomes('run_command')).join(), /denied/);
    },
  },
  {
    name: 'rewrite',
    title: 'a hook of the policy file changes a command, and the changed command runs',
    async run(lab) {
      lab.write(
        `${lab.project}/hooks.mjs`,
        `export default {
  name: 'rename',
  preToolCall({ call: { tool, args } }) {
    if (tool !== 'run_command') return undefined;
    return { type: 'transform', value: { ...args, command_line: args.command_line.replace('before', 'after') } };
  },
};
`,
      );
      await lab.policy(noFiles, { hooks: './hooks.mjs' });
      await lab.install();
      await lab.session({ turns: [{ calls: [lab.host.shell('touch before')] }] });
      assertFiles(lab, { made: ['after'], missing: ['before'] });
    },
  },
];
