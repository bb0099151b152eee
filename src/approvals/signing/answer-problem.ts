/** Checks a signed answer: the signature covers who answered, from where, and what was approved. */

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
  /** The trusted approver keys. */
  readonly trusted: readonly TrustedKey[];
  /** The process that asks now. It may differ from the one that first asked. */
  readonly own: ProcessIdentity;
}

/** The fields of a record that an answer is checked against. */
export type AnswerableRecord = Pick<ApprovalRecord, 'id' | 'digest' | 'answerers' | 'asker' | 'remembers' | 'proposal'>;

/** Why an answer does not count; undefined if it counts. */
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
    // A row can contain anything.
    return `it cannot be read: ${messageOf(error)}`;
  }
}

/** Checks the name of the answerer. */
export function answererProblem(by: string, { answerers }: Pick<AnswerableRecord, 'answerers'>): string | undefined {
  if (answerers === undefined || answerers.includes(by)) return undefined;
  return `${by} may not answer; allowed: ${answerers.join(', ') || 'nobody'}`;
}

function subjectProblem(
  { approval, digest, answer, remembers }: SignedAnswer,
  record: AnswerableRecord,
): string | undefined {
  if (approval !== record.id) return `it is for another approval, ${approval}`;
  if (digest !== record.digest) return 'it is for a different call';
  const isRemembered = answer.remember !== undefined;
  const [wanted, given] = [isRemembered ? record.remembers : undefined, remembers];
  return canonicalParts([wanted]) === canonicalParts([given]) ? undefined : 'it would be remembered for something else';
}

/** Checks that a trusted key of this person signed exactly this answer. */
export function answerSignatureProblem(signed: SignedAnswer, trusted: readonly TrustedKey[]): string | undefined {
  const { by, key: id, signature } = signed;
  const key = trusted.find((each) => each.id === id);
  if (key === undefined) return `its key ${id} is not trusted here (${by})`;
  if (key.name !== by) return `it names ${by}, but its key belongs to ${key.name}`;
  const bytes = decodeStrictBase64(signature, 'base64url');
  const isSigned = bytes !== undefined && verify(null, Buffer.from(signedText(signed)), key.publicKey, bytes);
  return isSigned ? undefined : 'its signature is invalid';
}

/** An answer from the asking process counts only if it came through the approver that this process opened. */
function processProblem(signed: SignedAnswer, askers: readonly ProcessIdentity[]): string | undefined {
  const { from, host } = signed;
  for (const asker of askers) {
    const relation = answerRelation(from, asker);
    if (relation.type === 'apart' || (host !== undefined && isHost(from, asker))) continue;
    return relation.why;
  }
  return hostProofProblem(signed);
}

/** The signed text: everything except the signature. */
export function signedText(signed: Omit<SignedAnswer, 'signature'> & { readonly signature?: string }): string {
  const { signature: _, ...rest } = signed;
  return `bridle answer 1\n${canonicalParts([rest])}`;
}
