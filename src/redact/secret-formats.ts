/**
 * The formats of well-known secrets. Every pattern runs in linear time: it starts at few positions and has a maximum
 * length, or it starts only at the start of a run of its characters and consumes the whole run. A run is written
 * `x{8}x*` and not `x{8,}`, which needs memory for each character.
 */

export interface SecretFormat {
  readonly name: string;
  /** How every match starts, in lower case. */
  readonly starts: readonly string[];
  readonly pattern: RegExp;
}

const privateKey = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;

export const secretFormats: readonly SecretFormat[] = [
  {
    name: 'an AWS access key',
    starts: ['akia', 'asia'],
    pattern: /(?<![A-Z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])/,
  },
  {
    name: 'a GitHub token',
    starts: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'],
    pattern: /gh[pousr]_[A-Za-z0-9]{36}[A-Za-z0-9]*|github_pat_[A-Za-z0-9_]{22}[A-Za-z0-9_]*/,
  },
  { name: 'a GitLab token', starts: ['glpat-'], pattern: /glpat-[\w-]{20}[\w-]*/ },
  { name: 'a Slack token', starts: ['xox'], pattern: /xox[abeoprs]-[A-Za-z0-9-]{10}[A-Za-z0-9-]*/ },
  { name: 'a private key', starts: ['-----begin '], pattern: privateKey },
  {
    name: 'a JSON Web Token',
    starts: ['eyj'],
    pattern: /(?<![\w-])eyJ[\w-]{8}[\w-]*\.eyJ[\w-]{8}[\w-]*\.[\w-]{8}[\w-]*/,
  },
  {
    name: 'an Anthropic or OpenAI key',
    starts: ['sk-'],
    pattern: /(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{20}[A-Za-z0-9_-]*/,
  },
  { name: 'a Google API key', starts: ['aiza'], pattern: /AIza[\w-]{35}[\w-]*/ },
  {
    name: 'a Stripe key',
    starts: ['sk_live_', 'rk_live_'],
    pattern: /(?<![A-Za-z0-9])[rs]k_live_[A-Za-z0-9]{16}[A-Za-z0-9]*/,
  },
  { name: 'an npm token', starts: ['npm_'], pattern: /npm_[A-Za-z0-9]{36}[A-Za-z0-9]*/ },
  { name: 'a Google OAuth token', starts: ['ya29.'], pattern: /(?<![A-Za-z0-9])ya29\.[\w-]{20}[\w-]*/ },
  { name: 'a SendGrid key', starts: ['sg.'], pattern: /(?<![A-Za-z0-9])SG\.[\w-]{16}[\w-]*\.[\w-]{16}[\w-]*/ },
  { name: 'a Hugging Face token', starts: ['hf_'], pattern: /(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30}[A-Za-z0-9]*/ },
  { name: 'a PyPI token', starts: ['pypi-'], pattern: /pypi-AgE[\w-]{40}[\w-]*/ },
  { name: 'a Docker token', starts: ['dckr_pat_'], pattern: /dckr_pat_[\w-]{20}[\w-]*/ },
  { name: 'a DigitalOcean token', starts: ['dop_v1_'], pattern: /dop_v1_[0-9a-f]{64}/ },
  { name: 'an age key', starts: ['age-secret-key-'], pattern: /AGE-SECRET-KEY-1[A-Z0-9]{58}/ },
];

/** The end of the private key that starts at `at`; the end of the text if the key is truncated. */
export function privateKeyEnd(text: string, at: number): number {
  const end = text.indexOf('-----END ', at);
  if (end === -1) return text.length;
  const last = text.indexOf('-----', end + 9);
  return last === -1 ? text.length : last + 5;
}
