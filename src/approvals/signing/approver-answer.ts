/** What a person may say to an approval: the shape of it, and what fits together. */

import type { RememberDuration } from '../../kernel/approval.ts';
import { copyJson } from '../../kernel/json.ts';
import { kindOf } from '../../kernel/kind-of.ts';
import { defaultLimits } from '../../kernel/limits.ts';
import type { ApprovalRecord, ApproverAnswer } from './approval-record.ts';

const fields: Readonly<Record<ApproverAnswer['type'], readonly string[]>> = {
  approve: ['type', 'args', 'remember', 'rule'],
  deny: ['type', 'reason', 'remember'],
};

/** Undefined if it is an answer to this approval. */
export function approverAnswerProblem(
  answer: ApproverAnswer,
  { proposal }: Pick<ApprovalRecord, 'proposal'>,
): string | undefined {
  if (!Object.hasOwn(fields, answer.type)) return 'it is neither an approval nor a denial';
  const unknownField = Object.keys(answer).find((name) => !fields[answer.type].includes(name));
  if (unknownField !== undefined) return `it holds ${JSON.stringify(unknownField)}, which is no part of an answer`;
  const problem = answer.remember === undefined ? undefined : rememberProblem(answer.remember);
  return problem ?? (answer.type === 'deny' ? reasonProblem(answer.reason) : approvalProblem(answer, proposal));
}

function approvalProblem(
  { args, remember, rule }: Extract<ApproverAnswer, { type: 'approve' }>,
  proposal: string | undefined,
): string | undefined {
  if (args !== undefined) {
    if (kindOf(args) !== 'an object') return `its args are not an object but ${kindOf(args)}`;
    const { problem } = copyJson(args, { bytes: defaultLimits.argsBytes, depth: defaultLimits.depth });
    if (problem !== undefined) return `its args are not usable: they ${problem}`;
    if (remember !== undefined) return 'edited args are approved once: what is remembered is the call that was shown';
  }
  if (rule !== undefined && typeof rule !== 'boolean') return 'its "rule" is neither true nor false';
  if (rule !== true) return undefined;
  if (proposal === undefined) return 'it accepts a rule, and none was proposed';
  return remember === undefined ? 'it accepts a rule and does not say for how long' : undefined;
}

function rememberProblem(remember: RememberDuration): string | undefined {
  if (remember === 'turn' || remember === 'session') return undefined;
  const { ms } = (remember ?? {}) as { readonly ms?: unknown };
  const isTime = typeof ms === 'number' && Number.isFinite(ms) && ms > 0;
  return isTime ? undefined : 'it is to be remembered for neither "turn", "session" nor { ms }';
}

function reasonProblem(reason: unknown): string | undefined {
  if (reason === undefined) return undefined;
  if (typeof reason !== 'string') return 'its reason is not a text';
  const max = defaultLimits.reasonLength;
  return reason.length > max ? `its reason is longer than ${max} characters` : undefined;
}
