/**
 * Writes to the journal. A decision that cannot be written does not take effect. A result that cannot be written still
 * reaches the model, but calls with side effects are refused until the journal has accepted the missing entries. No wait
 * for the journal exceeds its time limit (Q08).
 */

import type { Clock } from '../clock.ts';
import { type Deadlines, timedOut, withTimeout } from '../deadlines.ts';
import { messageOf } from '../errors.ts';
import type { DecidedEntry, Journal, JournalEntry, NotedEntry, SettledEntry } from './journal-entry.ts';
import { canonicalJson, type JsonValue } from '../json.ts';
import type { RecordMask } from './record-mask.ts';
import { isPromise, type MaybePromise } from '../maybe-promise.ts';

/** Undefined: the entry was written. A text: why it was not. */
type WriteProblem = string | undefined;

interface RecorderParts {
  readonly journal: Journal | undefined;
  readonly deadlines: Deadlines;
  readonly clock: Clock;
  /** Time limit for a journal write. */
  readonly journalTimeoutMs: number;
}

/** Statuses that suggest to a reader that the call ran or may still run. */
const open: readonly DecidedEntry['status'][] = ['allowed', 'approved', 'asked'];

export class Recorder {
  /** Entries that must be written before a call with side effects runs, oldest first. */
  private missed: JournalEntry[] = [];
  private writing: Promise<WriteProblem> | undefined;
  /** True from a timeout until the next successful write. Meanwhile only decisions wait for the journal. */
  private isStuck = false;

  constructor(
    private readonly parts: RecorderParts,
    private readonly mask: RecordMask,
    private readonly onFailure: (message: string) => void,
  ) {}

  /** Writes a decision. `mustBeComplete`: fails if earlier entries are missing. */
  recordDecision(entry: DecidedEntry, mustBeComplete: boolean): MaybePromise<WriteProblem> {
    const { journalTimeoutMs: timeoutMs } = this.parts;
    const onLate = (): void => this.revoke(entry);
    if (this.missed.length === 0) return this.reportProblem(this.withLimit(this.append(entry), timeoutMs, onLate));
    const explain = (problem: WriteProblem): WriteProblem =>
      problem !== undefined && mustBeComplete && this.missed.length > 0
        ? `an earlier result could not be recorded: ${problem}`
        : problem;
    return this.wait(this.decidedAfterMissed(entry, mustBeComplete), timeoutMs, onLate).then((problem) =>
      this.reportProblem(explain(problem)),
    );
  }

  recordResult(given: SettledEntry): MaybePromise<WriteProblem> {
    const { journal } = this.parts;
    if (journal === undefined) return undefined;
    let entry = given;
    try {
      // Done once, so that a journal recognises an entry that is written again.
      entry = canonicalEntry(this.mask.apply(given));
    } catch (error) {
      this.missed.push(given);
      return this.reportProblem(messageOf(error));
    }
    let isWritten = false;
    const keep = (problem: WriteProblem): WriteProblem => {
      if (problem !== undefined && !isWritten) this.missed.push(entry);
      return problem;
    };
    const onLate = (): void => {
      isWritten = true;
      this.removeMissed(entry);
    };
    const problem = this.withLimit(this.write(journal, entry), this.waitLimitMs, onLate);
    return this.reportProblem(isPromise(problem) ? problem.then(keep) : keep(problem));
  }

  /** Writes an entry that takes effect in any case: a refusal or a note. */
  recordNote(entry: DecidedEntry | NotedEntry): MaybePromise<WriteProblem> {
    return this.reportProblem(this.withLimit(this.append(entry), this.waitLimitMs, () => this.revoke(entry)));
  }

  async flush(): Promise<void> {
    if (this.missed.length > 0) await this.withLimit(this.catchUp(), this.parts.journalTimeoutMs);
  }

  /** After a timeout, entries that take effect in any case no longer wait for the journal. */
  private get waitLimitMs(): number {
    return this.isStuck ? 0 : this.parts.journalTimeoutMs;
  }

  private reportProblem(problem: MaybePromise<WriteProblem>): MaybePromise<WriteProblem> {
    if (isPromise(problem)) return problem.then((settled) => this.reportProblem(settled));
    if (problem !== undefined) this.onFailure(problem);
    return problem;
  }

