/** A condition, with the file position of each of its characters. */

import { lazy } from '../../../kernel/lazy.ts';
import type { FilePosition, PolicyFileCondition } from '../../policy-file.ts';
import { scalarSourceMap } from '../syntax/scalar-source-map.ts';
import { refined, text, type Shape } from './shape.ts';

const maxCharacters = 10_000;
// With an invisible character in a compared name, a rule would look right and never match.
const invisibleCharacter = lazy(() => /[^\P{C}\t\n\r]|[\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u);

const plainText = /^[\t\n -~]*$/;

export const condition: Shape<PolicyFileCondition> = refined(text(maxCharacters), (given, { name, report }) => {
  const { value, at } = given;
  if (value.trim() === '') return report.problem(at, `${name} is empty; write a condition, or remove the key`);
  if (value.length > maxCharacters)
    return report.problem(at, `${name} is longer than ${maxCharacters} characters; use several rules`);
  const stretches = scalarSourceMap(given).map(({ offset, source }) => ({ offset, at: report.positionOf(source) }));
  const read = { text: value, at: report.positionOf(at), stretches };
  const hidden = plainText.test(value) ? null : invisibleCharacter().exec(value);
  if (hidden === null) return read;
  const code = (hidden[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return report.problem(
    positionInCondition(read, hidden.index),
    `${name} contains the invisible character U+${code}; in a string of the condition, write \\u${code}`,
  );
});

/** The file position of the character at an offset of a condition. */
export function positionInCondition({ at, stretches }: PolicyFileCondition, offset: number): FilePosition {
  const segment = stretches.findLast((each) => each.offset <= offset);
  if (segment === undefined) return at;
  return { line: segment.at.line, column: segment.at.column + offset - segment.offset };
}
