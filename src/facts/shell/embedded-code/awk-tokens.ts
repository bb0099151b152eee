/** Splits an awk program into tokens. */

export interface AwkToken {
  readonly type: 'string' | 'regex' | 'number' | 'name' | 'sign' | 'line';
  readonly text: string;
}

export interface AwkTokens {
  readonly tokens: readonly AwkToken[];
  /** True: a bracket expression contains a slash. Some awks end the pattern there, others do not. */
  readonly ambiguous: boolean;
}

const blank = /(?:[ \t]|\\\n)+/uy;
const comment = /#[^\n]*/uy;
const string = /"(?:[^"\\\n]|\\[^])*"/uy;
const number = /(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|0[xX][\da-fA-F]+/uy;
const name = /[A-Za-z_]\w*/uy;
const sign = /&&|\|\||\|&|>>|>=|<=|==|!=|\+\+|--|\*\*|[-+*%^!~<>=?:,;(){}[\]$|@&]/uy;
const regex = /\/(?:[^/\\\n]|\\[^\n])*\//uy;
const bracketRegex = /\/(?:[^/\\\n[]|\\[^\n]|\[\^?\]?(?:\[[.:=][^\n]*?[.:=]\]|[^\]\n\\]|\\[^\n])*\])*\//uy;

/** A slash after one of these starts a pattern. */
const openers: ReadonlySet<string> = new Set(
  'print printf return in case else do && || ! ~ ( { } [ , ; = == != < <= > >= ? : + - * % ^ ** |'.split(' '),
);
/** Awks disagree about a slash after the closing parenthesis of one of these. */
const headers: ReadonlySet<string> = new Set(['if', 'while', 'for', 'switch']);

class Tokenizer {
  readonly tokens: AwkToken[] = [];
  ambiguous = false;
  private at = 0;
  /** For every open parenthesis: whether it follows `if`, `while`, `for` or `switch`. */
  private readonly parens: boolean[] = [];
  private afterHeader = false;

  constructor(
    private readonly code: string,
    private readonly brackets: boolean,
  ) {}

  /** False if the program cannot be split. */
  run(): boolean {
    while (this.at < this.code.length) if (!this.step()) return false;
    return true;
  }

  private step(): boolean {
    if (this.take(blank) !== undefined) return true;
    const note = this.take(comment);
    // Some awks continue the comment on the next line.
    if (note !== undefined) return !note.endsWith('\\');
    if (this.code.charAt(this.at) === '\n') {
      this.at += 1;
      return this.add('line', '\n');
    }
    if (this.code.charAt(this.at) === '/') return this.slash();
    return (
      this.takeAs('string', string) ||
      this.takeAs('number', number) ||
      this.takeAs('name', name) ||
      this.takeAs('sign', sign)
    );
  }

  private take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.code)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  private takeAs(type: AwkToken['type'], pattern: RegExp): boolean {
    const text = this.take(pattern);
    return text !== undefined && this.add(type, text);
  }

  private add(type: AwkToken['type'], text: string): boolean {
    const before = this.tokens.at(-1);
    this.afterHeader = false;
    if (type === 'sign' && text === '(') this.parens.push(before?.type === 'name' && headers.has(before.text));
    if (type === 'sign' && text === ')') this.afterHeader = this.parens.pop() ?? false;
    this.tokens.push({ type, text });
    return true;
  }

  private slash(): boolean {
    const before = this.tokens.at(-1);
    if (this.afterHeader) return false;
    const opens = before === undefined || before.type === 'line' || openers.has(before.text);
    if (opens && before?.type !== 'string' && before?.type !== 'regex') return this.pattern();
    const divides = before.type !== 'name' && before.type !== 'sign' ? true : /^(?:\w+|[)\]])$/u.test(before.text);
    if (!divides || /^(?:getline|next|nextfile|break|continue|exit|delete)$/u.test(before.text)) return false;
    this.at += 1;
    return this.add('sign', '/');
  }

  private pattern(): boolean {
    const start = this.at;
    const long = this.take(bracketRegex);
    this.at = start;
    const short = this.take(regex);
    if (long !== undefined && long !== short) this.ambiguous = true;
    const found = this.brackets ? (long ?? short) : short;
    if (found === undefined) return false;
    this.at = start + found.length;
    return this.add('regex', found);
  }
}

/**
 * The tokens of a program, or undefined if it cannot be split. `brackets`: a slash inside a bracket expression does not
 * end the pattern.
 */
export function awkTokens(code: string, brackets: boolean): AwkTokens | undefined {
  const tokenizer = new Tokenizer(code, brackets);
  return tokenizer.run() ? tokenizer : undefined;
}
