/** Which of several grants counts. */

import type { Grant } from '../../call.ts';

/** Of several grants the narrowest counts, field by field. Frozen, since hooks and tools get to see it. */
export function narrowGrant(grant: Grant, other: Grant | undefined): Grant {
  if (other === undefined) return Object.isFrozen(grant) ? grant : Object.freeze({ ...grant });
  return Object.freeze({
    timeoutMs: least(grant.timeoutMs, other.timeoutMs),
    outputBytes: least(grant.outputBytes, other.outputBytes),
    approvalMs: least(grant.approvalMs, other.approvalMs),
  });
}

function least(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}
