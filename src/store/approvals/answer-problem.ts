/** Why a signed answer does not count: who may answer, from where, and about what is all in the signature. */

import { verify } from 'node:crypto';
import { messageOf } from '../../errors.ts';
import { exactBytes } from '../../journal/exact-bytes.ts';
import type { TrustedKey } from '../keys/key-ring.ts';
import { placeOfAnswer } from './answer-place.ts';
import { canonical } from './approval-digest.ts';
import type { ApprovalRecord, ProcessMark, SignedAnswer } from './approval-record.ts';
import { givenAnswerProblem } from './given-answer.ts';
import { hostProofProblem, isHost } from './host-proof.ts';

export interface Judging {
  /** The keys whose answers count. */
  readonly trusted: readonly TrustedKey[];
  /** The process that asks now, which may be another than the one that asked first. */
  readonly own: ProcessMark;
}

/** The parts of a record that an answer is about. */
export type Answerable = Pick<ApprovalRecord, 'id' | 'digest' | 'answerers' | 'asker' | 'remembers' | 'proposal'>;

/** Undefined if the answer counts. */
export function answerProblem(signed: SignedAnswer, record: Answerable, judging: Judging): string | undefined {
  const { own, trusted } = judging;
  try {
    return (
      subjectProblem(signed, record) ??
      signatureProblem(signed, trusted) ??
      givenAnswerProblem(signed.answer, record) ??
      answererProblem(signed.by, record) ??
      placeProblem(signed, [record.asker, own])
    );
  } catch (error) {
    // A row can hold anything.
    return `it cannot be read: ${messageOf(error)}`;
  }
}

/** Who may answer, by name. */
export function answererProblem(by: string, { answerers }: Pick<Answerable, 'answerers'>): string | undefined {
  if (answerers === undefined || answerers.includes(by)) return undefined;
  return `${by} is not among those who may answer: ${answerers.join(', ') || 'nobody'}`;
}

function subjectProblem({ approval, digest, answer, remembers }: SignedAnswer, record: Answerable): string | undefined {
  if (approval !== record.id) return `it is about another approval, ${approval}`;
  if (digest !== record.digest) return 'it is about another call than this approval';
  const isRemembered = answer.remember !== undefined;
  const [wanted, given] = [isRemembered ? record.remembers : undefined, remembers];
  return canonical([wanted]) === canonical([given]) ? undefined : 'what it is remembered for is something else';
}

/** Whether a key that counts here has signed exactly this, for the person it belongs to. */
export function signatureProblem(signed: SignedAnswer, trusted: readonly TrustedKey[]): string | undefined {
  const { by, key: id, signature } = signed;
  const key = trusted.find((each) => each.id === id);
  if (key === undefined) return `its key ${id} is not trusted here (${by})`;
  if (key.name !== by) return `it says ${by}, and its key belongs to ${key.name}`;
  const bytes = exactBytes(signature, 'base64url');
  const isSigned = bytes !== undefined && verify(null, Buffer.from(signedText(signed)), key.publicKey, bytes);
  return isSigned ? undefined : 'its signature does not fit';
}

/** An answer of the process that asks counts only if it was given through the approver that this process opened. */
function placeProblem(signed: SignedAnswer, askers: readonly ProcessMark[]): string | undefined {
  const { from, host } = signed;
  for (const asker of askers) {
    const place = placeOfAnswer(from, asker);
    if (place.type === 'apart' || (host !== undefined && isHost(from, asker))) continue;
    return place.why;
  }
  return hostProofProblem(signed);
}

/** What is signed: everything but the signature itself. */
export function signedText(signed: Omit<SignedAnswer, 'signature'> & { readonly signature?: string }): string {
  const { signature: _, ...rest } = signed;
  return `bridle answer 1\n${canonical([rest])}`;
}
