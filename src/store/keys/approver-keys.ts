/** The keys of people who answer: a private one to sign with, a public one where the asking process looks for it. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BridleError } from '../../kernel/errors.ts';
import type { SigningKey } from '../../approvals/signing/key-ring.ts';
import { hasPassphrase, makeSigningKey, fileStems, publicText, readSigningKey } from './key-files.ts';
import { checkPrivateFolder, makePrivateFile, makePrivateFolder, keyError } from './private-file.ts';

export interface ApproverOptions {
  /** The folder of the keys. */
  readonly folder: string;
  readonly name: string;
  readonly passphrase?: string | undefined;
}

const keyFilePrefix = 'approver-';
const keyFileSuffix = '.key';

/** Makes a key for a person and trusts it here; STORE_KEYS if there is one of that name. */
export function makeApproverKey(options: ApproverOptions): SigningKey {
  const { folder, name } = options;
  if (!/^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/.test(name)) {
    const shown = JSON.stringify(name);
    throw new BridleError('OPTION_INVALID', `${shown} is no name for an approver: use letters and digits.`);
  }
  const trustedFolder = join(folder, 'approvers');
  for (const each of [folder, trustedFolder]) {
    makePrivateFolder(each);
    checkPrivateFolder(each);
  }
  const [file, trustedFile] = [keyFile(options), join(trustedFolder, `${name}.pub`)];
  if (existsSync(trustedFile)) throw nameTaken(`Another key of ${name} is trusted already`, trustedFile);
  if (!makeSigningKey(file)) throw nameTaken(`There is a key of ${name} already`, file.path);
  const key = openApproverKey(options);
  if (!makePrivateFile(trustedFile, publicText(key.publicKey)))
    throw nameTaken(`Another key of ${name} is trusted already`, trustedFile);
  return key;
}

function nameTaken(what: string, path: string): BridleError {
  return keyError(`${what}: ${path}. Remove it, or take another name.`);
}

/** The private key of a person; STORE_KEYS if there is none, or its passphrase is another one. */
export function openApproverKey(options: ApproverOptions): SigningKey {
  const key = readSigningKey(keyFile(options));
  if (key === undefined) throw keyError(`There is no key of ${options.name} in ${options.folder}.`);
  return key;
}

/** The names of those whose private keys are in the folder, and whether a passphrase is needed. */
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
