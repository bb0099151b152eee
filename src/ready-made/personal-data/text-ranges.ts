/** Finds ranges in texts and masks them. */

/** A range of a text. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** A label and a function that finds the ranges to mask, from left to right without overlap. */
export interface Finder {
  readonly label: string;
  readonly find: (text: string) => readonly TextRange[];
}

/** A finder for a user-defined pattern. */
export function patternFinder(label: string, pattern: RegExp): Finder {
  const flags = pattern.flags.includes('g') ? pattern.flags : `${pattern.flags}g`;
  const copy = new RegExp(pattern.source, flags);
  return { label, find: (text) => rangesOf(copy, text) };
}

/**
 * Masks what the finders find in consecutive texts, even if a match spans several texts. The mask is placed where the
 * match starts.
 */
export function maskTexts(texts: readonly string[], finders: readonly Finder[]): readonly string[] {
  let masked = texts;
  for (const { label, find } of finders) {
    if (masked.length > 1) masked = replaceSpans(masked, find(masked.join('')), label);
    // In the joined text, the end of one text can hide a match at the start of the next.
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

/** After a rejected match, the search continues at its second character: another match may start inside it. */
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
