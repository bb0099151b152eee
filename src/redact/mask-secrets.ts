/**
 * Puts masks in the place of secrets: of what the names of fields, headers, options and parameters say is one, of the
 * values of an environment, and of what looks like a key of a well-known maker. Keys and the shape of a value stay, and
 * a value that holds no secret is given back itself.
 */

import { randomBytes } from 'node:crypto';
import type { Mask } from '../kernel/approval.ts';
import { type Environment, environmentSecrets } from './secrets/environment-secrets.ts';
import { Masker } from './masker.ts';
import { SecretNames } from './secrets/secret-names.ts';
import { SecretFinder } from './text/secret-finder.ts';

export interface MaskOptions {
  /** With the same key equal secrets look equal. A key of its own if not given. */
  readonly key?: Uint8Array | string | undefined;
  /** Variables whose names say that they hold secrets: their values are masked wherever they stand. */
  readonly env?: Environment | undefined;
  /** Further names of secrets, in any spelling. */
  readonly names?: readonly string[] | undefined;
  /** Names that are none of secrets here, in any spelling. */
  readonly keep?: readonly string[] | undefined;
}

/** A secret that is named in one place of a value is masked in all of it; from one value to the next nothing is kept. */
export function maskSecrets(options: MaskOptions = {}): Mask {
  // The one place here that reads the process's environment: what is not known cannot be masked.
  const { key = randomBytes(32), env = process.env } = options;
  const names = new SecretNames(options);
  const known = environmentSecrets(env, names);
  const texts = SecretFinder.of({ names, known, further: wordsToFind(options.names ?? []) });
  const masker = new Masker({ key, names, texts });
  return <T>(value: T): T => masker.mask(value);
}

/** Something of each name that stands in all its spellings. */
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
