/**
 * Records as they are shown. What a person has typed into an answer is signed, and what a run is about it must go on
 * with: both are kept as they are, so secrets among them are masked where they are told.
 */

import type { Mask } from '../../kernel/approval.ts';
import { maskSecrets } from '../../redact/mask-secrets.ts';
import type { ApprovalRecord } from '../../approvals/signing/approval-record.ts';
import type { RunRecord } from '../../store/runs/run-record.ts';
import type { Store } from '../../store/store.ts';

/** The mask of a store: the same secret has the same mask as in its journal. */
export function maskOf({ keys }: Pick<Store, 'keys'>): Mask {
  return maskSecrets({ key: keys.secret('masks') });
}

export function maskedApproval(record: ApprovalRecord, mask: Mask): ApprovalRecord {
  const { answer } = record;
  return answer === undefined ? record : { ...record, answer: { ...answer, answer: mask(answer.answer) } };
}

/** Masked together: a secret that one of them names is one in the others. */
export function maskedRun(run: RunRecord, mask: Mask): RunRecord {
  const { input, output, error } = run;
  return { ...run, ...mask({ input, output, error }) };
}
