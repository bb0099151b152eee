/** Finds the secrets in an environment, by the names and formats of its variables. */

import { isPathLike } from './placeholders.ts';
import { secretFormats } from './secret-formats.ts';
import { minKnownLength } from './secret-encodings.ts';
import type { SecretNames } from './secret-names.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Common words that are not masked even if somebody uses one as a password. */
const commonWords =
  /^(?:password|passwort|changeme|postgres|postgresql|localhost|development|production|username|database|disabled|enabled|required|undefined|administrator|anonymous|sqlserver|rabbitmq|minioadmin|kubernetes|container)$/i;

const userInfo = /^[a-z][a-z0-9+.-]*:\/\/[^:@/?#\s]*:([^@/?#\s]+)@/i;

export function environmentSecrets(env: Environment, names: SecretNames): readonly string[] {
  const found = new Set<string>();
  for (const [name, value = ''] of Object.entries(env)) {
    for (const secret of secretsIn(name, value.trim(), names)) {
      if (secret.length >= minKnownLength && !commonWords.test(secret) && !isPathLike(secret)) found.add(secret);
    }
  }
  return [...found];
}

function secretsIn(name: string, value: string, names: SecretNames): readonly string[] {
  const kind = names.kindOf(name);
  const isNamed = kind === 'secret' || kind === 'hidden';
  // `PWD` is the working directory.
  if (isNamed && !/^(?:OLD)?PWD$/i.test(name)) return [value];
  const [, password] = userInfo.exec(value) ?? [];
  if (password !== undefined) return [password, percentDecoded(password)];
  return secretFormats.some(({ pattern }) => pattern.test(value)) ? [value] : [];
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
