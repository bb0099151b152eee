/**
 * Replaces secrets with masks: values that the name of a field, header, option or parameter marks as secret, values
 * from the environment, and tokens in well-known formats. Field names and structure stay. A value without secrets is
 * returned unchanged.
 */

import { randomBytes } from 'node:crypto';
import type { Mask } from '../kernel/approval.ts';
import { Masker } from './masker.ts';
import { SecretNames } from './secret-names.ts';
import { SecretFinder } from './secret-finder.ts';
import { isPathLike } from './secret-values.ts';
import { secretFormats } from './secret-formats.ts';
import { minKnownLength } from './known-secrets.ts';

export interface MaskOptions {
  /** With the same key, equal secrets get equal masks. Random by default. */
  readonly key?: Uint8Array | string | undefined;
  /** Values of variables with secret names are masked wherever they occur. */
  readonly env?: Environment | undefined;
  /** Additional names of secrets, in any spelling. */
  readonly names?: readonly string[] | undefined;
  /** Names that are not secret here, in any spelling. */
  readonly keep?: readonly string[] | undefined;
}

/** Masks a secret everywhere in a value if one field names it. Remembers nothing from one value to the next. */
export function maskSecrets(options: MaskOptions = {}): Mask {
  // The only code here that reads the environment of the process: unknown values cannot be masked.
  const { key = randomBytes(32), env = process.env } = options;
  const names = new SecretNames(options);
  const known = environmentSecrets(env, names);
  const texts = SecretFinder.of({ names, known, extraNameParts: wordsToFind(options.names ?? []) });
  const masker = new Masker({ key, names, texts });
  return <T>(value: T): T => masker.mask(value);
}

/** Picks a part of each name that occurs in all its spellings. */
function wordsToFind(names: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    const parts = name
      .replaceAll(/([a-z0-9])(?=[A-Z])/g, '$1 ')
      .toLowerCase()
      .split(/[^a-z0-9]+/);
    const longest = parts.toSorted((a, b) => b.length - a.length)[0] ?? '';
    return longest.length >= 3 ? [longest] : [];
  });
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Common words that are not masked even if somebody uses one as a password. */
const commonWords =
  /^(?:password|passwort|changeme|postgres|postgresql|localhost|development|production|username|database|disabled|enabled|required|undefined|administrator|anonymous|sqlserver|rabbitmq|minioadmin|kubernetes|container)$/i;

const userInfo = /^[a-z][a-z0-9+.-]*:\/\/[^:@/?#\s]*:([^@/?#\s]+)@/i;

function environmentSecrets(env: Environment, names: SecretNames): readonly string[] {
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
