/**
 * Rewrites a regular expression for the validator, which compiles it in Unicode mode: needless escapes (`\-`, `\_`),
 * common in schemas, become code points. Undefined if it is not a regular expression.
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
    // A syntax error means no.
    return false;
  }
}
