/** Remembered answers of one session. They apply to the same call under the same policy. */

import type { AnswerMemory, AnswerQuery, ReusableAnswer, RememberDuration } from '../../approval.ts';
import type { Clock } from '../../clock.ts';

interface Entry extends ReusableAnswer {
  /** When it expires, in monotonic time. */
  readonly until: number;
}

const maxAnswers = 1000;

export class SessionAnswers implements AnswerMemory {
  private readonly answers = new Map<string, Entry>();

  constructor(private readonly clock: Clock) {}

  find({ binding, group, turn, covers }: AnswerQuery): (ReusableAnswer & { readonly leftMs: number }) | undefined {
    const now = this.clock.now();
    const isValid = (entry: Entry): boolean => entry.until > now && (entry.turn === undefined || entry.turn === turn);
    let found = this.answers.get(binding);
    if (found !== undefined && !isValid(found)) {
      this.answers.delete(binding);
      found = undefined;
    }
    // Answers with a rule are stored under their group followed by the rule.
    for (const [key, entry] of found === undefined ? this.answers : []) {
      if (entry.rule === undefined || !key.startsWith(group) || !isValid(entry) || !covers(entry.rule)) continue;
      found = entry;
      break;
    }
    return found && { ...found, leftMs: found.until - now };
  }

  keep({ binding, group }: AnswerQuery, answer: ReusableAnswer, forMs: number): void {
    const now = this.clock.now();
    if (this.answers.size >= maxAnswers) this.forget(now);
    const key = answer.rule === undefined ? binding : group + JSON.stringify(answer.rule);
    this.answers.set(key, { ...answer, until: now + forMs });
  }

  /** Drops expired answers, and the oldest ones if that is not enough. At worst, a person is asked again. */
  private forget(now: number): void {
    for (const [binding, { until }] of this.answers) if (until <= now) this.answers.delete(binding);
    for (const binding of this.answers.keys()) {
      if (this.answers.size < maxAnswers) break;
      this.answers.delete(binding);
    }
  }
}

/** How long a remembered answer counts from now on: at most as long as an approval. */
export function rememberMs(remember: RememberDuration, approvalMs: number | undefined): number {
  const asked = typeof remember === 'object' ? remember.ms : Number.POSITIVE_INFINITY;
  return Math.min(asked, approvalMs ?? Number.POSITIVE_INFINITY);
}
