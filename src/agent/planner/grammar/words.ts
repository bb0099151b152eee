/** Splits a request into words with their positions. Text in quotes, fences or braces is one word. */

export interface RequestWord {
  /** The text without quotes. */
  readonly text: string;
  /** The opening quote; `''` for a bare word. */
  readonly quote: string;
  readonly start: number;
  readonly end: number;
  /** True if it is the first word of a line. */
  readonly opensLine: boolean;
}

/** Splits a text into words. Reads each character a bounded number of times. */
export function splitWords(source: string): readonly RequestWord[] {
  const words: RequestWord[] = [];
  const quotes = new QuoteReader(source);
  let at = 0;
  for (;;) {
    const start = skipSpace(source, at);
    if (start === source.length) return words;
    const opensLine = source.slice(at, start).includes('\n');
    const quoted = quotes.wordAt(start);
    if (quoted !== undefined) {
      words.push({ ...quoted, start, opensLine });
      at = quoted.end;
    } else {
      at = bareEnd(source, start);
      pushBare(words, { text: source.slice(start, at), quote: '', start, end: at, opensLine });
    }
  }
}

/** The source text from the first to the last of these words. For a single quoted word, the text in its quotes. */
export function sourceTextOf(source: string, words: readonly RequestWord[]): string {
  const [first] = words;
  const last = words.at(-1);
  if (first === undefined || last === undefined) return '';
  if (first === last && first.quote !== '') return first.quote === '"' ? unescaped(first.text) : first.text;
  return source.slice(first.start, last.end);
}

/** Commas and semicolons at the end of a word become separate words; inside a word they belong to it. */
function pushBare(words: RequestWord[], word: RequestWord): void {
  let end = word.text.length;
  while (end > 0 && isSeparator(word.text[end - 1])) end -= 1;
  if (end > 0) words.push({ ...word, text: word.text.slice(0, end), end: word.start + end });
  for (let at = end; at < word.text.length; at += 1) {
    const start = word.start + at;
    words.push({ text: word.text[at] ?? '', quote: '', start, end: start + 1, opensLine: word.opensLine && at === 0 });
  }
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', '"': '"', '\\': '\\' };

function unescaped(text: string): string {
  return text.replaceAll(/\\([nt"\\])/g, (_, sign: string) => escapes[sign] ?? sign);
}

const closers: Readonly<Record<string, string>> = { '"': '"', "'": "'", '`': '`', '“': '”', '«': '»', '{': '}' };
/** A limit, because every failed search for a closing brace scans the rest of the text. */
const braceTries = 8;

class QuoteReader {
  private readonly source: string;
  /** Opening quotes that have no closing quote in the rest of the text. */
  private readonly unclosed = new Set<string>();
  private tries = braceTries;

  constructor(source: string) {
    this.source = source;
  }

  wordAt(start: number): Pick<RequestWord, 'text' | 'quote' | 'end'> | undefined {
    const quote = this.source.startsWith('```', start) ? '```' : (this.source[start] ?? '');
    const closer = quote === '```' ? quote : closers[quote];
    if (closer === undefined || this.unclosed.has(quote)) return undefined;
    const from = start + quote.length;
    const close = quote === '{' ? this.braceEnd(start) : this.closing(closer, from);
    if (close === -1) {
      if (quote !== '{') this.unclosed.add(quote);
      return undefined;
    }
    if (quote === '{') return { text: this.source.slice(start, close + 1), quote, end: close + 1 };
    const text = this.source.slice(from, close);
    return { text: quote === '```' ? afterFirstLine(text) : text, quote, end: close + closer.length };
  }

  private closing(closer: string, from: number): number {
    if (closer !== '"' && closer !== "'") return this.source.indexOf(closer, from);
    for (let at = from; at < this.source.length; at += 1) {
      if (closer === '"' && this.source[at] === '\\') at += 1;
      else if (this.source[at] === closer && (closer === '"' || endsWord(this.source[at + 1]))) return at;
    }
    return -1;
  }

  /** The position of the brace that closes the one at `start`, by the rules of JSON. */
  private braceEnd(start: number): number {
    if (this.tries === 0) return -1;
    let depth = 0;
    let inText = false;
    for (let at = start; at < this.source.length; at += 1) {
      const sign = this.source[at];
      if (inText && sign === '\\') at += 1;
      else if (sign === '"') inText = !inText;
      else if (!inText && sign === '{') depth += 1;
      else if (!inText && sign === '}' && (depth -= 1) === 0) return at;
    }
    this.tries -= 1;
    return -1;
  }
}

/** Removes the first line of a fence, which names a language. */
function afterFirstLine(text: string): string {
  const end = text.indexOf('\n');
  return end === -1 ? text : text.slice(end + 1);
}

function skipSpace(source: string, from: number): number {
  let at = from;
  while (at < source.length && isSpace(source[at])) at += 1;
  return at;
}

function bareEnd(source: string, from: number): number {
  let at = from;
  while (at < source.length && !isSpace(source[at])) at += 1;
  return at;
}

function isSpace(sign: string | undefined): boolean {
  return sign !== undefined && sign.trim() === '';
}

function isSeparator(sign: string | undefined): boolean {
  return sign === ',' || sign === ';';
}

function endsWord(sign: string | undefined): boolean {
  return sign === undefined || isSpace(sign) || ',;.:!?)'.includes(sign);
}
