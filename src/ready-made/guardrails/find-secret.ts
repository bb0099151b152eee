/** Finds what looks like a secret. Every pattern runs in linear time. */

import { looksRandom } from '../../redact/secrets/looks-random.ts';
import { secretFormats } from '../../redact/secrets/secret-formats.ts';

/** Assignments such as `api_key = "…"`. The value decides whether it is a secret. */
const assignment =
  /(?:api[_-]?key|access[_-]?key|secret|token|passw(?:or)?d|passphrase|credential)s?(?:[_-](?:key|id|value))?["'`]?\s{0,4}(?:=>|[:=])\s{0,4}["'`]?([\w+/.~=-]{16,200})/gi;

/** The kind of secret a text seems to contain, if any. */
export function findSecret(text: string): string | undefined {
  const known = secretFormats.find(({ pattern }) => pattern.test(text));
  if (known !== undefined) return known.name;
  for (const [, value = ''] of text.matchAll(assignment)) {
    if (looksRandom(value)) return 'a password, key or token';
  }
  return undefined;
}
