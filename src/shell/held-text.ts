/** Texts that may hold something else: a file that is read, or code. */

import type { Reach, Role } from './role.ts';
import type { ShellWord } from './shell-word.ts';
import type { Holds, Value } from './usage-text.ts';
import { prefixOf, withoutPrefix } from './word-shape.ts';

interface Held {
  readonly role: Role;
  readonly reach: Reach | undefined;
  /** How such a text begins; what follows is what it holds. */
  readonly start: RegExp;
  /** How a text begins of which nothing more need be known. */
  readonly other: RegExp;
}

const held: Readonly<Record<Holds, Held>> = {
  at: { role: 'reads', reach: 'itself', start: /^(?:[^=]*=)?[@<]/u, other: /^$/u },
  url: { role: 'reads', reach: 'itself', start: /^file:(?:\/\/[^/]*(?=\/))?/iu, other: /^(?!file?$)./iu },
  pipe: { role: 'code', reach: undefined, start: /^[|!]/u, other: /^[^|!]/u },
  remote: { role: 'code', reach: undefined, start: /^ext::/u, other: /^(?!e(?:x(?:t:?)?)?$)./u },
  /** What it says of the other operands is read with them. */
  format: { role: 'text', reach: undefined, start: /(?!)/u, other: /^/u },
  name: { role: 'variable', reach: undefined, start: /^(?=[^]*\[[^]*[$`])/u, other: /^/u },
};

export interface HeldText {
  readonly word: ShellWord;
  readonly role: Role;
  readonly reach: Reach | undefined;
  readonly harmless: false;
}

/** What the text holds; of a text whose beginning is not known, the text itself. */
export function heldText({ holds }: Value, word: ShellWord): HeldText | undefined {
  if (holds === undefined) return undefined;
  const { role, reach, start, other } = held[holds];
  const found = start.exec(prefixOf(word))?.[0];
  if (found !== undefined) return { word: withoutPrefix(word, found.length), role, reach, harmless: false };
  return word.type === 'literal' || other.test(prefixOf(word)) ? undefined : { word, role, reach, harmless: false };
}
