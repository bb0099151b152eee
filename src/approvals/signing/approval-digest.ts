/**
 * Hashes that bind an answer to what was asked. `callDigest` covers args before masking, so it is keyed. `digest` covers
 * `callDigest` and everything a person is shown. The signer can recompute it, so a record that was modified to show
 * something else does not match its own digest.
 */

import { createHash, createHmac } from 'node:crypto';
import type { ApprovalQuestion, ApprovalRequest, RememberedRule } from '../../kernel/approval.ts';
import { canonicalText, copyJson } from '../../kernel/json.ts';
import { BridleError } from '../../kernel/errors.ts';
import { realPathOf } from '../../facts/paths/resolve/resolve-path.ts';
import type { KeyRing } from './key-ring.ts';
import type { ApprovalDraft, AskedQuestion, RememberBinding } from './approval-record.ts';

type Keys = Pick<KeyRing, 'secret'>;

/** The input of a digest. A record stores all of it. */
export type DigestParts = Pick<
  ApprovalDraft,
  | 'callDigest'
  | 'session'
  | 'agent'
  | 'tool'
  | 'server'
  | 'policyVersion'
  | 'questions'
  | 'shown'
  | 'proposal'
  | 'remembers'
>;

/** Everything that an answer to this request approves, as a record stores it, and its digest. */
export function approvalSubject(request: ApprovalRequest, keys: Keys): DigestParts & Pick<ApprovalDraft, 'digest'> {
  const { call, policyVersion, shown, proposal } = request;
  const { session, agent, tool, server } = call;
  const parts = {
    callDigest: callDigest(request, keys),
    session,
    agent,
    tool,
    server,
    policyVersion,
    shown,
    questions: askedQuestions(request.questions),
    proposal: proposal?.text,
    remembers: rememberBinding(request, keys),
  };
  return { ...parts, digest: recordDigest(parts) };
}

/** The digest of a record, computed from what it shows. */
export function recordDigest(parts: DigestParts): string {
  const { callDigest: call, session, agent, tool, server, policyVersion, questions, shown, proposal } = parts;
  const { group, rule } = parts.remembers;
  const asked = questions.map(({ text, rule: by, hook }) => [text, by, hook]);
  const text = canonicalParts([call, session, agent, tool, server, policyVersion, asked, shown, proposal, group, rule]);
  return createHash('sha256').update(`bridle approval 1\n${text}`).digest('hex');
}

/** The call alone, with its real folder but without inodes: a run may continue where the files have other inodes. */
export function callDigest({ call, paths }: Pick<ApprovalRequest, 'call' | 'paths'>, keys: Keys): string {
  const { session, agent, tool, server, args, cwd } = call;
  const resolved = paths.map(({ at, path }) => [at, path]);
  const folder = cwd === undefined ? undefined : realPathOf(cwd);
  return keyedHash('call', [session, agent, tool, server, args, folder, resolved], keys);
}

/** What a remembered answer to this request is bound to. */
export function rememberBinding(
  { call, questions, policyVersion, proposal }: ApprovalRequest,
  keys: Keys,
): RememberBinding {
  const { session, agent, tool, server, cwd, turn } = call;
  const sources = questions.map(({ rule, hook }) => [rule?.name, rule?.at, rule?.effect, rule?.target, hook]);
  return {
    group: keyedHash('group', [session, agent, tool, server, cwd, policyVersion, sources], keys),
    rule: proposal === undefined ? undefined : ruleHash(proposal, keys),
    turn,
  };
}

export function ruleHash({ text, data }: RememberedRule, keys: Keys): string {
  return keyedHash('rule', [text, data], keys);
}

/** Questions as records store them, each with its rule and the rule's location. */
function askedQuestions(questions: readonly ApprovalQuestion[]): readonly AskedQuestion[] {
  return questions.map(({ text, rule, hook }) => ({
    text,
    rule: rule && (rule.at === undefined ? rule.name : `${rule.name} (${rule.at})`),
    hook,
  }));
}

function keyedHash(what: string, parts: readonly unknown[], keys: Keys): string {
  return createHmac('sha256', keys.secret('digests'))
    .update(`${what}\n${canonicalParts(parts)}`)
    .digest('hex');
}

const limits = { bytes: 64 * 1024 * 1024, depth: 128 };

/** Canonical JSON: sorted keys; `undefined` is omitted from objects and becomes null in lists. */
export function canonicalParts(value: readonly unknown[]): string {
  const copy = copyJson(value.map(orNull), limits);
  if (copy.problem !== undefined) throw new BridleError('NOT_JSON', `The call to approve ${copy.problem}`);
  return canonicalText(copy.value);
}

function orNull(value: unknown): unknown {
  if (value === undefined) return null;
  return Array.isArray(value) ? value.map(orNull) : value;
}
