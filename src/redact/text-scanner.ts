/** Reads a text piece by piece, each piece once. */

export class TextScanner {
  /** The number of characters read; it must stay linear in the length of the text. */
  read = 0;
  private done: Map<unknown, number> | undefined;
  private known: Map<RegExp, { readonly start: number; readonly end: number }> | undefined;

  constructor(readonly text: string) {}

  /** True if the text was already searched for `what` beyond `at`, so that nothing is read twice. */
  isDone(what: unknown, at: number): boolean {
    return at < (this.done?.get(what) ?? 0);
  }

  setDone(what: unknown, to: number): void {
    (this.done ??= new Map()).set(what, to);
  }

  /** Matches a sticky pattern at a position. */
  exec(pattern: RegExp, at: number): RegExpExecArray | undefined {
    pattern.lastIndex = at;
    const found = pattern.exec(this.text) ?? undefined;
    this.read += found?.[0].length ?? 1;
    return found;
  }

  /**
   * The end of the run at `at`. `pattern` repeats a set of characters, so a run has the same end from each of its
   * positions. Each run is read once.
   */
  endOfRun(pattern: RegExp, at: number): number {
    const known = this.known?.get(pattern);
    if (known !== undefined && at >= known.start && at < known.end) return known.end;
    const end = at + (this.exec(pattern, at)?.[0].length ?? 0);
    (this.known ??= new Map()).set(pattern, { start: at, end });
    return end;
  }
}

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

/** Finds secrets at a word; `length` is the length of the word. */
export type FindAtWord = (scanner: TextScanner, at: number, length: number) => SpansFound;

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
