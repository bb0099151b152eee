/** A condition, with the file position of each of its characters. */

import { lazy } from '../../../kernel/lazy.ts';
import type { FilePosition, PolicyFileCondition } from '../../policy-file.ts';
import { scalarSourceMap } from '../syntax/scalar-source-map.ts';
import { readTextNode, textSchema, type Shape } from './shape.ts';

const maxCharacters = 10_000;
// With an invisible character in a compared name, a rule would look right and never match.
const invisibleCharacter = lazy(() => /[^\P{C}\t\n\r]|[\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u);

const plainText = /^[\t\n -~]*$/;

export const condition: Shape<PolicyFileCondition> = {
  read: (node, name, report) => {
    const given = readTextNode(node, name, report);
    if (given === undefined) return undefined;
    const text = given.value;
    if (text.trim() === '') return report.problem(node.at, `${name} is empty; write a condition, or remove the key`);
    if (text.length > maxCharacters)
      return report.problem(node.at, `${name} is longer than ${maxCharacters} characters; use several rules`);
    const stretches = scalarSourceMap(given).map(({ offset, source }) => ({ offset, at: report.positionOf(source) }));
    const read = { text, at: report.positionOf(node.at), stretches };
    const hidden = plainText.test(text) ? null : invisibleCharacter().exec(text);
    if (hidden === null) return read;
    const code = (hidden[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return report.problem(
      positionInCondition(read, hidden.index),
      `${name} contains the invisible character U+${code}; in a string of the condition, write \\u${code}`,
    );
  },
  schema: textSchema(maxCharacters),
};

/** The file position of the character at an offset of a condition. */
export function positionInCondition({ at, stretches }: PolicyFileCondition, offset: number): FilePosition {
  const segment = stretches.findLast((each) => each.offset <= offset);
  if (segment === undefined) return at;
  return { line: segment.at.line, column: segment.at.column + offset - segment.offset };
}
