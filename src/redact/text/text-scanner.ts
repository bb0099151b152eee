/** Reading one text piece by piece, each piece once. */

export class TextScanner {
  /** How many characters have been read: it must not grow faster than the text. */
  read = 0;
  private done: Map<unknown, number> | undefined;
  private known: Map<RegExp, { readonly start: number; readonly end: number }> | undefined;

  constructor(readonly text: string) {}

  /** True once `to` has been reached for `what`, so that nothing is looked at twice. */
  isDone(what: unknown, at: number): boolean {
    return at < (this.done?.get(what) ?? 0);
  }

  setDone(what: unknown, to: number): void {
    (this.done ??= new Map()).set(what, to);
  }

  /** What a sticky pattern finds at `at`. */
  exec(pattern: RegExp, at: number): RegExpExecArray | undefined {
    pattern.lastIndex = at;
    const found = pattern.exec(this.text) ?? undefined;
    this.read += found?.[0].length ?? 1;
    return found;
  }

  /**
   * Where a run ends that begins at `at`; `pattern` repeats a set of characters, so that a run ends at the same place
   * from wherever in it one begins. It is read once, however often it is asked for.
   */
  endOfRun(pattern: RegExp, at: number): number {
    const known = this.known?.get(pattern);
    if (known !== undefined && at >= known.start && at < known.end) return known.end;
    const end = at + (this.exec(pattern, at)?.[0].length ?? 0);
    (this.known ??= new Map()).set(pattern, { start: at, end });
    return end;
  }
}
