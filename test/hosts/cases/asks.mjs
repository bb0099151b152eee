/** A person is asked: in the host's prompt where it really stops the call, else through the store. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import assert from 'node:assert/strict';
import { assertFiles, assertTold } from './policy.mjs';

const askForTouch = `  - allow: '*'
  - name: a person decides
    ask: run_command
    when: args.command_line.contains("asked")
    reason: May this file be made?
`;

const usesPrompt = (driver) => (driver.asks === 'prompt' ? 'Bridle asks in the prompt of the host' : undefined);

export const askCases = [
  {
    name: 'ask-prompt',
    title: 'without a person at its prompt, a call that needs approval does not run, and the session ends',
    skip: (driver) =>
      driver.asks === 'store'
        ? 'the prompt of the host does not stop every call, so Bridle asks through the store'
        : undefined,
    async run(lab) {
      await lab.policy(askForTouch);
      await lab.install();
      const session = await lab.session({ turns: [{ calls: [lab.host.shell('touch asked')] }], mode: 'bypass' });
      assertFiles(lab, { missing: ['asked'] });
      assertTold(session, 'main 0.0', /./);
      assert.equal(session.status, 0);
    },
  },
  {
    name: 'ask-answer',
    title: 'calls wait for approval: of those that a person answers in another terminal, only the approved one runs',
    skip: usesPrompt,
    async run(lab) {
      await lab.policy(askForTouch);
      await lab.install();
      await lab.bridle('approvals', 'key', 'ada', '--no-passphrase');
      const calls = ['asked-1', 'asked-2'].map((name) => lab.host.shell(`touch ${name}`));
      const session = lab.session({ turns: calls.map((call) => ({ calls: [call] })) });
      await lab.answerNext('approve');
      await lab.answerNext('deny');
      assertTold(await session, 'main 1.0', /denied|refused/i);
      assertFiles(lab, { made: ['asked-1'], missing: ['asked-2'] });
      assert.deepEqual(await lab.outcomes('run_command'), ['asked approved ok', 'asked refused']);
    },
  },
  {
    name: 'ask-late',
    title: 'nobody answers in time: denied with instructions. Approved later, the same call runs once when tried again',
    skip: usesPrompt,
    async run(lab) {
      await lab.policy(askForTouch);
      await lab.install('--limit', '10');
      await lab.bridle('approvals', 'key', 'ada', '--no-passphrase');
      const call = lab.host.shell('echo ran >> asked');
      const session = await lab.session({
        turns: [{ calls: [call] }, { before: () => lab.answerNext('approve'), calls: [call] }, { calls: [call] }],
      });
      assertTold(session, 'main 0.0', /bridle approvals/);
      assert.equal(readFileSync(join(lab.project, 'asked'), 'utf8'), 'ran\n');
      assertTold(session, 'main 2.0', /bridle approvals/);
    },
  },
];
