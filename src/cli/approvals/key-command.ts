/** `bridle approvals key`: makes a key to sign answers with, or lists the keys. */

import { join } from 'node:path';
import { BridleError } from '../../kernel/errors.ts';
import { relationToAsker } from '../../approvals/signing/process-relation.ts';
import { listApprovers, createApproverKey } from '../../store/keys/approver-keys.ts';
import { type CommandReport, type Invocation, usageError } from '../command/command-row.ts';
import { exitCodes } from '../command/exit-codes.ts';
import { refuseAgents } from '../command/refuse-agents.ts';
import { type StoreFlags, storeOptions, withStore } from '../command/store-options.ts';
import { readPassphrase } from '../../terminal/dialogs/blocking-prompts.ts';
import { safeText } from '../../terminal/output/safe-text.ts';
import { terminalOf } from '../../terminal/output/streams.ts';

interface KeyFlags extends StoreFlags {
  /** False with `--no-passphrase`. */
  readonly passphrase?: boolean | undefined;
}

export async function makeOrListKeys(invocation: Invocation<KeyFlags>): Promise<CommandReport> {
  const { positionals, options, env } = invocation;
  const folder = storeOptions(options, env).keys ?? '';
  const [name] = positionals;
  if (name === undefined) return listKeys(folder);
  refuseAgents(env);
  await refuseWaitingRuns(invocation);
  const passphrase = options.passphrase === false ? undefined : askNewPassphrase(invocation, name);
  const { id } = createApproverKey({ folder, name, passphrase });
  const [file, publicFile] = [join(folder, `approver-${name}.key`), join(folder, 'approvers', `${name}.pub`)];
  const warning = 'The key has no passphrase: any process of your user can answer with it.';
  return {
    code: exitCodes.ok,
    data: { name, id, file, public: publicFile, passphrase: passphrase !== undefined },
    lines: () => [
      `key ${id} of ${name}: ${file}`,
      `trusted on this machine: ${publicFile}; copy it to other machines where agents run`,
      ...(passphrase === undefined ? [warning] : []),
    ],
  };
}

/** A waiting run must not make the key for its own answer. Without a store, no run is waiting. */
async function refuseWaitingRuns(invocation: Invocation<KeyFlags>): Promise<void> {
  let askers;
  try {
    askers = await withStore(invocation, async ({ approvals }) =>
      (await approvals.list({ state: 'pending', limit: 1000 })).map(({ asker }) => asker),
    );
  } catch (error) {
    if (invocation.options.store === undefined && error instanceof BridleError) return;
    throw error;
  }
  const inside = askers.map(relationToAsker).find(({ type }) => type === 'inside');
  if (inside !== undefined && inside.type === 'inside') {
    throw new BridleError('APPROVAL_REFUSED', `Refused: an agent may not make a key to answer itself: ${inside.why}.`);
  }
}

/** An empty passphrase means none. */
function askNewPassphrase({ streams, options }: Invocation<KeyFlags>, name: string): string | undefined {
  const terminal = options.json === true ? undefined : terminalOf(streams);
  if (terminal === undefined) {
    throw usageError('there is no terminal to ask for a passphrase: add --no-passphrase to make the key without one');
  }
  const first = readPassphrase(terminal, `Passphrase for the key of ${safeText(name)} (empty for none): `);
  if (first === undefined) throw usageError('cancelled; no key was made');
  if (first === '') return undefined;
  if (readPassphrase(terminal, 'Repeat it: ') !== first)
    throw usageError('the two passphrases differ; no key was made');
  return first;
}

function listKeys(folder: string): CommandReport {
  const keys = listApprovers(folder).map(({ name, locked }) => ({ name, passphrase: locked }));
  const lines = keys.map(
    ({ name, passphrase }) => `${safeText(name)}  ${passphrase ? 'with' : 'without'} a passphrase`,
  );
  const nothing = 'no keys; make one with npx bridle approvals key <name>';
  return { code: exitCodes.ok, data: { keys }, lines: () => (lines.length === 0 ? [nothing] : lines) };
}
