/**
 * Phrases with slots, and matching words against them. `read|show [me] {path}` is one of two words, an optional word,
 * and a slot. There is no backtracking, so matching takes linear time.
 */

import { slotKinds, type SlotKind, trimPunctuation } from './slot-kinds.ts';
import { sourceTextOf, type RequestWord } from './words.ts';

/** The values of the slots. A slot that accepts a list can have several. */
export type Slots = ReadonlyMap<string, readonly string[]>;

type Piece =
  | { readonly type: 'word'; readonly words: ReadonlySet<string>; readonly optional: boolean }
  | { readonly type: 'slot'; readonly name: string; readonly kind: SlotKind };

export interface Phrase {
  readonly pieces: readonly Piece[];
  /** The words it may start with. */
  readonly verbs: readonly string[];
}

export function parsePhrase(phrase: string): Phrase {
  const pieces = phrase.split(' ').map(readPiece);
  const [first] = pieces;
  return { pieces, verbs: first?.type === 'word' ? [...first.words] : [] };
}

function readPiece(text: string): Piece {
  if (text.startsWith('{')) {
    const [name = '', kind = 'word'] = text.slice(1, -1).split(':');
    return { type: 'slot', name, kind: kind as SlotKind };
  }
  const optional = text.startsWith('[');
  return { type: 'word', words: new Set((optional ? text.slice(1, -1) : text).split('|')), optional };
}

/** The values of the slots, or `undefined` if the words do not match. */
export function matchPhrase({ pieces }: Phrase, words: readonly RequestWord[], source: string): Slots | undefined {
  const slots = new Map<string, readonly string[]>();
  let at = 0;
  for (const [index, piece] of pieces.entries()) {
    if (piece.type === 'word') {
      if (isOneOf(words[at], piece.words)) at += 1;
      else if (!piece.optional) return undefined;
      continue;
    }
    const end = endOfSlot(pieces, index, words.slice(at)) + at;
    const values = end <= at || end > words.length ? undefined : valuesOf(piece.kind, words.slice(at, end), source);
    if (values === undefined) return undefined;
    slots.set(piece.name, values);
    at = end;
  }
  return areCourtesies(words.slice(at)) ? slots : undefined;
}

const courtesies = new Set(['please', 'thanks', 'now', 'too', '.', '!', '?', ';', ',']);

function areCourtesies(words: readonly RequestWord[]): boolean {
  return words.every((word) => isOneOf(word, courtesies));
}

function isQuotedOnly([first, ...rest]: readonly RequestWord[]): boolean {
  return first !== undefined && first.quote !== '' && areCourtesies(rest);
}

export function isOneOf(word: RequestWord | undefined, words: ReadonlySet<string>): boolean {
  if (word === undefined || word.quote !== '') return false;
  return words.has(word.text.toLowerCase()) || words.has(trimPunctuation(word.text).toLowerCase());
}

/** How many of the remaining words belong to the slot. */
function endOfSlot(pieces: readonly Piece[], index: number, words: readonly RequestWord[]): number {
  const slot = pieces[index];
  if (slot?.type !== 'slot') return 0;
  const reach = slotKinds[slot.kind].reach;
  if (reach === 'word') return 1;
  if (reach === 'list') return endOfList(words);
  const next = pieces[index + 1];
  if (next?.type !== 'word') return isQuotedOnly(words) ? 1 : words.length;
  const follows = (word: RequestWord) => isOneOf(word, next.words);
  if (words[0]?.quote !== '' && words[1] !== undefined && follows(words[1])) return 1;
  const another = pieces
    .slice(index + 1)
    .some((piece) => piece.type === 'slot' && slotKinds[piece.kind].reach === 'text');
  return another ? words.findIndex(follows) : words.findLastIndex(follows);
}

const conjunctions = new Set([',', 'and', '&']);

/** `a`, `a and b`, `a, b, and c`. */
function endOfList(words: readonly RequestWord[]): number {
  let end = 1;
  for (;;) {
    let next = end;
    while (isOneOf(words[next], conjunctions)) next += 1;
    if (next === end || next >= words.length || isOneOf(words[next], courtesies)) return end;
    end = next + 1;
  }
}

function valuesOf(kind: SlotKind, words: readonly RequestWord[], source: string): readonly string[] | undefined {
  const { reach, accepts } = slotKinds[kind];
  if (reach === 'text') return accepts(words) ? [sourceTextOf(source, words)] : undefined;
  const listed = words.filter((word) => reach === 'word' || !isOneOf(word, conjunctions));
  if (!listed.every((word) => accepts([word]))) return undefined;
  return listed.map((word) => (word.quote === '' ? trimPunctuation(word.text) : word.text));
}
