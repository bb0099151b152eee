/**
 * Masks records and writes them to the journal. A decision that cannot be written does not take effect. A result that cannot be written still
 * reaches the model, but calls with side effects are refused until the journal has accepted the missing entries. No wait
 * for the journal exceeds its time limit (Q08).
 */

import type { Clock } from '../clock.ts';
import { type Deadlines, timedOut, withTimeout } from '../deadlines.ts';
import { messageOf } from '../errors.ts';
import type { DecidedEntry, Journal, JournalEntry, NotedEntry, SettledEntry } from './journal-entry.ts';
import { canonicalJson } from '../json.ts';
import type { Mask } from '../approval.ts';
import type { MaybePromise } from '../maybe-promise.ts';

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
    if (this.missed.length > 0) return this.recordAfterMissed(entry, mustBeComplete);
    const written = this.append(entry);
    const onLate = (): void => this.revoke(entry);
    return written === undefined ? undefined : this.settle(written, this.parts.journalTimeoutMs, { onLate });
  }

  recordResult(given: SettledEntry): MaybePromise<WriteProblem> {
    const { journal } = this.parts;
    if (journal === undefined) return undefined;
    let entry: JournalEntry = given;
    try {
      // Done once, so that a journal recognises an entry that is written again.
      entry = canonicalEntry(this.mask.apply(given));
    } catch (error) {
      this.missed.push(given);
      return this.report(messageOf(error));
    }
    const written = this.write(journal, entry);
    if (written === undefined) return undefined;
    let isWritten = false;
    return this.settle(written, this.waitLimitMs, {
      onProblem: () => (isWritten ? undefined : this.missed.push(entry)),
      onLate: () => {
        isWritten = true;
        this.removeMissed(entry);
      },
    });
  }

  /** Writes an entry that takes effect in any case: a refusal or a note. */
  recordNote(entry: DecidedEntry | NotedEntry): MaybePromise<WriteProblem> {
    const written = this.append(entry);
    if (written === undefined) return undefined;
    return this.settle(written, this.waitLimitMs, { onLate: () => this.revoke(entry) });
  }

  async flush(): Promise<void> {
    if (this.missed.length > 0) await this.wait(this.catchUp(), this.parts.journalTimeoutMs);
  }

  /** After a timeout, entries that take effect in any case no longer wait for the journal. */
  private get waitLimitMs(): number {
    return this.isStuck ? 0 : this.parts.journalTimeoutMs;
  }

  private report(problem: WriteProblem): WriteProblem {
    if (problem !== undefined) this.onFailure(problem);
    return problem;
  }

  /** Waits for a write within its limit. A problem that is known already is handled before this returns. */
  private async settle(
    written: string | Promise<WriteProblem>,
    limitMs: number,
    { onProblem, onLate }: { readonly onProblem?: () => unknown; readonly onLate: () => void },
  ): Promise<WriteProblem> {
    const problem = typeof written === 'string' ? written : await this.wait(written, limitMs, onLate);
    if (problem !== undefined) onProblem?.();
    return this.report(problem);
  }

  private async recordAfterMissed(entry: DecidedEntry, mustBeComplete: boolean): Promise<WriteProblem> {
    const written = this.writeAfterMissed(entry, mustBeComplete);
    const problem = await this.wait(written, this.parts.journalTimeoutMs, () => this.revoke(entry));
    const isIncomplete = problem !== undefined && mustBeComplete && this.missed.length > 0;
    return this.report(isIncomplete ? `an earlier result could not be recorded: ${problem}` : problem);
  }

  private async writeAfterMissed(entry: DecidedEntry, mustBeComplete: boolean): Promise<WriteProblem> {
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
      const written = this.append(missing);
      const onLate = (): void => this.removeMissed(missing);
      const problem =
        typeof written === 'object' ? await this.wait(written, this.parts.journalTimeoutMs, onLate) : written;
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
    void this.catchUp().then((problem) => this.report(problem));
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
  private async wait(written: Promise<WriteProblem>, limitMs: number, onLate?: () => void): Promise<WriteProblem> {
    const settled = limitMs === 0 ? timedOut : await withTimeout(written, limitMs, this.parts);
    if (settled !== timedOut) return settled;
    this.isStuck = true;
    void written.then((problem) => (problem === undefined ? onLate?.() : undefined));
    return `the journal did not answer within ${this.parts.journalTimeoutMs} ms`;
  }
}

/** The entry with sorted keys in its data, so that equal calls make equal records. */
function canonicalEntry(entry: JournalEntry): JournalEntry {
  if (entry.kind === 'decided') {
    const args = canonicalJson(entry.args);
    // Usually the args are the requested ones.
    const requested = entry.requested === entry.args ? args : canonicalJson(entry.requested);
    return args === entry.args && requested === entry.requested ? entry : { ...entry, requested, args };
  }
  if (entry.kind === 'settled') {
    const result = typeof entry.result === 'object' ? canonicalJson(entry.result) : entry.result;
    const original = entry.original && canonicalJson(entry.original);
    return result === entry.result && original === entry.original ? entry : { ...entry, result, original };
  }
  const detail = canonicalJson(entry.detail);
  return detail === entry.detail ? entry : { ...entry, detail };
}

/** Replaces an event that could not be masked. */
interface MaskFailure {
  readonly type: 'journal_failed';
  readonly message: string;
}

/** A linear search is faster than a table for so few entries. */
const maxCleanArgs = 32;

/** The mask of a guard. If it fails, nothing is stored or reported unmasked. */
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
