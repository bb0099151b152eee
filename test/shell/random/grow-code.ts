/** Text that a shell runs as code. */

import type { Grower } from './grower.ts';
import { type Piece, weave } from './piece.ts';
import { quoteCode, spell } from './spelling.ts';

type Grow = (grower: Grower, code: string) => Piece;

const shell = (grower: Grower): string => {
  const name = grower.choices.pick('bash', 'sh');
  // Not every sh supports every kind of quotes.
  if (name === 'sh') grower.traits.add('spelled');
  grower.started.add(name);
  return spell(name, grower.spelling);
};

const quoted = (grower: Grower, code: string): string => quoteCode(code, grower.spelling);

const runners: readonly [Grow, ...Grow[]] = [
  (grower, code) => weave(shell(grower), ' -c ', quoted(grower, code)),
  (grower, code) =>
    weave(shell(grower), grower.choices.pick(' -ec ', ' -e -c ', ' -xc ', ' -c -- '), quoted(grower, code)),
  (grower, code) => weave(shell(grower), ' -c ', quoted(grower, code), ' name a b'),
  (grower, code) => weave('eval ', quoted(grower, code)),
  (grower, code) => weave('eval true \\; ', quoted(grower, code)),
  (grower, code) => weave('trap ', quoted(grower, code), ' EXIT'),
  (grower, code) => weave(shell(grower), ' <<< ', quoted(grower, code)),
  (grower, code) => weave(shell(grower), ' -s a <<< ', quoted(grower, code)),
  (grower, code) => document(grower, [shell(grower)], code),
  (grower, code) => document(grower, ['cat', ` | ${shell(grower)}`], code),
  (grower, code) => {
    grower.traits.add('spelled');
    return weave('echo ', quoted(grower, code), ' | ', shell(grower));
  },
  (grower, code) => {
    grower.traits.add('spelled');
    return weave('printf %s ', quoted(grower, code), ' | ', shell(grower));
  },
  (grower, code) => weave('builtin eval ', quoted(grower, code)),
  (grower, code) => weave('command eval ', quoted(grower, code)),
  (grower, code) => weave('. /dev/stdin <<< ', quoted(grower, code)),
];

export function growCode(grower: Grower, depth: number): Piece {
  if (grower.choices.once(16)) return document(grower, ['cat'], grower.idle(depth));
  return grower.choices.pick(...runners)(grower, grower.code(depth));
}

/** Code in a here-document, its last line quoted or not. */
function document(grower: Grower, [before, after = '']: readonly [string, string?], code: string): Piece {
  const end = `E${grower.fresh()}`;
  grower.traits.add('spelled');
  if (before === 'cat') grower.started.add('cat');
  switch (grower.spelling.below(4)) {
    case 1:
      return { text: `${before} <<${end}${after}`, docs: [`${code.replaceAll(/[\\$`]/g, '\\$&')}\n${end}\n`] };
    case 2:
      return { text: `${before} << \\${end}${after}`, docs: [`${code}\n${end}\n`] };
    case 3:
      if (/^\t/m.test(code)) break;
      return { text: `${before} <<-"${end}"${after}`, docs: [`${code.replaceAll(/^/gm, '\t')}\n\t${end}\n`] };
    default:
  }
  return { text: `${before} <<'${end}'${after}`, docs: [`${code}\n${end}\n`] };
}
