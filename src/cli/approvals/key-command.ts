/** `bridle approvals key`: makes a key to answer with, or tells which ones there are. */

import { join } from 'node:path';
import { BridleError } from '../../kernel/errors.ts';
import { relationToAsker } from '../../approvals/signing/process-relation.ts';
import { listApprovers, makeApproverKey } from '../../store/keys/approver-keys.ts';
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

export async function makeOrListKeys(run: StoreInvocation<KeyFlags>): Promise<number> {
  const { words, options, scene } = run;
  const folder = storeOptions(options, scene.env).keys ?? '';
  const [name] = words;
  if (name === undefined) return writeKeyReport(run, listKeys(folder));
  try {
    refuseAgents(scene.env);
    await refuseWaitingRuns(run);
    const passphrase = options.passphrase === false ? undefined : askNewPassphrase(run, name);
    const { id } = makeApproverKey({ folder, name, passphrase });
    const [file, publicFile] = [join(folder, `approver-${name}.key`), join(folder, 'approvers', `${name}.pub`)];
    const warning = 'It has no passphrase: whatever runs under your user can answer with it.';
    return writeKeyReport(run, {
      data: { name, id, file, public: publicFile, passphrase: passphrase !== undefined },
      lines: [
        `key ${id} of ${name}: ${file}`,
        `trusted here: ${publicFile}; copy it to where agents ask`,
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

/** A run that waits must not make the key it would be answered with. Without a store nobody waits. */
async function refuseWaitingRuns({ options, scene }: StoreInvocation<KeyFlags>): Promise<void> {
  let askers;
  try {
    askers = await withStore(options, scene.env, async ({ approvals }) =>
      (await approvals.list({ state: 'pending', limit: 1000 })).map(({ asker }) => asker),
    );
  } catch (error) {
    if (options.store === undefined && error instanceof BridleError) return;
    throw error;
  }
  const inside = askers.map(relationToAsker).find(({ type }) => type === 'inside');
  if (inside !== undefined && inside.type === 'inside') {
    throw new BridleError('APPROVAL_REFUSED', `An agent does not make a key to answer itself: ${inside.why}.`);
  }
}

/** Empty means none. */
function askNewPassphrase({ scene, options }: StoreInvocation<KeyFlags>, name: string): string | undefined {
  const terminal = options.json === true ? undefined : terminalOf(scene.streams);
  if (terminal === undefined) {
    throw usageError('there is no terminal to ask for a passphrase: add --no-passphrase to make the key without one');
  }
  const first = readPassphrase(terminal, `Passphrase for the key of ${safeText(name)} (empty for none): `);
  if (first === undefined) throw usageError('no key was made');
  if (first === '') return undefined;
  if (readPassphrase(terminal, 'Once more: ') !== first)
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
  return { data: { keys }, lines: lines.length === 0 ? ['there is no key: bridle approvals key <name>'] : lines };
}

function writeKeyReport({ options }: StoreInvocation<KeyFlags>, { data, lines }: KeyReport): number {
  const text = options.json === true ? safeJson(data) : lines.join('\n');
  return writeTo(stdout, `${text}\n`) ? approvalExitCodes.ok : approvalExitCodes.brokenPipe;
}
