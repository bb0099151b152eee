/** Expands braces, `{a,b}`: in glob patterns, and in words of a command line as bash does. */

const maxTexts = 256;
const maxDepth = 8;

/** All alternatives in order, or the problem with the text. */
export type Alternatives = readonly string[] | { readonly problem: string };

/** The alternatives of a glob pattern. After a backslash and inside brackets, braces and commas are literal. */
export function expandGlobBraces(pattern: string): Alternatives {
  return new BraceReader(pattern, (only) => [only]).read();
}

/**
 * Words whose braces are expanded here contain no quotes, expansions, glob patterns or tildes. A word that starts with
 * a dash is not an assignment, so it may contain `=` and an escaped star.
 */
const expandable = /^(?:-(?:[\w./:@%+,={}-]|\\\*)*|[\w./:@%+,{}-]*)$/;

/**
 * The words that bash makes of a word, in order, without empty ones. Undefined if the word is not simple enough, expands
 * to too many words, or has literal braces: how bash treats those depends on their position.
 */
export function expandWordBraces(text: string): readonly string[] | undefined {
  if (!expandable.test(text)) return undefined;
  const words = new BraceReader(text, (_only, written) => rangeOf(written)).read();
  if ('problem' in words) return undefined;
  return words.filter((word) => word !== '').map((word) => word.replaceAll(String.raw`\*`, '*'));
}

/** What a group with only one alternative stands for; undefined if its braces are literal. */
type SingleAlternative = (only: string, written: string) => readonly string[] | undefined;

class BraceReader {
  private problem: string | undefined;
  private position = 0;
  private depth = 0;

  constructor(
    private readonly text: string,
    private readonly single: SingleAlternative,
  ) {}

  read(): Alternatives {
    const texts = this.readSequence('');
    return this.problem === undefined ? texts : { problem: this.problem };
  }

  /** Reads up to one of `ends` and stops in front of it. */
  private readSequence(ends: string): readonly string[] {
    let texts = [''];
    while (this.position < this.text.length && this.problem === undefined) {
      const next = this.text.charAt(this.position);
      if (ends.includes(next)) break;
      const tails = next === '{' ? this.readGroup() : [this.readCharacter(next)];
      if (texts.length * tails.length > maxTexts) return this.fail(`has more than ${maxTexts} alternatives`);
      texts = texts.flatMap((head) => tails.map((tail) => head + tail));
    }
    return texts;
  }

  private readGroup(): readonly string[] {
    const start = ++this.position;
    if (++this.depth > maxDepth) return this.fail('has braces nested too deeply');
    const all: string[] = [];
    for (let count = 1; ; count++) {
      all.push(...this.readSequence(',}'));
      const end = this.text.charAt(this.position++);
      if (end === '') return this.fail('has a brace that is not closed');
      if (all.length > maxTexts) return this.fail(`has more than ${maxTexts} alternatives`);
      if (end === ',') continue;
      this.depth -= 1;
      if (count > 1) return all;
      const written = this.text.slice(start, this.position - 1);
      return all.flatMap((only) => this.single(only, written) ?? this.fail('has braces that are literal'));
    }
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

  private fail(problem: string): readonly string[] {
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

const integers = /^(-?\d{1,9})\.\.(-?\d{1,9})(?:\.\.(-?\d{1,9}))?$/;
/** The characters between `Z` and `a` have special meanings in bash. */
const letters = /^(?:([a-z])\.\.([a-z])|([A-Z])\.\.([A-Z]))(?:\.\.(-?\d{1,9}))?$/;

/** `1..3`, `a..e..2`. */
function rangeOf(text: string): readonly string[] | undefined {
  const numbers = integers.exec(text);
  if (numbers !== null) {
    const [, first = '', last = '', step] = numbers;
    const width = isPadded(first) || isPadded(last) ? Math.max(first.length, last.length) : 0;
    return steps({ first: Number(first), last: Number(last), step })?.map((number) => padded(number, width));
  }
  const found = letters.exec(text);
  if (found === null) return undefined;
  const first = found[1] ?? found[3] ?? '';
  const last = found[2] ?? found[4] ?? '';
  return steps({ first: first.charCodeAt(0), last: last.charCodeAt(0), step: found[5] })?.map((code) =>
    String.fromCharCode(code),
  );
}

interface Range {
  readonly first: number;
  readonly last: number;
  readonly step: string | undefined;
}

/** bash ignores the sign of a step and treats zero as one. */
function steps({ first, last, step = '1' }: Range): readonly number[] | undefined {
  const size = Math.abs(Number(step)) || 1;
  const count = Math.floor(Math.abs(last - first) / size) + 1;
  if (count > maxTexts) return undefined;
  return Array.from({ length: count }, (_, index) => first + index * (first <= last ? size : -size));
}

function isPadded(number: string): boolean {
  return /^-?0\d/.test(number);
}

function padded(number: number, width: number): string {
  const sign = number < 0 ? '-' : '';
  return sign + String(Math.abs(number)).padStart(width - sign.length, '0');
}
