/** `bridle approvals key`: makes a key to sign answers with, or lists the keys. */

import { join } from 'node:path';
import { BridleError } from '../../kernel/errors.ts';
import { relationToAsker } from '../../approvals/signing/process-relation.ts';
import { listApprovers, createApproverKey } from '../../store/keys/approver-keys.ts';
import { refuseAgents } from './refuse-agents.ts';
import { approvalExitCodes } from '../exit/approval-exit-codes.ts';
import { usageError } from '../options/usage-error.ts';
import { problemJson, problemText } from '../output/problem-text.ts';
import { readPassphrase } from '../../terminal/dialogs/read-passphrase.ts';
import type { StoreInvocation } from '../options/store-command.ts';
import { type StoreFlags, storeOptions, withStore } from '../options/store-options.ts';
import { terminalOf } from '../../terminal/output/streams.ts';
import { writeTo } from '../../files/blocking-io.ts';
import { safeText, safeJson } from '../../terminal/output/safe-text.ts';

interface KeyFlags extends StoreFlags {
  /** False with `--no-passphrase`. */
  readonly passphrase?: boolean | undefined;
}

const [stdout, stderr] = [1, 2];

export async function makeOrListKeys(invocation: StoreInvocation<KeyFlags>): Promise<number> {
  const { positionals, options, context } = invocation;
  const folder = storeOptions(options, context.env).keys ?? '';
  const [name] = positionals;
  if (name === undefined) return writeKeyReport(invocation, listKeys(folder));
  try {
    refuseAgents(context.env);
    await refuseWaitingRuns(invocation);
    const passphrase = options.passphrase === false ? undefined : askNewPassphrase(invocation, name);
    const { id } = createApproverKey({ folder, name, passphrase });
    const [file, publicFile] = [join(folder, `approver-${name}.key`), join(folder, 'approvers', `${name}.pub`)];
    const warning = 'The key has no passphrase: any process of your user can answer with it.';
    return writeKeyReport(invocation, {
      data: { name, id, file, public: publicFile, passphrase: passphrase !== undefined },
      lines: [
        `key ${id} of ${name}: ${file}`,
        `trusted on this machine: ${publicFile}; copy it to other machines where agents run`,
        ...(passphrase === undefined ? [warning] : []),
      ],
    });
  } catch (error) {
    if (!(error instanceof BridleError && error.code === 'APPROVAL_REFUSED')) throw error;
    writeTo(stderr, problemText(error));
    if (options.json === true) writeTo(stdout, problemJson(error));
    return approvalExitCodes.refused;
  }
}

/** A waiting run must not make the key for its own answer. Without a store, no run is waiting. */
async function refuseWaitingRuns({ options, context }: StoreInvocation<KeyFlags>): Promise<void> {
  let askers;
  try {
    askers = await withStore(options, context.env, async ({ approvals }) =>
      (await approvals.list({ state: 'pending', limit: 1000 })).map(({ asker }) => asker),
    );
  } catch (error) {
    if (options.store === undefined && error instanceof BridleError) return;
    throw error;
  }
  const inside = askers.map(relationToAsker).find(({ type }) => type === 'inside');
  if (inside !== undefined && inside.type === 'inside') {
    throw new BridleError('APPROVAL_REFUSED', `Refused: an agent may not make a key to answer itself: ${inside.why}.`);
  }
}

/** An empty passphrase means none. */
function askNewPassphrase({ context, options }: StoreInvocation<KeyFlags>, name: string): string | undefined {
  const terminal = options.json === true ? undefined : terminalOf(context.streams);
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

interface KeyReport {
  readonly data: unknown;
  readonly lines: readonly string[];
}

function listKeys(folder: string): KeyReport {
  const keys = listApprovers(folder).map(({ name, locked }) => ({ name, passphrase: locked }));
  const lines = keys.map(
    ({ name, passphrase }) => `${safeText(name)}  ${passphrase ? 'with' : 'without'} a passphrase`,
  );
  return { data: { keys }, lines: lines.length === 0 ? ['no keys; make one with bridle approvals key <name>'] : lines };
}

function writeKeyReport({ options }: StoreInvocation<KeyFlags>, { data, lines }: KeyReport): number {
  const text = options.json === true ? safeJson(data) : lines.join('\n');
  return writeTo(stdout, `${text}\n`) ? approvalExitCodes.ok : approvalExitCodes.brokenPipe;
}
