/**
 * Ed25519 key files: private keys readable by their owner only, public keys in PEM form. Files are created atomically,
 * and refused if other users could read or change them.
 */

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  scryptSync,
} from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createFileAtomicSync, createFolderSync } from '../../files/atomic-write.ts';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import type { SigningKey, TrustedKey } from '../../approvals/signing/key-ring.ts';

export interface KeyFile {
  readonly path: string;
  /** The name of its owner. */
  readonly name: string;
  readonly passphrase?: string | undefined;
}

/** The first 16 hex digits of the SHA-256 of a public key in its SPKI form. */
export function fingerprint(publicKey: KeyObject): string {
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(spki).digest('hex').slice(0, 16);
}

/** A public key in PEM form, as in `.pub` files. */
export function publicText(publicKey: KeyObject): string {
  return publicKey.export({ type: 'spki', format: 'pem' }) as string;
}

/** Creates a private key. False if the file already exists. */
export function createSigningKey({ path, passphrase }: KeyFile): boolean {
  const salt = passphrase === undefined ? undefined : randomBytes(16).toString('hex');
  const { privateKey } = generateKeyPairSync('ed25519');
  const form = { type: 'pkcs8', format: 'pem' } as const;
  if (passphrase === undefined || salt === undefined) return makePrivateFile(path, privateKey.export(form) as string);
  const locked = privateKey.export({ ...form, cipher: 'aes-256-cbc', passphrase: stretchPassphrase(passphrase, salt) });
  return makePrivateFile(path, `${saltPrefix}${salt}\n${locked as string}`);
}

/** Precedes the salt in a key file with a passphrase. */
const saltPrefix = 'scrypt:';

/** Slows down guessing: PKCS #8 alone allows millions of passphrases per second, scrypt only a few. */
function stretchPassphrase(passphrase: string, salt: string): string {
  if (salt === '') return passphrase;
  return scryptSync(passphrase.normalize('NFC'), salt, 32, { N: 2 ** 15, r: 8, p: 1, maxmem: 2 ** 26 }).toString('hex');
}

/** The private key in a file; undefined if the file does not exist. */
export function readSigningKey({ path, name, passphrase }: KeyFile): SigningKey | undefined {
  const text = readPrivateFile(path);
  if (text === undefined) return undefined;
  const [, salt = '', key = text] = new RegExp(`^${saltPrefix}([0-9a-f]{32})\\n(.*)$`, 's').exec(text) ?? [];
  const isLocked = key.includes(lockedKey);
  if (isLocked && passphrase === undefined) throw keyError(`The key ${name} needs its passphrase.`);
  const privateKey = parseKey(
    () =>
      createPrivateKey({
        key,
        format: 'pem',
        ...(passphrase === undefined ? {} : { passphrase: stretchPassphrase(passphrase, salt) }),
      }),
    {
      path,
      otherwise: isLocked ? `Wrong passphrase for the key ${name}. If it is right, ${path} is damaged.` : undefined,
    },
  );
  const publicKey = createPublicKey(privateKey);
  return { name, id: fingerprint(publicKey), privateKey, publicKey };
}

/** True if a private key needs a passphrase. */
export function hasPassphrase(path: string): boolean {
  return readPrivateFile(path)?.includes(lockedKey) === true;
}

const lockedKey = 'ENCRYPTED PRIVATE KEY';

/** PKCS #8 of an Ed25519 key without a passphrase: 16 fixed bytes, then any 32 bytes. */
const plainKey =
  /^-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEI[A-P][A-Za-z0-9+/]{42}\n-----END PRIVATE KEY-----\n$/;

/** True if the text of a key file is certainly a private key that needs no passphrase. */
export function isSigningKey(text: string | undefined): boolean {
  return text !== undefined && plainKey.test(text);
}

/** Every `<name>.pub` in a folder; empty if the folder does not exist. */
export function readTrustedKeys(folder: string): readonly TrustedKey[] {
  return fileStems(folder, '.pub').map((name) => readTrustedKey(join(folder, `${name}.pub`), name));
}

/** The names of the files with this suffix, without the suffix. */
export function fileStems(folder: string, suffix: string): readonly string[] {
  try {
    const files = readdirSync(folder).filter((file) => file.endsWith(suffix) && file.length > suffix.length);
    return files.map((file) => file.slice(0, -suffix.length)).toSorted();
  } catch (error) {
    if (isMissing(error)) return [];
    throw keyError(`The key folder ${folder} cannot be read: ${messageOf(error)}.`, error);
  }
}

function readTrustedKey(path: string, name: string): TrustedKey {
  const text = readKeyFile(path);
  if (text === undefined) throw keyError(`The key ${path} no longer exists.`);
  const publicKey = parseKey(() => createPublicKey({ key: text, format: 'pem' }), { path });
  return { name, id: fingerprint(publicKey), publicKey };
}

function parseKey(
  read: () => KeyObject,
  { path, otherwise }: { readonly path: string; readonly otherwise?: string | undefined },
): KeyObject {
  let key: KeyObject;
  try {
    key = read();
  } catch (error) {
    throw keyError(otherwise ?? `The key ${path} is damaged.`, error);
  }
  if (key.asymmetricKeyType !== 'ed25519') throw keyError(`The key ${path} is not an Ed25519 key.`);
  return key;
}

const onWindows = process.platform === 'win32';

/** Creates a folder that only its owner can access, unless it exists. */
export function makePrivateFolder(folder: string): void {
  try {
    createFolderSync(folder);
  } catch (error) {
    throw keyError(`The key folder ${folder} cannot be created: ${messageOf(error)}.`, error);
  }
}

/** Refuses a folder that is missing, or in which other users could place keys. */
export function checkPrivateFolder(folder: string): void {
  if (!existsSync(folder)) throw keyError(`The key folder ${folder} does not exist.`);
  refuseShared(folder, 'chmod 700');
}

/** The text of a file that only its owner can read; undefined if it does not exist. */
export function readPrivateFile(path: string): string | undefined {
  const text = readKeyFile(path);
  if (text !== undefined) refuseShared(path, 'chmod 600');
  return text;
}

/** The text of a file; undefined if it does not exist. */
export function readKeyFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw keyError(`The key ${path} cannot be read: ${messageOf(error)}.`, error);
  }
}

/**
 * Creates a file that only its owner can read, synced to disk before it gets its name. False if the name exists
 * already: if several processes create the same key, one wins and all use its key.
 */
export function makePrivateFile(path: string, text: string): boolean {
  try {
    return createFileAtomicSync(path, text);
  } catch (error) {
    throw keyError(`The key ${path} cannot be created: ${messageOf(error)}.`, error);
  }
}

export function isMissing(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === 'ENOENT' || code === 'ENOTDIR';
}

function refuseShared(path: string, command: string): void {
  if (onWindows) return;
  const { mode, uid } = statSync(path);
  if ((mode & 0o077) !== 0) {
    throw keyError(`${path} can be read or changed by other users. Run: ${command} ${path}`);
  }
  const self = process.getuid?.();
  if (uid !== 0 && uid !== self) {
    throw keyError(`${path} belongs to another user (${uid}). Use your own keys, or run: chown ${self} ${path}`);
  }
}

export function keyError(message: string, cause?: unknown): BridleError {
  return new BridleError('STORE_KEYS', message, cause === undefined ? {} : { cause });
}
