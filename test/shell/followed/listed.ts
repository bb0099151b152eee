/** Lists of words and texts, written without quotes. */

import type { Choices } from '../random/choices.ts';

/** The parts of a text between ` ¦ `, or between blanks if it has none. */
export function listed(...rows: readonly string[]): readonly string[] {
  const text = rows.join(' ¦ ');
  return text.includes(' ¦ ') ? text.split(' ¦ ') : text.split(/\s+/u);
}

export function oneOf(choices: Choices, list: readonly string[]): string {
  return list[choices.below(list.length)] ?? '';
}
