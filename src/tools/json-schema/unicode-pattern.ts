/**
 * A regular expression as the validator will compile it: in Unicode mode, which refuses the needless escapes (`\-`,
 * `\_`) that many schemas hold. They are written as code points; undefined where it is no regular expression at all.
 */
export function unicodePattern(pattern: string): string | undefined {
  if (compiles(pattern)) return pattern;
  const plain = pattern.replace(/\\([^])/g, (all, character: string) => {
    const code = character.charCodeAt(0);
    return /[\w^$\\.*+?()[\]{}|/]/.test(character) && character !== '_' ? all : code < 256 ? hex(code) : character;
  });
  return compiles(plain) ? plain : undefined;
}

function hex(code: number): string {
  return String.raw`\x${code.toString(16).padStart(2, '0')}`;
}

function compiles(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    // A syntax error is the answer.
    return false;
  }
}
