/** The mask of a guard. If it fails, nothing is stored or reported unmasked. */

import type { Mask } from '../approval.ts';

/** Replaces an event that could not be masked. */
interface MaskFailure {
  readonly type: 'journal_failed';
  readonly message: string;
}

/** A linear search is faster than a table for so few entries. */
const maxCleanArgs = 32;

export class RecordMask {
  /** Args recently found to contain no secret. They are frozen, and recur in every record of their call. */
  private readonly cleanArgs: unknown[] = [];
  private next = 0;

  constructor(private readonly mask: Mask | undefined) {}

  /** Masks what is stored or shown. Throws if the mask throws. */
  apply<T>(value: T): T {
    return this.mask === undefined ? value : this.mask(value);
  }

  /** {@link apply} for a value that contains the args of a call. */
  applyToCall<T>(value: T, args: unknown): T {
    const masked = this.apply(value);
    if (masked === value) this.cleanArgs[this.next++ % maxCleanArgs] = args;
    return masked;
  }

  /** Masks secrets that the args of a call name. The caller masks the result once more. */
  maskSecretsOfArgs<T>(args: object, value: T): T {
    if (this.mask === undefined || this.cleanArgs.includes(args)) return value;
    return this.withFallback(value, () => (this.apply(args) === args ? value : this.apply([value, args] as const)[0]));
  }

  /** Masks an event. Deltas of an answer pass through: a piece is too small to recognise a secret in it. */
  maskEvent<T extends { readonly type: string }>(body: T): T | MaskFailure {
    if (body.type === 'text_delta' || body.type === 'thinking_delta') return body;
    const message = `masking failed, so an event was dropped: ${body.type}`;
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
