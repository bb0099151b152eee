/** Decodes `$'…'` exactly as bash 5.2 does. The parser decodes some escapes differently, for example `\x{…}`. */

const simpleEscapes: ReadonlyMap<string, number> = new Map([
  ['a', 7],
  ['b', 8],
  ['e', 27],
  ['E', 27],
  ['f', 12],
  ['n', 10],
  ['r', 13],
  ['t', 9],
  ['v', 11],
  ['\\', 92],
  ["'", 39],
  ['"', 34],
  ['?', 63],
]);

const encoder = new TextEncoder();
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** Groups: `\c`, octal, `\x{…}`, `\x`, `\u`, `\U`, any other character. */
const escape =
  /\\(?:c(\\\\|[^])|([0-7]{1,3})|x\{([0-9A-Fa-f]*)\}?|x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([^]))/y;

/**
 * Decodes the text between the quotes of `$'…'`. Undefined if the result depends on the locale or is not valid UTF-8.
 */
export function decodeAnsiC(quoted: string): string | undefined {
  const text = quoted.slice(2, -1);
  if (!text.includes('\\')) return text;
  const bytes: number[] = [];
  for (let at = 0; at < text.length;) {
    escape.lastIndex = at;
    const found = escape.exec(text);
    if (found === null) at += addText(bytes, text, at);
    else {
      const byte = byteOf(found);
      if (byte === undefined) return undefined;
      // bash ignores everything after a NUL.
      if (byte === 0) break;
      if (byte === notAnEscape) addText(bytes, '\\', 0);
      else bytes.push(byte);
      at += byte === notAnEscape ? 1 : found[0].length;
    }
  }
  return asText(bytes);
}

/** Result for a backslash that escapes nothing: it stays in the text. */
const notAnEscape = -1;

function byteOf(found: RegExpExecArray): number | undefined {
  const [, control, octal, braced, hex, short, long, letter = ''] = found;
  if (control !== undefined) return controlByte(control);
  if (octal !== undefined) return Number.parseInt(octal, 8) & 0xff;
  // Only the last eight bits count. No digits mean zero.
  if (braced !== undefined) return Number.parseInt(braced.slice(-2) || '0', 16);
  if (hex !== undefined) return Number.parseInt(hex, 16);
  const point = short ?? long;
  if (point === undefined) return simpleEscapes.get(letter) ?? notAnEscape;
  const code = Number.parseInt(point, 16);
  // Beyond ASCII, the bytes depend on the locale.
  return code > 0x7f ? undefined : code;
}

/** For a character beyond ASCII, bash changes only its first byte. */
function controlByte(letter: string): number | undefined {
  const code = letter.charCodeAt(0);
  if (code > 0x7f) return undefined;
  return letter === '?' ? 0x7f : letter.toUpperCase().charCodeAt(0) & 0x1f;
}

/** Adds one character and returns its length. */
function addText(bytes: number[], text: string, at: number): number {
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  bytes.push(...encoder.encode(character));
  return character.length;
}

function asText(bytes: readonly number[]): string | undefined {
  try {
    return utf8.decode(Uint8Array.from(bytes));
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
