/** A commit whose answer was lost: it was kept, or it was not. */

import { BridleError } from '../../errors.ts';

export class UnsureCommit extends BridleError {
  constructor(at: string, cause: unknown) {
    const text = 'the connection was lost during a commit: it may have been kept or not. Look before you do it again.';
    super('STORE_FAILED', `The store ${at}: ${text}`, { cause });
  }
}

const mostTries = 3;

/**
 * Writes what must be written once. After a commit without an answer `kept` looks for it, before it is tried again; none
 * is needed where writing again changes nothing.
 */
export async function writeOnce<T>(write: () => Promise<T>, kept?: () => Promise<T | undefined>): Promise<T> {
  let isUnsure = false;
  for (let tries = 1; ; tries++) {
    try {
      return await write();
    } catch (error) {
      const isAgain = error instanceof UnsureCommit && tries < mostTries;
      isUnsure ||= error instanceof UnsureCommit;
      // A commit that was still under way when it was looked for is what a later try runs into.
      const found = isUnsure ? await kept?.() : undefined;
      if (found !== undefined) return found;
      if (!isAgain) throw error;
    }
  }
}
