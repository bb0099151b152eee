/** Places inside a condition, for whoever has the data of a file only. */

import type { PolicyFileCondition, FilePosition } from './policy-file.ts';

/** Where the character of a condition at an offset stands in the file. */
export function positionInCondition(condition: PolicyFileCondition, offset: number): FilePosition {
  const segment = condition.stretches.findLast((each) => each.offset <= offset);
  if (segment === undefined) return condition.at;
  return { line: segment.at.line, column: segment.at.column + offset - segment.offset };
}
