/** `bridle approvals key`: makes a key to answer with, or tells which ones there are. */

import { join } from 'node:path';
import { BridleError } from '../errors.ts';
import { placeOfThisProcess } from '../store/approvals/answer-place.ts';
import { approversHere, makeApproverKey } from '../store/keys/approver-keys.ts';
import { refuseAgents } from './answering-place.ts';
import { approvalExitCodes } from './approval-exit-codes.ts';
import { wrong } from './wrong-use.ts';
import { problemJson, problemText } from './problem-text.ts';
import { readPassphrase } from './read-passphrase.ts';
import type { StoreRun } from './store-command.ts';
import { type StoreFlags, storeOptions, withStore } from './store-options.ts';
import { terminalOf } from './streams.ts';
import { writeTo } from './sync-io.ts';
import { inset, safeJson } from './visible-text.ts';

interface KeyFlags extends StoreFlags {
  /** False with `--no-passphrase`. */
  readonly passphrase?: boolean | undefined;
}

const [stdout, stderr] = [1, 2];

export async function keyCommand(run: StoreRun<KeyFlags>): Promise<number> {
  const { words, options, scene } = run;
  const folder = storeOptions(options, scene.env).keys ?? '';
  const [name] = words;
  if (name === undefined) return tell(run, listing(folder));
  try {
    refuseAgents(scene.env);
    await refuseRuns(run);
    const passphrase = options.passphrase === false ? undefined : newPassphrase(run, name);
    const { id } = makeApproverKey({ folder, name, passphrase });
    const [file, publicFile] = [join(folder, `approver-${name}.key`), join(folder, 'approvers', `${name}.pub`)];
    const warning = 'It has no passphrase: whatever runs under your user can answer with it.';
    return tell(run, {
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
async function refuseRuns({ options, scene }: StoreRun<KeyFlags>): Promise<void> {
  let askers;
  try {
    askers = await withStore(options, scene.env, async ({ approvals }) =>
      (await approvals.list({ state: 'pending', limit: 1000 })).map(({ asker }) => asker),
    );
  } catch (error) {
    if (options.store === undefined && error instanceof BridleError) return;
    throw error;
  }
  const inside = askers.map(placeOfThisProcess).find(({ type }) => type === 'inside');
  if (inside !== undefined && inside.type === 'inside') {
    throw new BridleError('APPROVAL_REFUSED', `An agent does not make a key to answer itself: ${inside.why}.`);
  }
}

/** Empty means none. */
function newPassphrase({ scene, options }: StoreRun<KeyFlags>, name: string): string | undefined {
  const terminal = options.json === true ? undefined : terminalOf(scene.streams);
  if (terminal === undefined) {
    throw wrong('there is no terminal to ask for a passphrase: add --no-passphrase to make the key without one');
  }
  const first = readPassphrase(terminal, `Passphrase for the key of ${inset(name)} (empty for none): `);
  if (first === undefined) throw wrong('no key was made');
  if (first === '') return undefined;
  if (readPassphrase(terminal, 'Once more: ') !== first) throw wrong('the two passphrases differ; no key was made');
  return first;
}

interface Said {
  readonly data: unknown;
  readonly lines: readonly string[];
}

function listing(folder: string): Said {
  const keys = approversHere(folder).map(({ name, locked }) => ({ name, passphrase: locked }));
  const lines = keys.map(({ name, passphrase }) => `${inset(name)}  ${passphrase ? 'with' : 'without'} a passphrase`);
  return { data: { keys }, lines: lines.length === 0 ? ['there is no key: bridle approvals key <name>'] : lines };
}

function tell({ options }: StoreRun<KeyFlags>, { data, lines }: Said): number {
  const text = options.json === true ? safeJson(data) : lines.join('\n');
  return writeTo(stdout, `${text}\n`) ? approvalExitCodes.ok : approvalExitCodes.unread;
}
