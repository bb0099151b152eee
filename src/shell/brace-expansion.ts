/** Brace expansion of words that hold nothing else that bash would expand. */

/** Only these may stand in a word whose braces are expanded here: no quotes, expansions, patterns or home folders. */
const simple = /^[\w./:@%+,{}-]*$/;
const maxWords = 256;
/** Time and recursion grow with the braces. */
const maxBraces = 32;

/** The words it becomes, in order; undefined if it is not simple, a range, or too many. Empty ones vanish. */
export function expandBraces(text: string): readonly string[] | undefined {
  if (!simple.test(text) || text.includes('..') || text.split('{').length > maxBraces) return undefined;
  const words = expand(text).filter((word) => word !== '');
  // What bash does with braces that are left over depends on where they stand.
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

/** Bounded: past the limit one word too many is enough for the caller to give up. */
function product(...lists: readonly (readonly string[])[]): readonly string[] {
  let words: string[] = [''];
  for (const list of lists) {
    if (words.length * list.length > maxWords) return Array.from({ length: maxWords + 1 }, () => '{');
    words = words.flatMap((word) => list.map((next) => word + next));
  }
  return words;
}

/** The texts between the commas of the braces that open here; undefined if they do not close or hold no comma. */
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
      return texts.length < 2 ? undefined : { texts, end: at + 1 };
    }
    if (character === ',' && depth === 1) {
      texts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return undefined;
}
