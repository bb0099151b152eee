/** A part of a text that is a secret. */

export interface SecretSpan {
  readonly start: number;
  readonly end: number;
  /** The secret itself, if the text contains it in another encoding. */
  readonly secret?: string | undefined;
}

/** The secrets found at one position. */
export interface SpansFound {
  /** The position up to which the text was searched. */
  readonly next: number;
  readonly spans: readonly SecretSpan[];
}

/** Sorts spans and merges overlapping ones. */
export function mergeSpans(spans: readonly SecretSpan[]): readonly SecretSpan[] {
  const merged: SecretSpan[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (last === undefined || span.start >= last.end) merged.push(span);
    else if (span.end > last.end) merged[merged.length - 1] = { start: last.start, end: span.end };
  }
  return merged;
}
