/** Masks secrets for a guard. If the mask fails, nothing is recorded and no event is emitted. */

import type { Mask } from '../approval.ts';

interface MaskFailure {
  readonly type: 'journal_failed';
  readonly message: string;
}

/** A linear search is faster than a table for so few items. */
const maxCleanArgs = 32;

export class RecordMask {
  /** Recent args without secrets. They are frozen, and every event of their call contains them again. */
  private readonly cleanArgs: unknown[] = [];
  private next = 0;

  constructor(private readonly mask: Mask | undefined) {}

  /** Masks a value that is recorded or shown. Throws if the mask does. */
  apply<T>(value: T): T {
    return this.mask === undefined ? value : this.mask(value);
  }

  /** {@link apply}, for a value that contains the args of a call. */
  applyToCall<T>(value: T, args: unknown): T {
    const masked = this.apply(value);
    if (masked === value) this.cleanArgs[this.next++ % maxCleanArgs] = args;
    return masked;
  }

  /** Masks secrets in a value that only the args of its call reveal. The result is masked once more later. */
  maskSecretsOfArgs<T>(args: object, value: T): T {
    if (this.mask === undefined || this.cleanArgs.includes(args)) return value;
    return this.withFallback(value, () => (this.apply(args) === args ? value : this.apply([value, args] as const)[0]));
  }

  /** Masks an event. Deltas of an answer are not masked, because a secret may be split across several. */
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
