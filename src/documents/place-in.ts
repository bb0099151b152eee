/** Places inside a condition, for whoever has the data of a file only. */

import type { DocumentCondition, Place } from './document.ts';

/** Where the character of a condition at an offset stands in the file. */
export function placeIn(condition: DocumentCondition, offset: number): Place {
  const stretch = condition.stretches.findLast((each) => each.offset <= offset);
  if (stretch === undefined) return condition.at;
  return { line: stretch.at.line, column: stretch.at.column + offset - stretch.offset };
}
