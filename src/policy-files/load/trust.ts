/**
 * The list of trusted policies (D12): path and content hash of each, stored in the user's own folder. A policy file
 * that Bridle found in a folder can only make decisions stricter until its contents are trusted.
 */

import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import { isJsonObject, type JsonValue } from '../../kernel/json.ts';
import { writeFileAtomicSync } from '../../files/atomic-write.ts';
import { contentHash, type PolicyFileOnDisk } from '../read/read-policy-files.ts';

export interface TrustedPolicy {
  /** Absolute, with symbolic links resolved. */
  readonly file: string;
  readonly hash: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export function trustFilePath(home: string): string {
  return join(home, 'trust.json');
}

/**
 * What identifies a policy for trust: the real path of its file, and the hash of its contents and of all files it
 * extends.
 */
export function identityOfPolicy(files: readonly PolicyFileOnDisk[]): Omit<TrustedPolicy, 'at'> {
  const own = files.at(-1);
  if (own === undefined) throw new BridleError('POLICY_FILE', 'a policy without a file cannot be trusted');
  return { file: realpathSync(own.path), hash: contentHash(files) };
}

export function isTrusted(home: string, files: readonly PolicyFileOnDisk[]): boolean {
  const { file, hash } = identityOfPolicy(files);
  return listTrusted(home).some((each) => each.file === file && each.hash === hash);
}

/** True if any version of the file's contents is trusted, not necessarily the current one. */
export function wasTrusted(home: string, file: string): boolean {
  const real = realpathSync(file);
  return listTrusted(home).some((each) => each.file === real);
}

/** Trusts the current contents of a policy. Earlier contents of the same file are no longer trusted. */
export function trustPolicy(home: string, files: readonly PolicyFileOnDisk[], at: number): TrustedPolicy {
  const trusted = { ...identityOfPolicy(files), at };
  writeTrusted(home, [...listTrusted(home).filter(({ file }) => file !== trusted.file), trusted]);
  return trusted;
}

/** Revokes the trust in a file. Returns false if there was none. */
export function distrustPolicy(home: string, file: string): boolean {
  const all = listTrusted(home);
  const left = all.filter((each) => each.file !== file);
  if (left.length !== all.length) writeTrusted(home, left);
  return left.length !== all.length;
}

export function listTrusted(home: string): readonly TrustedPolicy[] {
  const file = trustFilePath(home);
  let text: string;
  try {
    if (isWritableByOthers(file)) throw unusableError(file, 'other users can write to it');
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return [];
    throw error instanceof BridleError ? error : unusableError(file, messageOf(error), error);
  }
  return parseTrusted(text, file);
}

function isWritableByOthers(file: string): boolean {
  const stats = lstatSync(file);
  const own = process.getuid?.();
  return !stats.isFile() || (stats.mode & 0o022) !== 0 || (own !== undefined && stats.uid !== own);
}

function parseTrusted(text: string, file: string): readonly TrustedPolicy[] {
  let read: JsonValue;
  try {
    read = JSON.parse(text) as JsonValue;
  } catch (error) {
    throw unusableError(file, messageOf(error), error);
  }
  const list: unknown = isJsonObject(read) && read['version'] === 1 ? read['policies'] : undefined;
  if (!Array.isArray(list) || !list.every(isTrustedPolicy)) throw unusableError(file, 'it is damaged');
  return list;
}

function isTrustedPolicy(value: unknown): value is TrustedPolicy {
  const { file, hash, at } = Object(value) as Partial<Record<keyof TrustedPolicy, unknown>>;
  return typeof file === 'string' && typeof hash === 'string' && typeof at === 'number';
}

function writeTrusted(home: string, policies: readonly TrustedPolicy[]): void {
  const file = trustFilePath(home);
  try {
    writeFileAtomicSync(file, `${JSON.stringify({ version: 1, policies }, undefined, 2)}\n`);
  } catch (error) {
    throw unusableError(file, messageOf(error), error);
  }
}

function unusableError(file: string, problem: string, cause?: unknown): BridleError {
  return new BridleError('POLICY_FILE', `the trust file ${file} cannot be used: ${problem}`, { cause });
}
