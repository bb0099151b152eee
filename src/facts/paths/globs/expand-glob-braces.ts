/** Expands the alternatives of a pattern, `{a,b}`, as a shell would. Everything else stays as it is. */

const maxAlternatives = 256;
const maxDepth = 8;

/**
 * Returns all alternatives in order, or the problem with the pattern. After a backslash and inside brackets, braces and
 * commas are literal.
 */
export function expandGlobBraces(pattern: string): readonly string[] | { readonly problem: string } {
  const reader = new BraceReader(pattern);
  const texts = reader.readSequence('');
  if (reader.problem !== undefined) return { problem: reader.problem };
  return texts;
}

class BraceReader {
  problem: string | undefined;
  private position = 0;
  private depth = 0;

  constructor(private readonly text: string) {}

  /** Reads up to one of `ends` and stops in front of it. */
  readSequence(ends: string): string[] {
    let texts = [''];
    while (this.position < this.text.length && this.problem === undefined) {
      const next = this.text.charAt(this.position);
      if (ends.includes(next)) break;
      const tails = next === '{' ? this.readGroup() : [this.readCharacter(next)];
      if (texts.length * tails.length > maxAlternatives) return this.fail('has more than 256 alternatives');
      texts = texts.flatMap((head) => tails.map((tail) => head + tail));
    }
    return texts;
  }

  private readGroup(): string[] {
    this.position += 1;
    this.depth += 1;
    if (this.depth > maxDepth) return this.fail('has braces nested too deeply');
    const all: string[] = [];
    for (;;) {
      all.push(...this.readSequence(',}'));
      const end = this.text.charAt(this.position);
      this.position += 1;
      if (end === '') return this.fail('has a brace that is not closed');
      if (all.length > maxAlternatives) return this.fail('has more than 256 alternatives');
      if (end === '}') break;
    }
    this.depth -= 1;
    return all;
  }

  /** Reads one character, a whole class, or an escape sequence. */
  private readCharacter(next: string): string {
    if (next === '}') this.problem ??= 'has a brace that was not opened';
    const part =
      next === '[' ? (characterClassAt(this.text, this.position) ?? '[') : next === '\\' ? this.readEscaped() : next;
    this.position += part.length;
    return part;
  }

  private readEscaped(): string {
    const code = this.text.codePointAt(this.position + 1);
    return code === undefined ? '\\' : `\\${String.fromCodePoint(code)}`;
  }

  private fail(problem: string): string[] {
    this.problem ??= problem;
    return [];
  }
}

/**
 * Returns the character class that starts at a position, `[a-z]` or `[!]x]`: a bracket right after the start is a
 * member.
 */
export function characterClassAt(text: string, position: number): string | undefined {
  const pattern = /\[[!^]?\]?(?:\\[^/]|[^\]/\\])*\]/y;
  pattern.lastIndex = position;
  return pattern.exec(text)?.[0];
}
