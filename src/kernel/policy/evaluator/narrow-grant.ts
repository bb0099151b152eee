/** Combining grants. */

import type { Grant } from '../../call.ts';

/** The narrower of two grants, field by field. The result is frozen because hooks and tools see it. */
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
