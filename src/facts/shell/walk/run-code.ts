/** Code that a command gives to a shell: where it runs, and by which shell. */

import type { LineCommand } from '../commands/line-command.ts';
import type { LineState } from './line-state.ts';
import { locationInNewShell } from './change-folder.ts';
import { ShellLocation } from '../commands/shell-location.ts';

const bashNames = /^r?bash[\d.]*$/;
/** They run code in the shell that they are part of. */
const currentShellCommands = new Set(['eval', 'trap', '.', 'source', 'mapfile', 'readarray']);

/** `sh` is another shell on many machines. */
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
  // What hides its work is not what it would be here: `ssh host npm test`.
  if (state.commands.some(({ hidesWork: hides }, index) => index >= start && hides)) {
    state.markOpaque(`what ${name} runs is not shown by the line`);
  }
}

/** In this shell, and now. */
function isPlainEval({ definedFunctions: defined }: LineState, { firstWord: called, via }: LineCommand): boolean {
  const names = ['eval', ...via];
  return called === 'eval' && names.every((name) => inProcessPrefixes.has(name) && defined?.has(name) !== true);
}

const inProcessPrefixes: ReadonlySet<string> = new Set(['eval', 'command', 'builtin']);
const shells = /^(?:r?bash[\d.]*|sh|dash|ash)$/;
/** They start what they are given once or more, in the folder they are started in. */
const staysInFolder: ReadonlySet<string> = new Set(
  'command builtin exec env nohup nice ionice time timeout setsid stdbuf xargs find'.split(' '),
);

/** On this machine, as this user, in the folder that it is started in. */
function isLocalShell({ name = '', via }: LineCommand): boolean {
  return shells.test(name) && via.every((wrapper) => staysInFolder.has(wrapper));
}

/** Code that another process runs. */
function runInChildShell(state: LineState, command: LineCommand, run: () => void): void {
  const { name = '', via } = command;
  if (name === 'git') state.begin(ShellLocation.unknown('git chooses the folder'));
  if (!isLocalShell(command)) return state.deferred(run);
  state.begin(locationInNewShell(state.location));
  const { inOrder } = state;
  if (via.includes('xargs') || via.includes('find')) state.inOrder = false;
  run();
  state.inOrder = inOrder;
}
