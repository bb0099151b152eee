/** Words that are what they say, found without a look at the parser's parts of them. */

const plainCodes = new Uint8Array(128);
for (const letter of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./@%+,:=^-') {
  plainCodes[letter.charCodeAt(0)] = 1;
}

const doubleQuote = 34;
const singleQuote = 39;
const backslash = 92;

/** True if nothing in the word is special to bash: no quotes, expansions and patterns. */
export function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (plainCodes[text.charCodeAt(at)] !== 1) return false;
  return text.length > 0;
}

/** The same up to an end. */
export function isPlainUpTo(text: string, end: number): boolean {
  for (let at = 0; at < end; at += 1) if (plainCodes[text.charCodeAt(at)] !== 1) return false;
  return true;
}

/** The value of a word that is plain, or a single stretch of quotes without anything to expand. */
export function literalValue(text: string): string | undefined {
  if (isPlain(text)) return text;
  return isQuoted(text, 0) ? text.slice(1, -1) : undefined;
}

/** True for a word whose value shows without reading it. */
export function isLiteral(text: string): boolean {
  return isPlain(text) || isQuoted(text, 0) || isEscapedCharacter(text);
}

/** `\(`. */
function isEscapedCharacter(text: string): boolean {
  return text.length === 2 && text.charCodeAt(0) === backslash && text.charCodeAt(1) > 32;
}

/** True if all from here on stands in one pair of quotes. */
export function isQuoted(text: string, from: number): boolean {
  const last = text.length - 1;
  if (last <= from) return false;
  const quote = text.charCodeAt(from);
  if (quote === singleQuote) return text.indexOf("'", from + 1) === last;
  if (quote !== doubleQuote) return false;
  for (let at = from + 1; at < last; at += 1) {
    const code = text.charCodeAt(at);
    if (code === doubleQuote || code === backslash || code === 36 || code === 96) return false;
  }
  return text.charCodeAt(last) === doubleQuote;
}
