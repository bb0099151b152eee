/** A mask as a guard uses it: where it fails, nothing is kept and nothing told. */

import type { Mask } from '../approval.ts';

/** What is told instead of an event that could not be masked. */
interface MaskFailure {
  readonly type: 'journal_failed';
  readonly message: string;
}

/** Looked through one by one, which is quicker than any table as long as they are few. */
const maxCleanArgs = 32;

export class RecordMask {
  /** Args that were last found to hold no secret: they are frozen, and come again with whatever is told of their call. */
  private readonly cleanArgs: unknown[] = [];
  private next = 0;

  constructor(private readonly mask: Mask | undefined) {}

  /** For what is kept or shown. Throws if the mask does. */
  apply<T>(value: T): T {
    return this.mask === undefined ? value : this.mask(value);
  }

  /** {@link apply} for what holds the args of a call. */
  applyToCall<T>(value: T, args: unknown): T {
    const masked = this.apply(value);
    if (masked === value) this.cleanArgs[this.next++ % maxCleanArgs] = args;
    return masked;
  }

  /** Without secrets that are named in the args of a call. Whatever comes of it is masked once more. */
  maskSecretsOfArgs<T>(args: object, value: T): T {
    if (this.mask === undefined || this.cleanArgs.includes(args)) return value;
    return this.withFallback(value, () => (this.apply(args) === args ? value : this.apply([value, args] as const)[0]));
  }

  /** For events. Pieces of an answer are the answer itself: in them nothing can be masked. */
  maskEvent<T extends { readonly type: string }>(body: T): T | MaskFailure {
    if (body.type === 'text_delta' || body.type === 'thinking_delta') return body;
    const message = `the mask failed, so an event is left out: ${body.type}`;
    return this.withFallback<T | MaskFailure>({ type: 'journal_failed', message }, () => this.apply(body));
  }

  private withFallback<T>(otherwise: T, work: () => T): T {
    try {
      return work();
    } catch {
      return otherwise;
    }
  }
}
