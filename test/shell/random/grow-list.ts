/** Lists and pipelines. */

import type { Grower } from './grower.ts';
import { newline, type Part, type Piece, weave } from './piece.ts';

/** Every operator between two commands. */
export const operators = [';', '&&', '||', '|', '|&', '&', newline] as const;

export type Operator = (typeof operators)[number];

export function growList(grower: Grower, depth: number): Piece {
  const { choices } = grower;
  if (choices.once(8)) return weave(choices.pick('! ', 'time ', 'time -p ', '! ! '), grower.grow(depth));
  const operator = choices.pick(...operators);
  return join(operator, grower.grow(depth), grower.grow(depth));
}

/** A blank or a comment where lines allow them. */
export function join(operator: Operator, left: Piece, right: Piece): Piece {
  if (operator === newline) return weave(left, newline, right);
  const piped = operator === '|' || operator === '|&';
  return weave(piped ? member(left) : left, ` ${operator} `, piped ? member(right) : right);
}

/** Wraps in a group what cannot be part of a pipeline. */
function member(piece: Piece): Piece {
  return /^(?:!|time|coproc)\s/.test(piece.text) ? group(piece) : piece;
}

export function group(piece: Piece): Piece {
  return weave('{ ', piece, '; }');
}

/** The end of a list inside a compound command. */
export function ended(grower: Grower, piece: Piece): readonly Part[] {
  switch (grower.spelling.below(6)) {
    case 1:
      return [piece, newline];
    case 2:
      return [piece, ' # and; so (on', newline];
    case 3:
      return [piece, newline, newline, '\t'];
    default:
      return [piece, '; '];
  }
}
