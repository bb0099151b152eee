/** Puts the value of a scalar together and remembers where its characters come from. */

export interface SourceSegment {
  /** In the value. */
  readonly offset: number;
  /** In the file, from where characters follow one another as in the value. */
  readonly source: number;
}

export class SourceMapWriter {
  text = '';
  readonly segments: SourceSegment[] = [];
  private nextSource = -1;

  /** Characters that stand in the file as they are in the value, or one for what stands at `source`. */
  write(text: string, source: number): void {
    if (text === '') return;
    if (source !== this.nextSource) this.segments.push({ offset: this.text.length, source });
    this.text += text;
    this.nextSource = source + text.length;
  }

  /** Characters that all come from one place. */
  writeFrom(text: string, source: number): void {
    for (let i = 0; i < text.length; i++) {
      this.segments.push({ offset: this.text.length, source });
      this.text += text.charAt(i);
    }
    this.nextSource = -1;
  }
}

interface Line {
  readonly text: string;
  /** Offset in the file. */
  readonly at: number;
}

/** The lines of a text that stands at `at`, without their ends. */
export function linesOf(text: string, at: number): Line[] {
  let next = at;
  return text.split('\n').map((line) => {
    const start = next;
    next += line.length + 1;
    return { text: line.endsWith('\r') ? line.slice(0, -1) : line, at: start };
  });
}
