/** Answers a person wants to count again: for exactly the same call, under the same policy, for a while. */

import type { Remember } from '../approval.ts';

export interface RememberedAnswer {
  readonly approvalId: string;
  readonly approved: boolean;
  readonly reason: string;
  readonly by: string;
  /** The turn it is limited to. */
  readonly turn: number | undefined;
  /** When it stops counting, by the growing clock. */
  readonly until: number;
}

/** Answers kept in one session. */
const mostAnswers = 1000;

export class Remembered {
  private readonly answers = new Map<string, RememberedAnswer>();

  get(binding: string, turn: number, now: number): RememberedAnswer | undefined {
    const found = this.answers.get(binding);
    if (found === undefined) return undefined;
    if (found.until > now && (found.turn === undefined || found.turn === turn)) return found;
    this.answers.delete(binding);
    return undefined;
  }

  keep(binding: string, answer: RememberedAnswer, now: number): void {
    if (this.answers.size >= mostAnswers) this.forget(now);
    this.answers.set(binding, answer);
  }

  /** Drops what no longer counts, and the oldest if that is not enough: being asked again is the worst that follows. */
  private forget(now: number): void {
    for (const [binding, { until }] of this.answers) if (until <= now) this.answers.delete(binding);
    for (const binding of this.answers.keys()) {
      if (this.answers.size < mostAnswers) break;
      this.answers.delete(binding);
    }
  }
}

/** How long a remembered answer counts, from now; never longer than an approval may. */
export function rememberMs(remember: Remember, approvalMs: number | undefined): number {
  const asked = typeof remember === 'object' ? remember.ms : Number.POSITIVE_INFINITY;
  return Math.min(asked, approvalMs ?? Number.POSITIVE_INFINITY);
}
