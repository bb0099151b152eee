/** The keys of people who answer: a private one to sign with, a public one where the asking process looks for it. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BridleError } from '../../errors.ts';
import type { SigningKey } from './key-ring.ts';
import { isLocked, makeSigningKey, namesIn, publicText, readSigningKey } from './key-files.ts';
import { checkPrivateFolder, makePrivateFile, makePrivateFolder, unusable } from './private-file.ts';

export interface ApproverOptions {
  /** The folder of the keys. */
  readonly folder: string;
  readonly name: string;
  readonly passphrase?: string | undefined;
}

const prefix = 'approver-';
const end = '.key';

/** Makes a key for a person and trusts it here; STORE_KEYS if there is one of that name. */
export function makeApproverKey(options: ApproverOptions): SigningKey {
  const { folder, name } = options;
  if (!/^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/.test(name)) {
    const shown = JSON.stringify(name);
    throw new BridleError('OPTION_INVALID', `${shown} is no name for an approver: use letters and digits.`);
  }
  const trusted = join(folder, 'approvers');
  for (const place of [folder, trusted]) {
    makePrivateFolder(place);
    checkPrivateFolder(place);
  }
  const [file, trust] = [keyFile(options), join(trusted, `${name}.pub`)];
  if (existsSync(trust)) throw taken(`Another key of ${name} is trusted already`, trust);
  if (!makeSigningKey(file)) throw taken(`There is a key of ${name} already`, file.path);
  const made = openApproverKey(options);
  if (!makePrivateFile(trust, publicText(made.publicKey)))
    throw taken(`Another key of ${name} is trusted already`, trust);
  return made;
}

function taken(what: string, path: string): BridleError {
  return unusable(`${what}: ${path}. Remove it, or take another name.`);
}

/** The private key of a person; STORE_KEYS if there is none, or its passphrase is another one. */
export function openApproverKey(options: ApproverOptions): SigningKey {
  const key = readSigningKey(keyFile(options));
  if (key === undefined) throw unusable(`There is no key of ${options.name} in ${options.folder}.`);
  return key;
}

/** The names of those whose private keys are in the folder, and whether a passphrase is needed. */
export function approversHere(folder: string): readonly { readonly name: string; readonly locked: boolean }[] {
  const names = namesIn(folder, end).filter((file) => file.startsWith(prefix));
  return names.map((file) => ({
    name: file.slice(prefix.length),
    locked: isLocked(join(folder, `${file}${end}`)),
  }));
}

function keyFile({ folder, name, passphrase }: ApproverOptions) {
  return { path: join(folder, `${prefix}${name}${end}`), name, passphrase };
}
