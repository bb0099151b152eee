/** Masking as somebody would do it who is told the secrets: each of them is replaced, in the forms a text can have. */

import { maskText } from '../../src/redact/secrets/mask-text.ts';

export function naiveMask(text: string, secrets: readonly string[], key: string): string {
  let masked = text;
  for (const secret of secrets) {
    const pair = Buffer.from(`me:${secret}`).toString('base64');
    // In a header that signs in, all of what signs in is the secret.
    masked = masked.replaceAll(pair, maskText(pair, key));
    masked = masked.replaceAll(encodeURIComponent(secret), maskText(encodeURIComponent(secret), key));
    masked = masked.replaceAll(secret, maskText(secret, key));
  }
  return masked;
}
