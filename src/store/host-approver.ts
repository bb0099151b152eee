/**
 * The approver of the process that hosts agents (Q07): one server runs agents and answers their questions. It is opened
 * with a key before the first session, so code that runs inside a session cannot open one. Nothing refers to it but the
 * code that opened it: no context, hook, tool or core can reach it.
 */

import { createPublicKey, KeyObject } from 'node:crypto';
import { BridleError } from '../kernel/errors.ts';
import { hasSessionStarted } from '../kernel/guard/first-session.ts';
import type { ApprovalRecord, ApproverAnswer } from '../approvals/signing/approval-record.ts';
import type { Approvals } from './approvals/approvals.ts';
import { signAnswerInHost } from '../approvals/signing/sign-answer.ts';
import { fingerprint } from './keys/key-files.ts';
import type { KeyRing, SigningKey } from '../approvals/signing/key-ring.ts';

export interface HostApprover {
  /** The person whose key it was opened with. */
  readonly name: string;
  /**
   * Signs an answer to an approval and records it. `won` is false if somebody else was faster, or the time is over.
   * APPROVAL_REFUSED if the answer cannot count.
   */
  answer(id: string, answer: ApproverAnswer): Promise<{ readonly won: boolean; readonly record: ApprovalRecord }>;
  /** Forgets the key; no answer can be given afterwards. */
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
      'openApprover comes too late: a session has begun in this process. Open it before the first session starts.',
    );
  }
  checkTrust(key, keys);
  // Read once: what the caller does to the object later changes nothing.
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

/** The private key must be the one it claims to be, or its answers would fail later, one by one. */
function checkKey(key: unknown): asserts key is SigningKey {
  const { name, id, privateKey } = (key ?? {}) as Partial<SigningKey>;
  const isKey =
    typeof name === 'string' &&
    privateKey instanceof KeyObject &&
    privateKey.type === 'private' &&
    privateKey.asymmetricKeyType === 'ed25519';
  if (isKey && fingerprint(createPublicKey(privateKey)) === id) return;
  const remedy = 'give the key of a person, from openApproverKey({ folder, name, passphrase })';
  throw new BridleError('OPTION_INVALID', `openApprover: this is not a key to answer with: ${remedy}`);
}

function checkTrust({ name, id }: SigningKey, keys: KeyRing): void {
  if (keys.approverKeys().some((each) => each.id === id && each.name === name)) return;
  const remedy = `copy ${name}.pub into ${keys.folder}/approvers, or make a key with makeApproverKey`;
  throw new BridleError('STORE_KEYS', `The key ${id} of ${name} is not trusted by this store: ${remedy}.`);
}
