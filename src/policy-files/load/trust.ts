/**
 * Which policies a user trusts (D12): the hash of their content, by where they lie, kept in the user's own folder. A
 * policy that merely lies in a folder may only tighten until its content is trusted.
 */

import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import { isJsonObject, type JsonValue } from '../../kernel/json.ts';
import { writeFileAtomicSync } from '../../files/atomic-write.ts';
import { contentHash, type PolicyFileOnDisk } from '../read/read-policy-files.ts';

/** One policy that is trusted. */
export interface TrustedPolicy {
  /** Absolute, without links. */
  readonly file: string;
  readonly hash: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export function trustFilePath(home: string): string {
  return join(home, 'trust.json');
}

/** What a policy is trusted by: where its own file really lies, and what it and all it extends say. */
export function identityOfPolicy(files: readonly PolicyFileOnDisk[]): Omit<TrustedPolicy, 'at'> {
  const own = files.at(-1);
  if (own === undefined) throw new BridleError('POLICY_FILE', 'a policy without a file cannot be trusted');
  return { file: realpathSync(own.path), hash: contentHash(files) };
}

export function isTrusted(home: string, files: readonly PolicyFileOnDisk[]): boolean {
  const { file, hash } = identityOfPolicy(files);
  return listTrusted(home).some((each) => each.file === file && each.hash === hash);
}

/** True if some content of a file is trusted, be it not the one it has now. */
export function wasTrusted(home: string, file: string): boolean {
  const real = realpathSync(file);
  return listTrusted(home).some((each) => each.file === real);
}

/** Trusts the content a policy has now; what was trusted of the same file before no longer is. */
export function trustPolicy(home: string, files: readonly PolicyFileOnDisk[], at: number): TrustedPolicy {
  const trusted = { ...identityOfPolicy(files), at };
  writeTrusted(home, [...listTrusted(home).filter(({ file }) => file !== trusted.file), trusted]);
  return trusted;
}

/** Takes the trust in a file back; false if there was none. */
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
    if (isWritableByOthers(file)) throw unusableError(file, 'can be written by others');
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
