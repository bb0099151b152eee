/** Builds the value of a scalar and records which file offset each character comes from. */

export interface SourceSegment {
  /** Offset in the value. */
  readonly offset: number;
  /** Offset in the file. From here on, file and value have the same characters. */
  readonly source: number;
}

export class SourceMapWriter {
  text = '';
  readonly segments: SourceSegment[] = [];
  private nextSource = -1;

  /** Adds characters that are the same in the file and in the value, or one character for an escape at `source`. */
  write(text: string, source: number): void {
    if (text === '') return;
    if (source !== this.nextSource) this.segments.push({ offset: this.text.length, source });
    this.text += text;
    this.nextSource = source + text.length;
  }

  /** Adds characters that all come from one offset. */
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

/** Splits a text at offset `at` into lines without their line ends. */
export function linesOf(text: string, at: number): Line[] {
  let next = at;
  return text.split('\n').map((line) => {
    const start = next;
    next += line.length + 1;
    return { text: line.endsWith('\r') ? line.slice(0, -1) : line, at: start };
  });
}
