/** Signs the answer of a person to exactly the approval that was read. */

import { sign } from 'node:crypto';
import { BridleError } from '../../kernel/errors.ts';
import type { SigningKey } from './key-ring.ts';
import { answererProblem, signedText } from './answer-problem.ts';
import { answerRelation } from './process-relation.ts';
import { recordDigest } from './approval-digest.ts';
import type { ApprovalRecord, ApproverAnswer, SignedAnswer } from './approval-record.ts';
import { approverAnswerProblem } from './approver-answer.ts';
import { hostProof, isHost } from './host-proof.ts';
import { processOrigin } from './process-tree.ts';

/** Signs an answer to a record. Throws APPROVAL_REFUSED if the answer could not count. */
export function signAnswer(credential: SigningKey, record: ApprovalRecord, answer: ApproverAnswer): SignedAnswer {
  return checkAndSign(credential, record, { answer, host: undefined });
}

/** Like `signAnswer`, for the approver that this process opened: it may answer questions of this process. */
export function signAnswerInHost(credential: SigningKey, record: ApprovalRecord, answer: ApproverAnswer): SignedAnswer {
  const { id: approval, digest } = record;
  return checkAndSign(credential, record, { answer, host: hostProof({ approval, digest, by: credential.name }) });
}

type AnswerToSign = Pick<SignedAnswer, 'answer' | 'host'>;

function checkAndSign(credential: SigningKey, record: ApprovalRecord, { answer, host }: AnswerToSign): SignedAnswer {
  const { name: by, id: key, privateKey } = credential;
  const from = processOrigin();
  const isOwn = host !== undefined && isHost(from, record.asker);
  const problem =
    recordProblem(record) ??
    approverAnswerProblem(answer, record) ??
    answererProblem(by, record) ??
    (isOwn ? undefined : processProblem(answerRelation(from, record.asker)));
  if (problem !== undefined) {
    throw new BridleError('APPROVAL_REFUSED', `The answer to approval ${record.id} was not signed: ${problem}.`);
  }
  const remembers = answer.remember === undefined ? undefined : record.remembers;
  const { id: approval, digest } = record;
  const unsigned = { answer, approval, digest, by, at: Date.now(), from, host, remembers, key };
  const signature = sign(null, Buffer.from(signedText(unsigned)), privateKey).toString('base64url');
  return { ...unsigned, signature };
}

/** What is shown must match what is signed. */
function recordProblem(record: ApprovalRecord): string | undefined {
  return recordDigest(record) === record.digest
    ? undefined
    : 'the record was modified: what it shows is not what would be approved';
}

function processProblem(relation: ReturnType<typeof answerRelation>): string | undefined {
  return relation.type === 'apart' ? undefined : relation.why;
}
