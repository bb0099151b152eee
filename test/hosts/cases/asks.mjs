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

const usesPrompt = (driver) => (driver.asks === 'prompt' ? 'asks in its own prompt' : undefined);

export const askCases = [
  {
    name: 'ask-prompt',
    title: 'without a person at its prompt, a call that needs approval does not run, and the session ends',
    skip: (driver) =>
      driver.asks === 'store' ? 'its prompt does not stop the call, so Bridle asks through the store' : undefined,
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
    name: 'ask-approve',
    title: 'a call waits for approval, a person approves it in another terminal, and it runs',
    skip: usesPrompt,
    async run(lab) {
      await lab.policy(askForTouch);
      await lab.install();
      await lab.bridle('approvals', 'key', 'ada', '--yes');
      const session = lab.session({ turns: [{ calls: [lab.host.shell('touch asked')] }] });
      await lab.answerNext('approve');
      await session;
      assertFiles(lab, { made: ['asked'] });
    },
  },
  {
    name: 'ask-refuse',
    title: 'a call waits for approval, a person refuses it in another terminal, and it does not run',
    skip: usesPrompt,
    async run(lab) {
      await lab.policy(askForTouch);
      await lab.install();
      await lab.bridle('approvals', 'key', 'ada', '--yes');
      const session = lab.session({ turns: [{ calls: [lab.host.shell('touch asked')] }] });
      await lab.answerNext('deny');
      assertFiles(lab, { missing: ['asked'] });
      assertTold(await session, 'main 0.0', /denied|refused/i);
    },
  },
  {
    name: 'ask-late',
    title: 'nobody answers in time: denied with instructions. Approved later, the same call runs once when tried again',
    skip: usesPrompt,
    async run(lab) {
      await lab.policy(askForTouch);
      await lab.install('--limit', '10');
      await lab.bridle('approvals', 'key', 'ada', '--yes');
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
