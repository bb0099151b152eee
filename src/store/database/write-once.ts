/** A commit whose reply was lost: it may or may not have been committed. */

import { BridleError } from '../../kernel/errors.ts';

export class UnknownCommitOutcome extends BridleError {
  constructor(at: string, cause: unknown) {
    const text =
      'the connection was lost during a commit, so the change may or may not be saved. Check before you repeat it.';
    super('STORE_FAILED', `The store ${at}: ${text}`, { cause });
  }
}

const maxTries = 3;

/**
 * Writes something exactly once. If the reply of a commit is lost, `findCommitted` looks for the change before the next
 * try. It is not needed if writing twice is harmless.
 */
export async function writeOnce<T>(write: () => Promise<T>, findCommitted?: () => Promise<T | undefined>): Promise<T> {
  let isUncertain = false;
  for (let tries = 1; ; tries++) {
    try {
      return await write();
    } catch (error) {
      const mayRetry = error instanceof UnknownCommitOutcome && tries < maxTries;
      isUncertain ||= error instanceof UnknownCommitOutcome;
      // A commit that was still in progress at the first look shows up in a later try.
      const found = isUncertain ? await findCommitted?.() : undefined;
      if (found !== undefined) return found;
      if (!mayRetry) throw error;
    }
  }
}
