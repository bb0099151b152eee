/** Runs of characters in one text. Where one ends is looked up once, however often it is asked from inside the run. */

export class Runs {
  private known: Map<RegExp, { readonly start: number; readonly end: number }> | undefined;

  constructor(readonly text: string) {}

  /** `pattern` is sticky and repeats a set of characters, so that it ends at the same place from anywhere inside. */
  end(pattern: RegExp, at: number): number {
    const known = this.known?.get(pattern);
    if (known !== undefined && at >= known.start && at < known.end) return known.end;
    pattern.lastIndex = at;
    const end = at + (pattern.exec(this.text)?.[0].length ?? 0);
    (this.known ??= new Map()).set(pattern, { start: at, end });
    return end;
  }
}
