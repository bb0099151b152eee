/** Simple commands: a program with words, assignments before it, redirections among them. */

import type { Grower } from './grower.ts';
import { type Piece, weave } from './piece.ts';
import { blank, spell } from './spelling.ts';

export function growSimple(grower: Grower): Piece {
  const { choices } = grower;
  const bare = growWords(grower);
  switch (choices.below(16)) {
    case 12:
      grower.traits.add('assigns');
      return weave(choices.pick('v=1', 'v=', "v='a b'", 'v=~', 'v+=x', 'v=$w', 'v[1]=x'), blank(grower.spelling), bare);
    case 13:
    case 14:
      return weave(bare, ' ', growRedirect(grower));
    case 15:
      return weave(growRedirect(grower), ' ', bare);
    default:
      return weave(bare);
  }
}

/** The name and its arguments. */
export function growWords(grower: Grower): string {
  const { choices, spelling, world } = grower;
  const [name, ...args] = choices.pick(['true'], ...world.programs);
  grower.started.add(name);
  const words = [growName(grower, name)];
  // A subcommand comes first; further words in any number.
  for (const arg of args) words.push(spell(arg, spelling));
  for (let more = choices.below(4); more > 1; more--) words.push(growWord(grower));
  return words.reduce((line, word) => line + blank(spelling) + word);
}

const builtins = new Set(['cd', 'echo', 'true', 'false', ':', 'printf', 'pwd']);

function growName(grower: Grower, name: string): string {
  const { spelling, world } = grower;
  if (builtins.has(name) || !spelling.once(10)) return spell(name, spelling);
  grower.traits.add('path');
  return spell(spelling.pick(...world.paths) + name, spelling);
}

/** An argument: a word of its own, or one that bash expands without running anything. */
export function growWord(grower: Grower): string {
  const { choices, spelling } = grower;
  const number = choices.below(24);
  if (number < 18)
    return spell(choices.pick('a', 'b.txt', 'x y', 'c;d', 'e$f', '#g', "h'i", 'sub/j', 'k&', 'rm', ''), spelling);
  grower.traits.add('open');
  return choices.pick(
    '"$v"',
    '$v',
    '${v}',
    '"${v[0]}"',
    '${#v}',
    '$((1+2))',
    '{a,b}',
    'a{1..2}',
    '*.txt',
    '~',
    '"$@"',
    '${v%x}',
  );
}

export function growRedirect(grower: Grower): string {
  const { choices, spelling } = grower;
  const number = choices.below(14);
  if (number < 5) return choices.pick('2>&1', '>/dev/null', '2>/dev/null', '</dev/null', '>&2', '< in');
  if (number === 5) return `<<<${spelling.pick('', ' ')}${spell(choices.pick('a', 'b c', ''), spelling)}`;
  grower.traits.add('writes');
  const file = spell(choices.pick('out', 'sub/out', './o.txt', 'out put'), spelling);
  return choices.pick('>', '>>', '2>', '>|', '&>', '&>>', '<>', '3>', '>& ', '1>') + spelling.pick('', ' ') + file;
}
