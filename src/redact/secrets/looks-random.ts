/** Decides whether a text looks machine-generated rather than written by a person. */

/** Code that refers to a secret instead of containing it. */
const codeReference = /^(?:process\.env|import\.meta|os\.environ|secrets|vars|env|config)\./;

const minEntropy = 3.5;

export function looksRandom(text: string): boolean {
  return /\d/.test(text) && /[A-Za-z]/.test(text) && !codeReference.test(text) && entropyOf(text) >= minEntropy;
}

/** Bits per character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const unit of text) counts.set(unit, (counts.get(unit) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
