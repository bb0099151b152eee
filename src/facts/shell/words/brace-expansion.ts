/** Brace expansion for words that contain nothing else for bash to expand. */

/**
 * Words whose braces are expanded here contain no quotes, expansions, glob patterns or tildes. A word that starts with
 * a dash is not an assignment, so it may contain `=` and an escaped star.
 */
const expandable = /^(?:-(?:[\w./:@%+,={}-]|\\\*)*|[\w./:@%+,{}-]*)$/;
const maxWords = 256;
/** Time and recursion grow with the number of braces. */
const maxBraces = 32;

/**
 * The resulting words in order, without empty ones. Undefined if the word is not simple enough or expands to too many
 * words.
 */
export function expandWordBraces(text: string): readonly string[] | undefined {
  if (!expandable.test(text) || text.split('{').length > maxBraces) return undefined;
  const words = expand(text)
    .filter((word) => word !== '')
    .map((word) => word.replaceAll(String.raw`\*`, '*'));
  // How bash treats leftover braces depends on their position.
  return words.length > maxWords || words.some((word) => /[{}]/.test(word)) ? undefined : words;
}

function expand(text: string): readonly string[] {
  for (let open = text.indexOf('{'); open !== -1; open = text.indexOf('{', open + 1)) {
    const choices = choicesAt(text, open);
    if (choices === undefined) continue;
    const before = text.slice(0, open);
    const after = expand(text.slice(choices.end));
    return product([before], choices.texts.flatMap(expand), after);
  }
  return [text];
}

const tooMany = Array.from({ length: maxWords + 1 }, () => '{');

/** Bounded: one word above the limit is enough for the caller to give up. */
function product(...lists: readonly (readonly string[])[]): readonly string[] {
  let words: string[] = [''];
  for (const list of lists) {
    if (words.length * list.length > maxWords) return tooMany;
    words = words.flatMap((word) => list.map((next) => word + next));
  }
  return words;
}

/** The alternatives of the braces that open here. Undefined if the braces do not close or are literal. */
function choicesAt(text: string, open: number): { texts: readonly string[]; end: number } | undefined {
  const texts: string[] = [];
  let depth = 0;
  let start = open + 1;
  for (let at = open; at < text.length; at++) {
    const character = text[at];
    if (character === '{') depth += 1;
    else if (character === '}') depth -= 1;
    if (depth === 0) {
      texts.push(text.slice(start, at));
      if (texts.length > 1) return { texts, end: at + 1 };
      const range = rangeOf(texts[0] ?? '');
      return range === undefined ? undefined : { texts: range, end: at + 1 };
    }
    if (character === ',' && depth === 1) {
      texts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return undefined;
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
  if (count > maxWords) return undefined;
  return Array.from({ length: count }, (_, index) => first + index * (first <= last ? size : -size));
}

function isPadded(number: string): boolean {
  return /^-?0\d/.test(number);
}

function padded(number: number, width: number): string {
  const sign = number < 0 ? '-' : '';
  return sign + String(Math.abs(number)).padStart(width - sign.length, '0');
}
