/** Recognises literal words without inspecting the parts that the parser found. */

const plainCodes = new Uint8Array(128);
for (const letter of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./@%+,:=^-') {
  plainCodes[letter.charCodeAt(0)] = 1;
}

const doubleQuote = 34;
const singleQuote = 39;
const backslash = 92;

/** True if the word contains nothing special to bash: no quotes, expansions or patterns. */
export function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (plainCodes[text.charCodeAt(at)] !== 1) return false;
  return text.length > 0;
}

/** Like `isPlain`, up to `end`. */
export function isPlainUpTo(text: string, end: number): boolean {
  for (let at = 0; at < end; at += 1) if (plainCodes[text.charCodeAt(at)] !== 1) return false;
  return true;
}

/** The value of a plain word, or of a single quoted word without expansions. */
export function literalValue(text: string): string | undefined {
  if (isPlain(text)) return text;
  return isQuoted(text, 0) ? text.slice(1, -1) : undefined;
}

/** True for a word whose value is known without parsing it. */
export function isLiteral(text: string): boolean {
  return isPlain(text) || isQuoted(text, 0) || isEscapedCharacter(text);
}

/** `\(`. */
function isEscapedCharacter(text: string): boolean {
  return text.length === 2 && text.charCodeAt(0) === backslash && text.charCodeAt(1) > 32;
}

/** True if the rest of the text is one pair of quotes. */
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
