/** Texts that may hold the name of a file, which is then read. */

import type { Role } from './role.ts';
import type { ShellWord } from './shell-word.ts';
import type { Value } from './usage-text.ts';
import { prefixOf, withoutPrefix } from './word-shape.ts';

const patterns = {
  /** `@file`, `name=@file`, `name=<file`. */
  at: /^(?:[^=]*=)?[@<]/u,
  url: /^file:(?:\/\/[^/]*(?=\/))?/iu,
} as const;

export interface HeldFile {
  readonly word: ShellWord;
  readonly role: Role;
  readonly reach: 'itself';
}

/** The file that the text names; of a text whose beginning is not known, the text itself. */
export function heldFile({ holds }: Value, word: ShellWord): HeldFile | undefined {
  if (holds === undefined) return undefined;
  const start = patterns[holds].exec(prefixOf(word))?.[0];
  if (start !== undefined) return { word: withoutPrefix(word, start.length), role: 'reads', reach: 'itself' };
  const unknown = word.type === 'open' && (holds === 'at' || prefixOf(word) === '');
  return unknown ? { word, role: 'reads', reach: 'itself' } : undefined;
}
