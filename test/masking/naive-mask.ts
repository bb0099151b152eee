/** Masks known secrets with search and replace, in all the forms they can have in a text. */

import { maskText } from '../../src/redact/mask-text.ts';

export function naiveMask(text: string, secrets: readonly string[], key: string): string {
  let masked = text;
  for (const secret of secrets) {
    const pair = Buffer.from(`me:${secret}`).toString('base64');
    // In an authorization header, all credentials are the secret.
    masked = masked.replaceAll(pair, maskText(pair, key));
    masked = masked.replaceAll(encodeURIComponent(secret), maskText(encodeURIComponent(secret), key));
    masked = masked.replaceAll(secret, maskText(secret, key));
  }
  return masked;
}
