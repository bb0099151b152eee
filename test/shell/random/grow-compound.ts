/** Compound commands, functions, and redirections of either. */

import type { Grow, Grower } from './grower.ts';
import { ended, group } from './grow-list.ts';
import { growRedirect, growWord } from './grow-simple.ts';
import { type Piece, weave } from './piece.ts';

const compounds: readonly [Grow, ...Grow[]] = [
  (grower, depth) => weave('( ', ...ended(grower, grower.grow(depth)), ')'),
  (grower, depth) => weave('{ ', ...ended(grower, grower.grow(depth)), '}'),
  (grower, depth) =>
    weave('if ', ...ended(grower, grower.grow(depth)), 'then ', ...ended(grower, grower.grow(depth)), 'fi'),
  (grower, depth) =>
    weave(
      'if ',
      ...ended(grower, grower.grow(depth)),
      'then ',
      ...ended(grower, grower.grow(depth)),
      'elif ',
      ...ended(grower, grower.grow(depth)),
      'then ',
      ...ended(grower, grower.grow(depth)),
      'else ',
      ...ended(grower, grower.grow(depth)),
      'fi',
    ),
  (grower, depth) => weave('for i in a ', growWord(grower), '; do ', ...ended(grower, grower.grow(depth)), 'done'),
  (grower, depth) => weave('for i in a b; { ', ...ended(grower, grower.grow(depth)), '}'),
  (grower, depth) => {
    // Nothing inside sets this variable again, so the loop ends.
    const name = `n${grower.fresh()}`;
    const head = `for ((${name}=0; ${name}<2; ${name}++)); do `;
    return weave(head, ...ended(grower, grower.grow(depth)), 'done');
  },
  (grower, depth) => weave('while false; do ', ...ended(grower, grower.grow(depth)), 'done'),
  (grower, depth) => weave('while true; do ', ...ended(grower, grower.grow(depth)), 'break; done'),
  (grower, depth) => weave('until true; do ', ...ended(grower, grower.grow(depth)), 'done'),
  (grower, depth) => weave('until ', ...ended(grower, group(grower.grow(depth))), 'do break; done'),
  (grower, depth) => weave('case a in a) ', grower.grow(depth), ';; *) ', grower.grow(depth), ' ;; esac'),
  (grower, depth) => weave('case "$v" in (a|b) ', grower.grow(depth), ' ;& c) ', grower.grow(depth), ';;& esac'),
  (grower, depth) => weave('select i in a b; do ', ...ended(grower, grower.grow(depth)), 'done'),
  (grower, depth) => {
    const name = `f${grower.fresh()}`;
    return weave(`${name}() { `, ...ended(grower, grower.grow(depth)), `}; ${name}`);
  },
  (grower, depth) => {
    const name = `f${grower.fresh()}`;
    return weave(`function ${name} { `, ...ended(grower, grower.grow(depth)), `} && ${name} a`);
  },
  (grower, depth) => weave('coproc { ', ...ended(grower, grower.grow(depth)), '}'),
];

export function growCompound(grower: Grower, depth: number): Piece {
  const grown = grower.choices.pick(...compounds)(grower, depth);
  return grower.choices.once(6) && /[})]$|(?:done|fi|esac)$/.test(grown.text)
    ? weave(grown, ' ', growRedirect(grower))
    : grown;
}
