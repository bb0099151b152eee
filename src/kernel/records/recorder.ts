/**
 * Writing to the journal. A decision that cannot be written does not take effect. A result that cannot be written still
 * reaches the model, but calls with side effects stop until the journal has taken what it missed. Nobody waits for the
 * journal longer than its time limit, whatever it does (Q08).
 */

import { type Deadlines, timedOut, withTimeout } from '../deadlines.ts';
import { messageOf } from '../errors.ts';
import type { DecidedEntry, Journal, JournalEntry, NotedEntry, SettledEntry } from './journal-entry.ts';
import { canonicalJson, type JsonValue } from '../json.ts';
import type { RecordMask } from './record-mask.ts';
import { isPromise, type MaybePromise } from '../maybe-promise.ts';

/** Undefined: taken. A text: why not. */
type WriteProblem = string | undefined;

interface RecorderParts {
  readonly journal: Journal | undefined;
  readonly mask: RecordMask;
  readonly deadlines: Deadlines;
  /** How long a call waits for the journal. */
  readonly timeoutMs: number;
  /** Milliseconds since 1970. */
  readonly wall: () => number;
  readonly onFailure: (message: string) => void;
}

/** Statuses that let a reader believe that the call ran or may still run. */
const open: readonly DecidedEntry['status'][] = ['allowed', 'approved', 'asked'];

export class Recorder {
  /** Entries that the journal must still take before a call with side effects runs, oldest first. */
  private missed: JournalEntry[] = [];
  /** Set while they are being written. */
  private writing: Promise<WriteProblem> | undefined;
  /** True from a timeout until the journal takes something again: meanwhile only decisions wait for it. */
  private isStuck = false;

  constructor(private readonly parts: RecorderParts) {}

  /** Writes a decision. `mustBeWhole`: only if nothing is missing before it. */
  recordDecision(entry: DecidedEntry, mustBeWhole: boolean): MaybePromise<WriteProblem> {
    const { timeoutMs } = this.parts;
    const onLate = (): void => this.revoke(entry);
    if (this.missed.length === 0) return this.told(this.inTime(this.append(entry), timeoutMs, onLate));
    const explain = (refused: WriteProblem): WriteProblem =>
      refused !== undefined && mustBeWhole && this.missed.length > 0
        ? `an earlier result could not be recorded: ${refused}`
        : refused;
    return this.wait(this.decidedAfterMissed(entry, mustBeWhole), timeoutMs, onLate).then((refused) =>
      this.told(explain(refused)),
    );
  }

  recordResult(given: SettledEntry): MaybePromise<WriteProblem> {
    const { journal, mask } = this.parts;
    if (journal === undefined) return undefined;
    let entry = given;
    try {
      // Once, so that a journal knows an entry that it is given again.
      entry = canonicalEntry(mask.apply(given));
    } catch (error) {
      this.missed.push(given);
      return this.told(messageOf(error));
    }
    let isTaken = false;
    const keep = (refused: WriteProblem): WriteProblem => {
      if (refused !== undefined && !isTaken) this.missed.push(entry);
      return refused;
    };
    const onLate = (): void => {
      isTaken = true;
      this.takenLate(entry);
    };
    const refused = this.inTime(this.write(journal, entry), this.patienceMs, onLate);
    return this.told(isPromise(refused) ? refused.then(keep) : keep(refused));
  }

  /** Writes what takes effect in any case: that a call was refused, or a note. */
  recordNote(entry: DecidedEntry | NotedEntry): MaybePromise<WriteProblem> {
    return this.told(this.inTime(this.append(entry), this.patienceMs, () => this.revoke(entry)));
  }

  /** Tries once more to write what the journal has missed. */
  async flush(): Promise<void> {
    if (this.missed.length > 0) await this.inTime(this.catchUp(), this.parts.timeoutMs);
  }

  /** A journal that did not answer is not waited for again where the call has its answer anyway. */
  private get patienceMs(): number {
    return this.isStuck ? 0 : this.parts.timeoutMs;
  }

