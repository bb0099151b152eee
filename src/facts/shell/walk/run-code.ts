/** Runs code that a command passes to a shell: in which shell, and in which folder. */

import type { LineCommand } from '../commands/line-command.ts';
import type { LineState } from './line-state.ts';
import { locationInNewShell } from './change-folder.ts';
import { ShellLocation } from '../commands/shell-location.ts';

const bashNames = /^r?bash[\d.]*$/;
/** They run code in the current shell. */
const currentShellCommands = new Set(['eval', 'trap', '.', 'source', 'mapfile', 'readarray']);

/** On many machines, `sh` is not bash. */
export function runShellCode(state: LineState, command: LineCommand, text: string): void {
  const { name = '' } = command;
  const isItself = currentShellCommands.has(name);
  const other = isItself ? state.otherShell : !bashNames.test(name);
  const run = (): void => state.runCode(state, text);
  const start = state.commands.length;
  state.inShell(other, () => {
    if (name === 'eval' && isPlainEval(state, command)) run();
    else if (isItself) state.deferred(run);
    else state.inSubshell(() => runInChildShell(state, command, run));
  });
  if (isItself || isLocalShell(command)) return;
  // A command that hides its work may be another program there: `ssh host npm test`.
  if (state.commands.some(({ hidesWork }, index) => index >= start && hidesWork)) {
    state.markOpaque(`the line does not show what ${name} runs`);
  }
}

/** True if the code runs in this shell, now. */
function isPlainEval({ definedFunctions }: LineState, { firstWord, via }: LineCommand): boolean {
  const names = ['eval', ...via];
  return (
    firstWord === 'eval' && names.every((name) => inProcessPrefixes.has(name) && definedFunctions?.has(name) !== true)
  );
}

const inProcessPrefixes: ReadonlySet<string> = new Set(['eval', 'command', 'builtin']);
const shells = /^(?:r?bash[\d.]*|sh|dash|ash)$/;
/** They start a command once or more, in their own working folder. */
const staysInFolder: ReadonlySet<string> = new Set(
  'command builtin exec env nohup nice ionice time timeout setsid stdbuf xargs find'.split(' '),
);

/** True for a shell on this machine, as this user, in the folder in which it is started. */
function isLocalShell({ name = '', via }: LineCommand): boolean {
  return shells.test(name) && via.every((wrapper) => staysInFolder.has(wrapper));
}

/** Runs code in another process. */
function runInChildShell(state: LineState, command: LineCommand, run: () => void): void {
  const { name = '', via } = command;
  if (name === 'git') state.begin(ShellLocation.unknown('git chooses the working folder'));
  if (!isLocalShell(command)) return state.deferred(run);
  state.begin(locationInNewShell(state.location));
  const { inOrder } = state;
  if (via.includes('xargs') || via.includes('find')) state.inOrder = false;
  run();
  state.inOrder = inOrder;
}
