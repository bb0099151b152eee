/** A mask as a guard uses it: where it fails, nothing is kept and nothing told. */

import type { Mask } from '../approval.ts';

/** What is told instead of an event that could not be masked. */
interface Untold {
  readonly type: 'journal_failed';
  readonly message: string;
}

/** Looked through one by one, which is quicker than any table as long as they are few. */
const mostPlain = 32;

export class GuardMask {
  /** Args that were last found to hold no secret: they are frozen, and come again with whatever is told of their call. */
  private readonly plain: unknown[] = [];
  private next = 0;

  constructor(private readonly mask: Mask | undefined) {}

  /** For what is kept or shown. Throws if the mask does. */
  of<T>(value: T): T {
    return this.mask === undefined ? value : this.mask(value);
  }

  /** {@link of} for what holds the args of a call. */
  ofCall<T>(value: T, args: unknown): T {
    const masked = this.of(value);
    if (masked === value) this.plain[this.next++ % mostPlain] = args;
    return masked;
  }

  /** Without secrets that are named in the args of a call. Whatever comes of it is masked once more. */
  beside<T>(args: object, value: T): T {
    if (this.mask === undefined || this.plain.includes(args)) return value;
    return this.tried(value, () => (this.of(args) === args ? value : this.of([value, args] as const)[0]));
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
