/**
 * The keys of approvers: a private key to sign answers, and a public key in the folder that the asking process trusts.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BridleError } from '../../kernel/errors.ts';
import type { SigningKey } from '../../approvals/signing/key-ring.ts';
import {
  checkPrivateFolder,
  createSigningKey,
  fileStems,
  hasPassphrase,
  keyError,
  makePrivateFile,
  makePrivateFolder,
  publicText,
  readSigningKey,
} from './key-files.ts';

export interface ApproverOptions {
  /** The key folder. */
  readonly folder: string;
  readonly name: string;
  readonly passphrase?: string | undefined;
}

const keyFilePrefix = 'approver-';
const keyFileSuffix = '.key';

/** Creates a key for a person and trusts it here. Throws STORE_KEYS if the name is taken. */
export function createApproverKey(options: ApproverOptions): SigningKey {
  const { folder, name } = options;
  if (!/^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/.test(name)) {
    const shown = JSON.stringify(name);
    throw new BridleError(
      'OPTION_INVALID',
      `${shown} is not a valid approver name: use letters, digits, ".", "_", "@" and "-".`,
    );
  }
  const trustedFolder = join(folder, 'approvers');
  for (const each of [folder, trustedFolder]) {
    makePrivateFolder(each);
    checkPrivateFolder(each);
  }
  const [file, trustedFile] = [keyFile(options), join(trustedFolder, `${name}.pub`)];
  if (existsSync(trustedFile)) throw nameTaken(`A key named ${name} already exists`, trustedFile);
  if (!createSigningKey(file)) throw nameTaken(`A key named ${name} already exists`, file.path);
  const key = openApproverKey(options);
  if (!makePrivateFile(trustedFile, publicText(key.publicKey)))
    throw nameTaken(`A key named ${name} already exists`, trustedFile);
  return key;
}

function nameTaken(what: string, path: string): BridleError {
  return keyError(`${what}: ${path}. Use another name, or delete the file.`);
}

/** The private key of a person. Throws STORE_KEYS if it is missing or the passphrase is wrong. */
export function openApproverKey(options: ApproverOptions): SigningKey {
  const key = readSigningKey(keyFile(options));
  if (key === undefined) throw keyError(`There is no key named ${options.name} in ${options.folder}.`);
  return key;
}

/** The names of the private keys in the folder, and whether each needs a passphrase. */
export function listApprovers(folder: string): readonly { readonly name: string; readonly locked: boolean }[] {
  const names = fileStems(folder, keyFileSuffix).filter((file) => file.startsWith(keyFilePrefix));
  return names.map((file) => ({
    name: file.slice(keyFilePrefix.length),
    locked: hasPassphrase(join(folder, `${file}${keyFileSuffix}`)),
  }));
}

function keyFile({ folder, name, passphrase }: ApproverOptions) {
  return { path: join(folder, `${keyFilePrefix}${name}${keyFileSuffix}`), name, passphrase };
}
