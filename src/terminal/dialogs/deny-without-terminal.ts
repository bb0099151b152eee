/** The approver where no person can be asked: it denies, and the reason says so. */

import type { Approver } from '../../kernel/approval.ts';
import { hardestQuestion, nobodyToAskReason } from '../../kernel/policy/evaluator/reasons.ts';

const noTerminal = 'there is no interactive terminal to ask';

export const denyWithoutTerminal: Approver = ({ call, questions }) => ({
  type: 'deny',
  by: 'no terminal',
  reason: nobodyToAskReason(call, hardestQuestion(questions) ?? { text: '' }, noTerminal),
});
