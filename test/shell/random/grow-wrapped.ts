/** Programs that start other programs. */

import type { Grower } from './grower.ts';
import { growWords } from './grow-simple.ts';
import { type Piece, weave } from './piece.ts';
import { quoteCode } from './spelling.ts';

/** The text before and after the started command. */
type Wrapper = readonly [before: string, after?: string];

const anywhere: readonly [Wrapper, ...Wrapper[]] = [
  ['env '],
  ['env w=1 '],
  ['env -u w '],
  ['env -- '],
  ['nice '],
  ['nice -n 1 '],
  ['nohup '],
  ['timeout 5 '],
  ['timeout -s KILL 5s '],
  ['timeout --signal=KILL -k 1 5 '],
  ['stdbuf -oL '],
  ['stdbuf --output=0 -e0 '],
  ['setsid -w '],
  ['command '],
  ['command -- '],
  ['exec '],
  ['exec -a name '],
  ['busybox '],
  ['echo a | xargs '],
  ['echo a b | xargs -n 1 '],
  ['echo a | xargs -I{} '],
  ['xargs -r -0 ', ' </dev/null'],
  ['find . -maxdepth 0 -exec ', ' \\;'],
  ['find . -maxdepth 0 -exec ', ' {} +'],
  ['find . -maxdepth 0 -type d -execdir ', " {} ';'"],
  ['env env nice '],
  ['time -p env '],
  ['coproc '],
];

/** Missing on some machines, or unsuitable to run in a test. */
const imagined: readonly Wrapper[] = [
  ['sudo '],
  ['sudo -n -u root -- '],
  ['doas '],
  ['env -i '],
  ['env - A=b '],
  ['/usr/bin/env '],
  ['command -p '],
  ['ionice -c 3 '],
  ['flock /tmp/lock '],
  ['strace -f '],
  ['chroot / '],
  ['unshare -r '],
  ['xvfb-run -a '],
  ['watch -x '],
  ['fd . -x '],
];

export function growWrapped(grower: Grower, depth: number): Piece {
  const { choices, world } = grower;
  const wrappers = world.real ? [] : imagined;
  const [before, after = ''] = choices.pick(...anywhere, ...wrappers);
  for (const word of before.split(' ')) if (known.has(word)) grower.started.add(word);
  if (before.includes('w=1') || before.includes('A=b')) grower.traits.add('assigns');
  return weave(before, started(grower, depth), after);
}

const known = new Set(['env', 'nice', 'nohup', 'timeout', 'stdbuf', 'setsid', 'xargs', 'find', 'busybox', 'sudo']);

/** A program of the world, or a shell with code. */
function started(grower: Grower, depth: number): string {
  if (depth <= 0 || grower.choices.once(3)) return growWords(grower);
  const shell = grower.choices.pick('bash', 'sh');
  grower.started.add(shell);
  // Not every sh supports every kind of quotes.
  if (shell === 'sh') grower.traits.add('spelled');
  return `${shell} -c ${quoteCode(grower.code(depth), grower.spelling)}`;
}
