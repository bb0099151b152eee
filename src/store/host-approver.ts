/**
 * The approver of the process that hosts agents (Q07): one server runs agents and answers their questions. It is opened
 * with a key before the first session, so code inside a session cannot open one. Only the code that opened it has a
 * reference to it: no context, hook, tool or agent loop can reach it.
 */

import { createPublicKey, KeyObject } from 'node:crypto';
import { BridleError } from '../kernel/errors.ts';
import { hasSessionStarted } from '../kernel/guard/session.ts';
import type { ApprovalRecord, ApproverAnswer } from '../approvals/signing/approval-record.ts';
import type { Approvals } from './approvals/approvals.ts';
import { signAnswerInHost } from '../approvals/signing/signed-answer.ts';
import { fingerprint } from './keys/key-files.ts';
import type { KeyRing, SigningKey } from '../approvals/signing/key-ring.ts';

export interface HostApprover {
  /** The name of the person whose key it was opened with. */
  readonly name: string;
  /**
   * Signs an answer to an approval and records it. `won` is false if another answer came first or the approval expired.
   * Throws APPROVAL_REFUSED if the answer cannot count.
   */
  answer(id: string, answer: ApproverAnswer): Promise<{ readonly won: boolean; readonly record: ApprovalRecord }>;
  /** Forgets the key. It cannot answer afterwards. */
  close(): void;
}

interface ApprovalsAndKeys {
  readonly approvals: Approvals;
  readonly keys: KeyRing;
}

export function openHostApprover({ approvals, keys }: ApprovalsAndKeys, key: SigningKey): HostApprover {
  checkKey(key);
  if (hasSessionStarted()) {
    throw new BridleError(
      'APPROVAL_REFUSED',
      'openApprover was called too late: a session has already started in this process. Call it before the first session.',
    );
  }
  checkTrust(key, keys);
  // Copied: later changes to the caller's object have no effect.
  let signingKey: SigningKey | undefined = Object.freeze({ ...key });
  const { name } = signingKey;
  return Object.freeze({
    name,
    answer: async (id: string, answer: ApproverAnswer) => {
      if (signingKey === undefined) throw new BridleError('APPROVAL_REFUSED', `The approver of ${name} is closed.`);
      const record = await approvals.find(id);
      if (record === undefined) throw new BridleError('APPROVAL_REFUSED', `There is no approval ${id} in this store.`);
      return approvals.answer(signAnswerInHost(signingKey, record, answer));
    },
    close: () => {
      signingKey = undefined;
    },
  });
}

/** Checks that the private key matches its id. Otherwise every answer would fail later. */
function checkKey(key: unknown): asserts key is SigningKey {
  const { name, id, privateKey } = (key ?? {}) as Partial<SigningKey>;
  const isKey =
    typeof name === 'string' &&
    privateKey instanceof KeyObject &&
    privateKey.type === 'private' &&
    privateKey.asymmetricKeyType === 'ed25519';
  if (isKey && fingerprint(createPublicKey(privateKey)) === id) return;
  const remedy = 'pass the key of a person, from openApproverKey({ folder, name, passphrase })';
  throw new BridleError('OPTION_INVALID', `openApprover: this is not an approver key: ${remedy}`);
}

function checkTrust({ name, id }: SigningKey, keys: KeyRing): void {
  if (keys.approverKeys().some((each) => each.id === id && each.name === name)) return;
  const remedy = `copy ${name}.pub into ${keys.folder}/approvers, or create a key with createApproverKey`;
  throw new BridleError('STORE_KEYS', `The key ${id} of ${name} is not trusted by this store: ${remedy}.`);
}
