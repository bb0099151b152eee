/** Checks the answer of a person: its fields, and which of them may be combined. */

import type { RememberDuration } from '../../kernel/approval.ts';
import { copyJson } from '../../kernel/json.ts';
import { kindOf } from '../../kernel/kind-of.ts';
import { defaultLimits } from '../../kernel/limits.ts';
import type { ApprovalRecord, ApproverAnswer } from './approval-record.ts';

const fields: Readonly<Record<ApproverAnswer['type'], readonly string[]>> = {
  approve: ['type', 'args', 'remember', 'rule'],
  deny: ['type', 'reason', 'remember'],
};

/** Why it is not a valid answer to this approval; undefined if it is. */
export function approverAnswerProblem(
  answer: ApproverAnswer,
  { proposal }: Pick<ApprovalRecord, 'proposal'>,
): string | undefined {
  if (!Object.hasOwn(fields, answer.type)) return 'it must approve or deny';
  const unknownField = Object.keys(answer).find((name) => !fields[answer.type].includes(name));
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
