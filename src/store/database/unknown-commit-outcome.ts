/** A commit whose answer was lost: it was kept, or it was not. */

import { BridleError } from '../../kernel/errors.ts';

export class UnknownCommitOutcome extends BridleError {
  constructor(at: string, cause: unknown) {
    const text = 'the connection was lost during a commit: it may have been kept or not. Look before you do it again.';
    super('STORE_FAILED', `The store ${at}: ${text}`, { cause });
  }
}

const maxTries = 3;

/**
 * Writes what must be written once. After a commit without an answer `kept` looks for it, before it is tried again; none
 * is needed where writing again changes nothing.
 */
export async function writeOnce<T>(write: () => Promise<T>, findCommitted?: () => Promise<T | undefined>): Promise<T> {
  let isUncertain = false;
  for (let tries = 1; ; tries++) {
    try {
      return await write();
    } catch (error) {
      const mayRetry = error instanceof UnknownCommitOutcome && tries < maxTries;
      isUncertain ||= error instanceof UnknownCommitOutcome;
      // A commit that was still under way when it was looked for is what a later try runs into.
      const found = isUncertain ? await findCommitted?.() : undefined;
      if (found !== undefined) return found;
      if (!mayRetry) throw error;
    }
  }
}
