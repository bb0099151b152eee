/** A piece of a text that is a secret. */

export interface SecretSpan {
  readonly start: number;
  readonly end: number;
  /** What the mask stands for, where it is not the piece itself: the secret that is written there in another form. */
  readonly secret?: string | undefined;
}

/** What was found at one place of a text. */
export interface SpansFound {
  /** How far the text has been looked at. */
  readonly next: number;
  readonly spans: readonly SecretSpan[];
}

/** In order, and what overlaps as one. */
export function mergeSpans(spans: readonly SecretSpan[]): readonly SecretSpan[] {
  const merged: SecretSpan[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (last === undefined || span.start >= last.end) merged.push(span);
    else if (span.end > last.end) merged[merged.length - 1] = { start: last.start, end: span.end };
  }
  return merged;
}
