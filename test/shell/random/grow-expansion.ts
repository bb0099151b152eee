/** Commands that bash runs while it expands words. */

import type { Grower } from './grower.ts';
import { growRedirect, growWords } from './grow-simple.ts';
import { type Piece, weave } from './piece.ts';

type Grow = (grower: Grower, code: string) => Piece;

const inWord = (grower: Grower, word: string): Piece => weave(growWords(grower), ' ', word);

const expansions: readonly [Grow, ...Grow[]] = [
  (grower, code) => inWord(grower, substitution(code)),
  (grower, code) => inWord(grower, `"${substitution(code)}"`),
  (grower, code) => inWord(grower, `"a ${substitution(code)} b"c`),
  (grower, code) => inWord(grower, backticks(code)),
  (grower, code) => inWord(grower, /["\\]/.test(code) ? backticks(code) : `"${backticks(code)}"`),
  (grower, code) => inWord(grower, `<(${code})`),
  (grower, code) => inWord(grower, `>(${code})`),
  (grower, code) => inWord(grower, `\${v:-${substitution(code)}}`),
  (grower, code) => {
    grower.traits.add('spelled');
    return inWord(grower, `"\${v:-${substitution(code)}}"`);
  },
  (grower, code) => inWord(grower, `\${v/x/${substitution(code)}}`),
  (grower, code) => inWord(grower, `\${v#${substitution(code)}}`),
  (grower, code) => inWord(grower, `{a,${substitution(code)}}`),
  (grower, code) => inWord(grower, `$((1+0${substitution(code)}))`),
  (grower, code) => inWord(grower, `\${v[0${substitution(code)}]}`),
  (grower, code) => inWord(grower, `< <(${code})`),
  (grower, code) => {
    grower.traits.add('writes');
    return inWord(grower, `> >(${code})`);
  },
  (grower, code) => {
    grower.traits.add('writes');
    return inWord(grower, `> out${substitution(code)}`);
  },
  (grower, code) => inWord(grower, `<<< "${substitution(code)}"`),
  (grower, code) => assigned(grower, `v=${substitution(code)}`),
  (grower, code) => assigned(grower, `v=(a ${substitution(code)} b)`),
  (grower, code) => assigned(grower, `v=${substitution(code)} ${growWords(grower)}`),
  (grower, code) => assigned(grower, `declare v="${substitution(code)}"`),
  (grower, code) => assigned(grower, `export v=${substitution(code)}`),
  (_grower, code) => weave(`[[ -n ${substitution(code)} || a == b ]]`),
  (_grower, code) => weave(`[[ a == ${substitution(code)} && ! -f x ]]`),
  (_grower, code) => weave(`[ -n "${substitution(code)}" ]`),
  (_grower, code) => weave(`(( 0${substitution(code)} + 1 ))`),
  (_grower, code) => weave(`case ${substitution(code)} in a) ;; esac`),
  (_grower, code) => weave(`for i in ${substitution(code)}; do true; done`),
  (grower, code) => {
    grower.traits.add('spelled');
    const end = `E${grower.fresh()}`;
    return { text: `${growWords(grower)} <<${end}`, docs: [`a ${substitution(code)} b\n${end}\n`] };
  },
  (grower, code) => {
    grower.traits.add('spelled');
    const end = `E${grower.fresh()}`;
    const text = `${growWords(grower)} <<-\t${end} ${growRedirect(grower)}`;
    return { text, docs: [`a \${v:-${substitution(code)}}\n${end}\n`] };
  },
];

export function growExpansion(grower: Grower, depth: number): Piece {
  grower.traits.add('open');
  return grower.choices.pick(...expansions)(grower, grower.code(depth));
}

function substitution(code: string): string {
  return code.startsWith('(') ? `$( ${code})` : `$(${code})`;
}

function backticks(code: string): string {
  return `\`${code.replaceAll(/[\\`]/g, '\\$&')}\``;
}

function assigned(grower: Grower, text: string): Piece {
  grower.traits.add('assigns');
  return weave(text);
}
