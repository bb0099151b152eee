/** Why a signed answer does not count: who may answer, from where, and about what is all in the signature. */

import { verify } from 'node:crypto';
import { messageOf } from '../../kernel/errors.ts';
import { decodeStrictBase64 } from '../../files/strict-base64.ts';
import type { TrustedKey } from './key-ring.ts';
import { answerRelation } from './process-relation.ts';
import { canonicalParts } from './approval-digest.ts';
import type { ApprovalRecord, ProcessIdentity, SignedAnswer } from './approval-record.ts';
import { approverAnswerProblem } from './approver-answer.ts';
import { hostProofProblem, isHost } from './host-proof.ts';

export interface Verifier {
  /** The keys whose answers count. */
  readonly trusted: readonly TrustedKey[];
  /** The process that asks now, which may be another than the one that asked first. */
  readonly own: ProcessIdentity;
}

/** The parts of a record that an answer is about. */
export type AnswerableRecord = Pick<ApprovalRecord, 'id' | 'digest' | 'answerers' | 'asker' | 'remembers' | 'proposal'>;

/** Undefined if the answer counts. */
export function answerProblem(signed: SignedAnswer, record: AnswerableRecord, verifier: Verifier): string | undefined {
  const { own, trusted } = verifier;
  try {
    return (
      subjectProblem(signed, record) ??
      answerSignatureProblem(signed, trusted) ??
      approverAnswerProblem(signed.answer, record) ??
      answererProblem(signed.by, record) ??
      processProblem(signed, [record.asker, own])
    );
  } catch (error) {
    // A row can hold anything.
    return `it cannot be read: ${messageOf(error)}`;
  }
}

/** Who may answer, by name. */
export function answererProblem(by: string, { answerers }: Pick<AnswerableRecord, 'answerers'>): string | undefined {
  if (answerers === undefined || answerers.includes(by)) return undefined;
  return `${by} is not among those who may answer: ${answerers.join(', ') || 'nobody'}`;
}

function subjectProblem(
  { approval, digest, answer, remembers }: SignedAnswer,
  record: AnswerableRecord,
): string | undefined {
  if (approval !== record.id) return `it is about another approval, ${approval}`;
  if (digest !== record.digest) return 'it is about another call than this approval';
  const isRemembered = answer.remember !== undefined;
  const [wanted, given] = [isRemembered ? record.remembers : undefined, remembers];
  return canonicalParts([wanted]) === canonicalParts([given])
    ? undefined
    : 'what it is remembered for is something else';
}

/** Whether a key that counts here has signed exactly this, for the person it belongs to. */
export function answerSignatureProblem(signed: SignedAnswer, trusted: readonly TrustedKey[]): string | undefined {
  const { by, key: id, signature } = signed;
  const key = trusted.find((each) => each.id === id);
  if (key === undefined) return `its key ${id} is not trusted here (${by})`;
  if (key.name !== by) return `it says ${by}, and its key belongs to ${key.name}`;
  const bytes = decodeStrictBase64(signature, 'base64url');
  const isSigned = bytes !== undefined && verify(null, Buffer.from(signedText(signed)), key.publicKey, bytes);
  return isSigned ? undefined : 'its signature does not fit';
}

/** An answer of the process that asks counts only if it was given through the approver that this process opened. */
function processProblem(signed: SignedAnswer, askers: readonly ProcessIdentity[]): string | undefined {
  const { from, host } = signed;
  for (const asker of askers) {
    const relation = answerRelation(from, asker);
    if (relation.type === 'apart' || (host !== undefined && isHost(from, asker))) continue;
    return relation.why;
  }
  return hostProofProblem(signed);
}

/** What is signed: everything but the signature itself. */
export function signedText(signed: Omit<SignedAnswer, 'signature'> & { readonly signature?: string }): string {
  const { signature: _, ...rest } = signed;
  return `bridle answer 1\n${canonicalParts([rest])}`;
}
