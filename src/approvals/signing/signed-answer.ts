/**
 * Signs the answer of a person to exactly the approval that was read, and checks signed answers. The signature covers who
 * answered, from where, and what was approved.
 */

import { createHmac, randomBytes, sign, timingSafeEqual, verify } from 'node:crypto';
import type { ApprovalRequest, RememberDuration } from '../../kernel/approval.ts';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import { copyJson } from '../../kernel/json.ts';
import { kindOf } from '../../kernel/kind-of.ts';
import { lazy } from '../../kernel/lazy.ts';
import { defaultLimits } from '../../kernel/limits.ts';
import { decodeStrictBase64 } from '../../files/strict-base64.ts';
import { canonicalParts, recordDigest } from './approval-digest.ts';
import type { ApprovalRecord, ApproverAnswer, ProcessIdentity, SignedAnswer } from './approval-record.ts';
import type { SigningKey, TrustedKey } from './key-ring.ts';
import { answerRelation, isSameProcess } from './process-relation.ts';
import { processIdentity, processOrigin } from './process-tree.ts';

const hostSecret = lazy(() => randomBytes(32));

/** The fields of an answer. */
const answerFields: Readonly<Record<ApproverAnswer['type'], readonly string[]>> = {
  approve: ['type', 'args', 'remember', 'rule'],
  deny: ['type', 'reason', 'remember'],
};

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
  const relation = answerRelation(from, record.asker);
  const problem =
    recordProblem(record) ??
    approverAnswerProblem(answer, record) ??
    answererProblem(by, record) ??
    (isOwn || relation.type === 'apart' ? undefined : relation.why);
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

/**
 * Proves that an answer was given through an approver that this process opened (Q07). The secret stays in the memory of
 * the process, so a child process or another thread cannot make the proof, even with the key.
 */
function hostProof({ approval, digest, by }: Pick<SignedAnswer, 'approval' | 'digest' | 'by'>): string {
  return createHmac('sha256', hostSecret())
    .update(JSON.stringify([approval, digest, by]))
    .digest('hex');
}

/** Checks an answer that claims to come from the host process. Only that process itself can check it. */
function hostProofProblem(signed: SignedAnswer): string | undefined {
  const { host, from } = signed;
  if (host === undefined || !isHost(from, processIdentity())) return undefined;
  const [given, expected] = [Buffer.from(String(host)), Buffer.from(hostProof(signed))];
  const isProven = given.length === expected.length && timingSafeEqual(given, expected);
  return isProven ? undefined : 'it was not given through the approver that this process opened';
}

/** True if the answer comes from exactly this process, not from one it started. */
function isHost(from: ProcessIdentity, asker: ProcessIdentity): boolean {
  return from.realm === asker.realm && isSameProcess(from, asker);
}

/** Why it is not a valid answer to this approval; undefined if it is. */
function approverAnswerProblem(
  answer: ApproverAnswer,
  { proposal }: Pick<ApprovalRecord, 'proposal'>,
): string | undefined {
  if (!Object.hasOwn(answerFields, answer.type)) return 'it must approve or deny';
  const unknownField = Object.keys(answer).find((name) => !answerFields[answer.type].includes(name));
  if (unknownField !== undefined) return `it has the unknown field ${JSON.stringify(unknownField)}`;
  const problem = answer.remember === undefined ? undefined : rememberProblem(answer.remember);
  return problem ?? (answer.type === 'deny' ? reasonProblem(answer.reason) : approvalProblem(answer, proposal));
}

function approvalProblem(
  { args, remember, rule }: Extract<ApproverAnswer, { type: 'approve' }>,
  proposal: string | undefined,
): string | undefined {
  if (args !== undefined) {
    if (kindOf(args) !== 'an object') return `its args must be an object, not ${kindOf(args)}`;
    const { problem } = copyJson(args, { bytes: defaultLimits.argsBytes, depth: defaultLimits.depth });
    if (problem !== undefined) return `its args are invalid: they ${problem}`;
    if (remember !== undefined) return 'edited args are approved once and cannot be remembered';
  }
  if (rule !== undefined && typeof rule !== 'boolean') return 'its "rule" must be true or false';
  if (rule !== true) return undefined;
  if (proposal === undefined) return 'it accepts a rule, but none was proposed';
  return remember === undefined ? 'it accepts a rule, but does not say for how long' : undefined;
}

function rememberProblem(remember: RememberDuration): string | undefined {
  if (remember === 'turn' || remember === 'session') return undefined;
  const { ms } = (remember ?? {}) as { readonly ms?: unknown };
  const isTime = typeof ms === 'number' && Number.isFinite(ms) && ms > 0;
  return isTime ? undefined : 'its "remember" must be "turn", "session" or { ms }';
}

function reasonProblem(reason: unknown): string | undefined {
  if (reason === undefined) return undefined;
  if (typeof reason !== 'string') return 'its reason must be a string';
  const max = defaultLimits.reasonLength;
  return reason.length > max ? `its reason is longer than ${max} characters` : undefined;
}

/** True if only a signed answer counts: a rule with `approval: signed` asks. */
export function needsSignature({ questions }: ApprovalRequest): boolean {
  return questions.some(({ rule }) => rule?.approval === 'signed');
}
