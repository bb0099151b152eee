/** A program of a user: a guarded call that a person is asked about at the terminal. */

import { ask, createGuard } from 'bridle';
import { openTerminal } from 'bridle/terminal';

const terminal = openTerminal();
const guard = createGuard({
  tools: [{ name: 'deploy' }],
  policy: ask('deploy'),
  approver: terminal.approver,
  hooks: [terminal.hook],
});
const result = await guard.call('deploy', { to: 'production' }, () => 'deployed');
console.log(`result: ${result.type}: ${result.text}`);
terminal.close();
