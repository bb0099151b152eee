/** Grants: what is one, and which of several counts. */

import type { Grant } from './call.ts';

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

const grantFields = new Set(['timeoutMs', 'outputBytes', 'approvalMs']);

/** What is wrong with something that should be a grant; nothing is fine too. */
export function grantProblems(grant: unknown): readonly string[] {
  if (grant === undefined) return [];
  if (typeof grant !== 'object' || grant === null || Array.isArray(grant)) return ['grant is not an object'];
  return Object.entries(grant).flatMap(([field, value]: [string, unknown]) => {
    if (!grantFields.has(field)) return [`grant has an unknown field "${field}"`];
    const fine = value === undefined || (typeof value === 'number' && Number.isFinite(value) && value > 0);
    return fine ? [] : [`grant.${field} is not a number above 0`];
  });
}
