/** The key that signs what a person says here. */

import { approversHere, openApproverKey } from '../store/keys/approver-keys.ts';
import type { SigningKey } from '../store/keys/key-ring.ts';
import { wrong } from './wrong-use.ts';
import { readPassphrase } from './read-passphrase.ts';
import type { StoreScene } from './store-command.ts';
import { terminalOf } from './streams.ts';

export interface Approver {
  readonly name: string;
  /** True if its key needs a passphrase. */
  readonly isLocked: boolean;
}

/** Whose key it is: the one that was named, or the only one there is. */
export function chooseApprover(folder: string, name: string | undefined): Approver {
  const all = approversHere(folder);
  const names = all.map((each) => each.name).join(', ');
  const make = 'make one with bridle approvals key <name>';
  if (all.length === 0) throw wrong(`there is no key to answer with in ${folder}: ${make}`);
  if (name === undefined && all.length > 1)
    throw wrong(`there are several keys: name yours with --as, one of ${names}`);
  const chosen = name === undefined ? all[0] : all.find((each) => each.name === name);
  if (chosen === undefined)
    throw wrong(`there is no key of ${JSON.stringify(name)} in ${folder}, only of ${names}: ${make}`);
  return { name: chosen.name, isLocked: chosen.locked };
}

/** Asks for the passphrase where one is needed. */
export function openCredential({ name, isLocked }: Approver, folder: string, { streams }: StoreScene): SigningKey {
  if (!isLocked) return openApproverKey({ folder, name });
  const terminal = terminalOf(streams);
  if (terminal === undefined)
    throw wrong(`the key of ${name} has a passphrase, and there is no terminal to ask for it`);
  const passphrase = readPassphrase(terminal, `Passphrase of ${name}: `);
  if (passphrase === undefined) throw wrong('no passphrase was given');
  return openApproverKey({ folder, name, passphrase });
}