  private async decidedAfterMissed(entry: DecidedEntry, mustBeComplete: boolean): Promise<WriteProblem> {
    if (mustBeComplete) return (await this.catchUp()) ?? this.append(entry);
    // A call without side effects does not depend on the missing entries, so they get at most half of its time.
    await this.wait(this.catchUp(), this.waitLimitMs / 2);
    return this.append(entry);
  }

  /** Concurrent calls share one attempt, so that nothing is written twice. */
  private catchUp(): Promise<WriteProblem> {
    return (this.writing ??= this.writeMissed().finally(() => {
      this.writing = undefined;
    }));
  }

  private async writeMissed(): Promise<WriteProblem> {
    for (let entry = this.missed[0]; entry !== undefined; entry = this.missed[0]) {
      const missing = entry;
      const problem = await this.withLimit(this.append(missing), this.parts.journalTimeoutMs, () =>
        this.removeMissed(missing),
      );
      if (problem !== undefined) return problem;
      this.removeMissed(missing);
    }
    return undefined;
  }

  private removeMissed(entry: JournalEntry): void {
    this.missed = this.missed.filter((each) => each !== entry);
  }

  /** If the journal accepts a decision after its call was refused, adds a record that the call did not run. */
  private revoke(entry: DecidedEntry | NotedEntry): void {
    if (entry.kind !== 'decided' || !open.includes(entry.status)) return;
    const reason = 'This decision was recorded too late, so the call did not run';
    const { rule: _rule, hook: _hook, ...rest } = entry;
    this.missed.push({ ...rest, at: this.parts.clock.wall(), status: 'denied', reason });
    void this.reportProblem(this.catchUp());
  }

  private append(entry: JournalEntry): MaybePromise<WriteProblem> {
    const { journal } = this.parts;
    if (journal === undefined) return undefined;
    try {
      const masked = 'args' in entry ? this.mask.applyToCall(entry, entry.args) : this.mask.apply(entry);
      return this.write(journal, canonicalEntry(masked));
    } catch (error) {
      return messageOf(error);
    }
  }

  /** Writes an entry without a time limit. */
  private write(journal: Journal, entry: JournalEntry): MaybePromise<WriteProblem> {
    try {
      const written: unknown = journal.append(entry);
      // Not isPromise, which treats a value whose `then` cannot be read as a plain value.
      if (typeof (written as PromiseLike<unknown> | undefined)?.then !== 'function') return this.writeSucceeded();
      return Promise.resolve(written).then(() => this.writeSucceeded(), messageOf);
    } catch (error) {
      return messageOf(error);
    }
  }

  private writeSucceeded(): undefined {
    this.isStuck = false;
    return undefined;
  }

  /** Waits for at most `limitMs`. `onLate` is called if the journal accepts the entry after that. */
  private withLimit(
    written: MaybePromise<WriteProblem>,
    limitMs: number,
    onLate?: () => void,
  ): MaybePromise<WriteProblem> {
    return isPromise(written) ? this.wait(written, limitMs, onLate) : written;
  }

  private async wait(written: Promise<WriteProblem>, limitMs: number, onLate?: () => void): Promise<WriteProblem> {
    const settled = limitMs === 0 ? timedOut : await withTimeout(written, limitMs, this.parts);
    if (settled !== timedOut) return settled;
    this.isStuck = true;
    void written.then((problem) => (problem === undefined ? onLate?.() : undefined));
    return `the journal did not answer within ${this.parts.journalTimeoutMs} ms`;
  }
}

/** The fields of entries that contain data of models, tools and hooks. */
const dataFields = ['requested', 'args', 'result', 'original', 'detail'] as const;

/** The entry with sorted keys in its data, so that equal calls make equal records. */
function canonicalEntry<T extends JournalEntry>(entry: T): T {
  const fields = entry as Readonly<Partial<Record<(typeof dataFields)[number], JsonValue>>>;
  let copy: T | undefined;
  let [before, sorted]: (JsonValue | undefined)[] = [];
  for (const field of dataFields) {
    const value = fields[field];
    if (value === undefined) continue;
    // Usually the args are the requested ones.
    if (value !== before) sorted = canonicalJson(value);
    before = value;
    if (sorted !== value) copy = { ...(copy ?? entry), [field]: sorted };
  }
  return copy ?? entry;
}