  private told(refused: MaybePromise<WriteProblem>): MaybePromise<WriteProblem> {
    if (isPromise(refused)) return refused.then((settled) => this.told(settled));
    if (refused !== undefined) this.parts.onFailure(refused);
    return refused;
  }

  private async decidedAfterMissed(entry: DecidedEntry, mustBeWhole: boolean): Promise<WriteProblem> {
    if (mustBeWhole) return (await this.catchUp()) ?? this.append(entry);
    // A call without side effects does not depend on what is missing, so that may take half of its time at most.
    await this.wait(this.catchUp(), this.patienceMs / 2);
    return this.append(entry);
  }

  /** Calls that come meanwhile wait for the same writing: nothing is written twice. */
  private catchUp(): Promise<WriteProblem> {
    return (this.writing ??= this.writeMissed().finally(() => {
      this.writing = undefined;
    }));
  }

  private async writeMissed(): Promise<WriteProblem> {
    for (let entry = this.missed[0]; entry !== undefined; entry = this.missed[0]) {
      const missing = entry;
      const refused = await this.inTime(this.append(missing), this.parts.timeoutMs, () => this.takenLate(missing));
      if (refused !== undefined) return refused;
      this.takenLate(missing);
    }
    return undefined;
  }

  private takenLate(entry: JournalEntry): void {
    this.missed = this.missed.filter((each) => each !== entry);
  }

  /** A decision that the journal took after its call was refused is followed by a record that the call did not run. */
  private revoke(entry: DecidedEntry | NotedEntry): void {
    if (entry.kind !== 'decided' || !open.includes(entry.status)) return;
    const reason = 'This decision was recorded too late, so the call did not run';
    const { rule: _rule, hook: _hook, ...rest } = entry;
    this.missed.push({ ...rest, at: this.parts.wall(), status: 'denied', reason });
    void this.told(this.catchUp());
  }

  private append(entry: JournalEntry): MaybePromise<WriteProblem> {
    const { journal, mask } = this.parts;
    if (journal === undefined) return undefined;
    try {
      return this.write(
        journal,
        canonicalEntry('args' in entry ? mask.applyToCall(entry, entry.args) : mask.apply(entry)),
      );
    } catch (error) {
      return messageOf(error);
    }
  }

  /** What the journal answers, whenever it does. */
  private write(journal: Journal, entry: JournalEntry): MaybePromise<WriteProblem> {
    try {
      const taken: unknown = journal.append(entry);
      // Not isPromise, which takes what cannot be read for a plain value.
      if (typeof (taken as PromiseLike<unknown> | undefined)?.then !== 'function') return this.taken();
      return Promise.resolve(taken).then(() => this.taken(), messageOf);
    } catch (error) {
      return messageOf(error);
    }
  }

  private taken(): undefined {
    this.isStuck = false;
    return undefined;
  }

  /** Waits at most `limitMs`. `onLate` is called if the journal takes the entry after that. */
  private inTime(
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
    void written.then((refused) => (refused === undefined ? onLate?.() : undefined));
    return `the journal did not answer within ${this.parts.timeoutMs} ms`;
  }
}

/** The parts of entries that hold other people's data. */
const dataFields = ['requested', 'args', 'result', 'original', 'detail'] as const;

/** The entry with its data in canonical order: equal calls make equal records, whatever the order of their keys. */
function canonicalEntry<T extends JournalEntry>(entry: T): T {
  const fields = entry as Readonly<Partial<Record<(typeof dataFields)[number], JsonValue>>>;
  let copy: T | undefined;
  let [before, sorted]: (JsonValue | undefined)[] = [];
  for (const field of dataFields) {
    const value = fields[field];
    if (value === undefined) continue;
    // Args are mostly what was requested.
    if (value !== before) sorted = canonicalJson(value);
    before = value;
    if (sorted !== value) copy = { ...(copy ?? entry), [field]: sorted };
  }
  return copy ?? entry;
}
