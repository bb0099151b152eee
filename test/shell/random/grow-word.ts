/** Random words of bash, from a grammar that knows every way to write one. */

import type { Choices } from './choices.ts';
import pieces from './word-pieces.json' with { type: 'json' };

/** `escapes`: everything that may follow a backslash between `$'` and `'`. */
const { letters, special, escapes, sequences, odd, tildes, parameters, globs } = pieces;

/** One word; it may hold blanks inside quotes only. */
export function growWord(choices: Choices, depth = 0): string {
  const count = 1 + choices.below(3);
  let word = '';
  for (let index = 0; index < count; index += 1) word += growPiece(choices, depth);
  return word;
}

function growPiece(choices: Choices, depth: number): string {
  switch (choices.below(depth > 2 ? 9 : 16)) {
    case 0:
    case 1:
      return choices.pick('a', ...letters);
    case 2:
      return `\\${choices.pick('a', ...letters, ...special)}`;
    case 3:
      return `'${several(choices, [...letters, ...special])}'`;
    case 4:
      return `"${several(choices, [...letters, '{', '}', '*', '~', ' ', "'", '\\a', '\\\\', '\\"', '\\$', '\\`', '\\\n', '$', ...parameters])}"`;
    case 5:
    case 6:
      return `$'${several(choices, [...escapes.map((escape) => `\\${escape}`), ...letters, '"', '$v', '{', '}', '*'])}'`;
    case 7:
      return `$"${several(choices, [...letters, '$v', ' ', '\\"'])}"`;
    case 8:
      return choices.pick('*', ...globs);
    case 9:
    case 10:
      return choices.pick('{a,b}', ...sequences, ...odd);
    case 11:
      return `{${growWord(choices, depth + 1)},${growWord(choices, depth + 1)}}`;
    case 12:
      return choices.pick('~', ...tildes);
    case 13:
    case 14:
      return choices.pick('$v', ...parameters);
    default:
      return `\${u${choices.pick(':-', '-', ':=', '=')}${growWord(choices, depth + 1)}}`;
  }
}

function several(choices: Choices, from: readonly string[]): string {
  const count = choices.below(4);
  let text = '';
  for (let index = 0; index < count; index += 1) text += choices.pick('a', ...from);
  return text;
}

/** Every single piece of the lists, alone and in quotes that make a word of it. */
export const singleWords: readonly string[] = [
  ...letters,
  ...escapes.flatMap((escape) => [`$'\\${escape}'`, `$'a\\${escape}b'`, `$'\\${escape}'env`, `$'\\${escape}1'`]),
  ...sequences,
  ...odd,
  ...tildes,
  ...parameters,
  ...parameters.map((text) => `"${text}"`),
  ...globs,
  ...[...sequences, ...odd, ...tildes].flatMap((text) => [`a${text}`, `${text}b`, `"${text.replaceAll('"', '')}"`]),
];
