/** Code that a command gives to a shell: where it runs, and by which shell. */

import type { FoundCommand } from './found-command.ts';
import type { LineState } from './line-state.ts';
import { inNewShell } from './move.ts';
import { Whereabouts } from './whereabouts.ts';

const bashNames = /^r?bash[\d.]*$/;
/** They run code in the shell that they are part of. */
const shellItself = new Set(['eval', 'trap', '.', 'source', 'mapfile', 'readarray']);

/** `sh` is another shell on many machines. */
export function runCodeIn(state: LineState, command: FoundCommand, text: string): void {
  const { name = '' } = command;
  const isItself = shellItself.has(name);
  const other = isItself ? state.otherShell : !bashNames.test(name);
  const run = (): void => state.runCode(state, text);
  const start = state.commands.length;
  state.inShell(other, () => {
    if (name === 'eval' && isOwnEval(state, command)) run();
    else if (isItself) state.later(run);
    else state.aside(() => runElsewhere(state, command, run));
  });
  if (isItself || isShellHere(command)) return;
  // What hides its work is not what it would be here: `ssh host npm test`.
  if (state.commands.some(({ hides }, index) => index >= start && hides)) {
    state.hide(`what ${name} runs is not shown by the line`);
  }
}

/** In this shell, and now. */
function isOwnEval({ defined }: LineState, { called, via }: FoundCommand): boolean {
  const names = ['eval', ...via];
  return called === 'eval' && names.every((name) => sameShell.has(name) && defined?.has(name) !== true);
}

const sameShell: ReadonlySet<string> = new Set(['eval', 'command', 'builtin']);
const shells = /^(?:r?bash[\d.]*|sh|dash|ash)$/;
/** They start what they are given once or more, in the folder they are started in. */
const stays: ReadonlySet<string> = new Set(
  'command builtin exec env nohup nice ionice time timeout setsid stdbuf xargs find'.split(' '),
);

/** On this machine, as this user, in the folder that it is started in. */
function isShellHere({ name = '', via }: FoundCommand): boolean {
  return shells.test(name) && via.every((wrapper) => stays.has(wrapper));
}

/** Code that another process runs. */
function runElsewhere(state: LineState, command: FoundCommand, run: () => void): void {
  const { name = '', via } = command;
  if (name === 'git') state.begin(Whereabouts.unknown('git chooses the folder'));
  if (!isShellHere(command)) return state.later(run);
  state.begin(inNewShell(state.at));
  const { inOrder } = state;
  if (via.includes('xargs') || via.includes('find')) state.inOrder = false;
  run();
  state.inOrder = inOrder;
}
