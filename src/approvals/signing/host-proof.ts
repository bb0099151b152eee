/**
 * Proves that an answer was given through an approver that this process opened (Q07). The secret stays in the memory of
 * the process, so a child process or another thread cannot make the proof, even with the key.
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

/** Checks an answer that claims to come from the host process. Only that process itself can check it. */
export function hostProofProblem(signed: SignedAnswer): string | undefined {
  const { host, from } = signed;
  if (host === undefined || !isHost(from, processIdentity())) return undefined;
  const [given, expected] = [Buffer.from(String(host)), Buffer.from(hostProof(signed))];
  const isProven = given.length === expected.length && timingSafeEqual(given, expected);
  return isProven ? undefined : 'it was not given through the approver that this process opened';
}

/** True if the answer comes from exactly this process, not from one it started. */
export function isHost(from: ProcessIdentity, asker: ProcessIdentity): boolean {
  return from.realm === asker.realm && from.pid === asker.pid && from.started === asker.started;
}
