/**
 * Proves that an answer was given through an approver that this process opened (Q07). The secret never leaves the memory
 * of the process, so a child process that has the key, or another thread, cannot make the proof.
 */

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { lazy } from '../../kernel/lazy.ts';
import type { ProcessIdentity, SignedAnswer } from './approval-record.ts';
import { processIdentity } from './process-tree.ts';

const secret = lazy(() => randomBytes(32));

export function hostProof({ approval, digest, by }: Pick<SignedAnswer, 'approval' | 'digest' | 'by'>): string {
  return createHmac('sha256', secret())
    .update(JSON.stringify([approval, digest, by]))
    .digest('hex');
}

/** Why an answer that claims to be given by the host process was not; only that process itself can tell. */
export function hostProofProblem(signed: SignedAnswer): string | undefined {
  const { host, from } = signed;
  if (host === undefined || !isHost(from, processIdentity())) return undefined;
  const [given, expected] = [Buffer.from(String(host)), Buffer.from(hostProof(signed))];
  const isProven = given.length === expected.length && timingSafeEqual(given, expected);
  return isProven ? undefined : 'it was not given through the approver that this process opened';
}

/** True if the answer comes from exactly this process, not from one that it has started. */
export function isHost(from: ProcessIdentity, asker: ProcessIdentity): boolean {
  return from.realm === asker.realm && from.pid === asker.pid && from.started === asker.started;
}
