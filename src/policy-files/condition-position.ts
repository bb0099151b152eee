/** Converts offsets in a condition to positions in its file. */

import type { PolicyFileCondition, FilePosition } from './policy-file.ts';

/** The file position of the character at an offset. */
export function positionInCondition(condition: PolicyFileCondition, offset: number): FilePosition {
  const segment = condition.stretches.findLast((each) => each.offset <= offset);
  if (segment === undefined) return condition.at;
  return { line: segment.at.line, column: segment.at.column + offset - segment.offset };
}
