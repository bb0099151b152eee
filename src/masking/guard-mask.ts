/** A mask as a guard uses it: where it fails, nothing is kept and nothing told. */

import type { Mask } from '../approval.ts';

/** What is told instead of an event that could not be masked. */
interface Untold {
  readonly type: 'journal_failed';
  readonly message: string;
}

export class GuardMask {
  constructor(private readonly mask: Mask | undefined) {}

  /** For what is kept or shown. Throws if the mask does. */
  of<T>(value: T): T {
    return this.mask === undefined ? value : this.mask(value);
  }

  /** Without secrets that are named elsewhere: in the args of a call, say. Whatever comes of it is masked once more. */
  beside<T>(named: unknown, value: T): T {
    return this.tried(value, () => (this.of(named) === named ? value : this.of([value, named] as const)[0]));
  }

  /** {@link of} for what is given to {@link of} later: what is masked already stays the same object. */
  early<T>(value: T): T {
    return this.tried(value, () => this.of(value));
  }

  /** For events. Pieces of an answer are the answer itself: in them nothing can be masked. */
  told<T extends { readonly type: string }>(body: T): T | Untold {
    if (body.type === 'text_delta' || body.type === 'thinking_delta') return body;
    const message = `the mask failed, so an event is left out: ${body.type}`;
    return this.tried<T | Untold>({ type: 'journal_failed', message }, () => this.of(body));
  }

  private tried<T>(otherwise: T, work: () => T): T {
    try {
      return work();
    } catch {
      return otherwise;
    }
  }
}
