/**
 * Writing to the journal. A decision that cannot be written does not take effect. A result that cannot be written still
 * reaches the model, but calls with side effects stop until the journal has taken what it missed.
 */

import { type Deadlines, timedOut, within } from '../deadlines.ts';
import { messageOf } from '../errors.ts';
import type { DecidedEntry, Journal, JournalEntry, NotedEntry, SettledEntry } from '../journal/record.ts';
import type { GuardMask } from '../masking/guard-mask.ts';
import { isPromise, type MaybePromise } from '../maybe-promise.ts';

/** Undefined: taken. A text: why not. */
type Refused = string | undefined;

const appendTimeoutMs = 30_000;

export class Recorder {
  /** Results the journal has not taken yet, oldest first. */
  private missed: SettledEntry[] = [];
  /** Set while they are being written. */
  private writing: Promise<Refused> | undefined;

  constructor(
    private readonly kept: { readonly journal: Journal | undefined; readonly mask: GuardMask },
    private readonly deadlines: Deadlines,
    private readonly onFailure: (message: string) => void,
  ) {}

  /** Writes a decision. `mustBeWhole`: only if nothing is missing before it. */
  decided(entry: JournalEntry, mustBeWhole: boolean): MaybePromise<Refused> {
    if (this.missed.length > 0) return this.decidedAfterMissed(entry, mustBeWhole);
    return this.told(this.append(entry));
  }

  settled(given: SettledEntry): MaybePromise<Refused> {
    const { journal, mask } = this.kept;
    if (journal === undefined) return undefined;
    let entry = given;
    try {
      // Once, so that a journal knows an entry that it is given again.
      entry = mask.of(given);
    } catch (error) {
      this.missed.push(given);
      return this.told(messageOf(error));
    }
    const keep = (refused: Refused): Refused => {
      if (refused !== undefined) this.missed.push(entry);
      return refused;
    };
    // Taken after all, but too late for whoever waited.
    const late = (): void => {
      this.missed = this.missed.filter((each) => each !== entry);
    };
    const refused = this.write(journal, entry, late);
    return this.told(isPromise(refused) ? refused.then(keep) : keep(refused));
  }

  /** Writes what takes effect in any case: that a call was refused, or a note. */
  noted(entry: DecidedEntry | NotedEntry): MaybePromise<Refused> {
    return this.told(this.append(entry));
  }

  /** Tries once more to write what the journal has missed. */
  async flush(): Promise<void> {
    if (this.missed.length > 0) await this.catchUp();
  }

  private told(refused: MaybePromise<Refused>): MaybePromise<Refused> {
    if (isPromise(refused)) return refused.then((settled) => this.told(settled));
    if (refused !== undefined) this.onFailure(refused);
    return refused;
  }

  private async decidedAfterMissed(entry: JournalEntry, mustBeWhole: boolean): Promise<Refused> {
    const refused = await this.catchUp();
    if (refused !== undefined && mustBeWhole) return `an earlier result could not be recorded: ${refused}`;
    return this.told(this.append(entry));
  }

  /** Calls that come meanwhile wait for the same writing: nothing is written twice. */
  private catchUp(): Promise<Refused> {
    return (this.writing ??= this.writeMissed().finally(() => {
      this.writing = undefined;
    }));
  }

  private async writeMissed(): Promise<Refused> {
    for (let entry = this.missed[0]; entry !== undefined; entry = this.missed[0]) {
      const refused = await this.append(entry);
      if (refused !== undefined) return refused;
      if (this.missed[0] === entry) this.missed.shift();
    }
    return undefined;
  }

  private append(entry: JournalEntry): MaybePromise<Refused> {
    const { journal, mask } = this.kept;
    if (journal === undefined) return undefined;
    try {
      return this.write(journal, 'args' in entry ? mask.ofCall(entry, entry.args) : mask.of(entry));
    } catch (error) {
      return messageOf(error);
    }
  }

  private write(journal: Journal, entry: JournalEntry, late?: () => void): MaybePromise<Refused> {
    try {
      const taken: unknown = journal.append(entry);
      return isPromise(taken) ? this.wait(Promise.resolve(taken), late) : undefined;
    } catch (error) {
      return messageOf(error);
    }
  }

  private async wait(taken: Promise<unknown>, late?: () => void): Promise<Refused> {
    try {
      const settled = await within(taken, appendTimeoutMs, { deadlines: this.deadlines });
      if (settled !== timedOut) return undefined;
      taken.then(late, () => undefined);
      return `it did not answer within ${appendTimeoutMs} ms`;
    } catch (error) {
      return messageOf(error);
    }
  }
}
