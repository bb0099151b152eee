/** Finding things in texts and masking them. */

/** Where something stands in a text. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** What is masked, by what, and how it is found: from left to right, without overlap. */
export interface Finder {
  readonly label: string;
  readonly find: (text: string) => readonly TextRange[];
}

/** A finder for a pattern of the user's. */
export function patternFinder(label: string, pattern: RegExp): Finder {
  const flags = pattern.flags.includes('g') ? pattern.flags : `${pattern.flags}g`;
  const copy = new RegExp(pattern.source, flags);
  return { label, find: (text) => rangesOf(copy, text) };
}

/**
 * Masks what the finders find in texts that stand one after another, also where it begins in one text and ends in a
 * later one; then the mask stands where it begins.
 */
export function maskTexts(texts: readonly string[], finders: readonly Finder[]): readonly string[] {
  let masked = texts;
  for (const { label, find } of finders) {
    if (masked.length > 1) masked = replaceSpans(masked, find(masked.join('')), label);
    // Joined, the end of one text can hide where the next begins.
    masked = masked.map((text) => replaceSpans([text], find(text), label)[0] as string);
  }
  return masked;
}

function replaceSpans(texts: readonly string[], spans: readonly TextRange[], label: string): readonly string[] {
  if (spans.length === 0) return texts;
  let offset = 0;
  let at = 0;
  return texts.map((text) => {
    const end = offset + text.length;
    const pieces: string[] = [];
    let from = offset;
    for (let span = spans[at]; span !== undefined && span.start < end; span = spans[at]) {
      if (span.start >= offset) pieces.push(text.slice(from - offset, span.start - offset), label);
      from = Math.min(span.end, end);
      if (span.end > end) break;
      at++;
    }
    pieces.push(text.slice(from - offset));
    offset = end;
    return pieces.join('');
  });
}

/** Where a match is not accepted, looking goes on right behind its first character: another may begin inside it. */
export function rangesOf(
  pattern: RegExp,
  text: string,
  accept: (match: string) => boolean = () => true,
): readonly TextRange[] {
  const spans: TextRange[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const [found] = match;
    const isFound = found !== '' && accept(found);
    if (isFound) spans.push({ start: match.index, end: match.index + found.length });
    else if (pattern.sticky) break;
    else pattern.lastIndex = match.index + ((text.codePointAt(match.index) ?? 0) > 0xffff ? 2 : 1);
  }
  return spans;
}
