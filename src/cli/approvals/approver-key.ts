/** Chooses and unlocks the key that signs a person's answer. */

import { listApprovers, openApproverKey } from '../../store/keys/approver-keys.ts';
import type { SigningKey } from '../../approvals/signing/key-ring.ts';
import { usageError } from '../options/usage-error.ts';
import { readPassphrase } from '../../terminal/dialogs/read-passphrase.ts';
import type { CliContext } from '../options/store-command.ts';
import { terminalOf } from '../../terminal/output/streams.ts';

export interface LocalApprover {
  readonly name: string;
  /** True if its key needs a passphrase. */
  readonly isLocked: boolean;
}

/** The key named with `--as`, or the only key there is. */
export function chooseLocalApprover(folder: string, name: string | undefined): LocalApprover {
  const all = listApprovers(folder);
  const names = all.map((each) => each.name).join(', ');
  const make = 'make one with bridle approvals key <name>';
  if (all.length === 0) throw usageError(`there is no key in ${folder} to sign the answer with: ${make}`);
  if (name === undefined && all.length > 1)
    throw usageError(`there are several keys: choose yours with --as (${names})`);
  const chosen = name === undefined ? all[0] : all.find((each) => each.name === name);
  if (chosen === undefined)
    throw usageError(`there is no key ${JSON.stringify(name)} in ${folder} (there is ${names}): ${make}`);
  return { name: chosen.name, isLocked: chosen.locked };
}

/** Opens the key, asking for its passphrase if it has one. */
export function unlockKey({ name, isLocked }: LocalApprover, folder: string, { streams }: CliContext): SigningKey {
  if (!isLocked) return openApproverKey({ folder, name });
  const terminal = terminalOf(streams);
  if (terminal === undefined)
    throw usageError(`the key ${name} needs a passphrase, and there is no terminal to ask for it`);
  const passphrase = readPassphrase(terminal, `Passphrase for ${name}: `);
  if (passphrase === undefined) throw usageError('no passphrase was given');
  return openApproverKey({ folder, name, passphrase });
}
