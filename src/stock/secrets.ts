/**
 * Finding what looks like a secret. Every pattern takes time in proportion to the text: it begins at few places and is
 * bounded there, or begins only where a run of its characters does.
 */

interface SecretKind {
  readonly name: string;
  readonly pattern: RegExp;
}

const kinds: readonly SecretKind[] = [
  { name: 'an AWS access key', pattern: /(?<![A-Z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])/ },
  { name: 'a GitHub token', pattern: /gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{22}/ },
  { name: 'a GitLab token', pattern: /glpat-[\w-]{20}/ },
  { name: 'a Slack token', pattern: /xox[abeoprs]-[A-Za-z0-9-]{10}/ },
  { name: 'a private key', pattern: /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/ },
  { name: 'a JSON Web Token', pattern: /(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8}/ },
  { name: 'an Anthropic or OpenAI key', pattern: /(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{20}/ },
  { name: 'a Google API key', pattern: /AIza[\w-]{35}/ },
  { name: 'a Stripe key', pattern: /(?<![A-Za-z0-9])[rs]k_live_[A-Za-z0-9]{16}/ },
  { name: 'an npm token', pattern: /npm_[A-Za-z0-9]{36}/ },
];

/** `api_key = "…"` and the like: only what follows tells whether it is one. */
const assignment =
  /(?:api[_-]?key|access[_-]?key|secret|token|passw(?:or)?d|passphrase|credential)s?(?:[_-](?:key|id|value))?["'`]?\s{0,4}(?:=>|[:=])\s{0,4}["'`]?([\w+/.~=-]{16,200})/gi;

/** In code, where a secret comes from instead of the secret. */
const reference = /^(?:process\.env|import\.meta|os\.environ|secrets|vars|env|config)\./;

const enoughEntropy = 3.5;

/** What kind of secret a text seems to hold, if any. */
export function findSecret(text: string): string | undefined {
  const known = kinds.find(({ pattern }) => pattern.test(text));
  if (known !== undefined) return known.name;
  for (const [, value = ''] of text.matchAll(assignment)) {
    if (looksRandom(value)) return 'a password, key or token';
  }
  return undefined;
}

function looksRandom(value: string): boolean {
  return /\d/.test(value) && /[A-Za-z]/.test(value) && !reference.test(value) && entropyOf(value) >= enoughEntropy;
}

/** Bits per character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const unit of text) counts.set(unit, (counts.get(unit) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
