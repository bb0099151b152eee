/**
 * Masks secrets in records before they are shown. The store must hold the originals: answers are signed as they were
 * typed, and a run continues with its original input.
 */

import type { Mask } from '../../kernel/approval.ts';
import { maskSecrets } from '../../redact/mask-secrets.ts';
import type { ApprovalRecord } from '../../approvals/signing/approval-record.ts';
import type { RunRecord } from '../../store/runs/run-record.ts';
import type { Store } from '../../store/store.ts';

/** The store's mask: a secret gets the same placeholder as in the journal. */
export function maskOf({ keys }: Pick<Store, 'keys'>): Mask {
  return maskSecrets({ key: keys.secret('masks') });
}

export function maskedApproval(record: ApprovalRecord, mask: Mask): ApprovalRecord {
  const { answer } = record;
  return answer === undefined ? record : { ...record, answer: { ...answer, answer: mask(answer.answer) } };
}

/** The fields are masked together, so a secret found in one is also masked in the others. */
export function maskedRun(run: RunRecord, mask: Mask): RunRecord {
  const { input, output, error } = run;
  return { ...run, ...mask({ input, output, error }) };
}
