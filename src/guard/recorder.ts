/**
 * Writing to the journal. A decision that cannot be written does not take effect. A result that cannot be written still
 * reaches the model, but calls with side effects stop until the journal has taken what it missed.
 */

import { type Deadlines, timedOut, within } from '../deadlines.ts';
import { messageOf } from '../errors.ts';
import type { Journal, JournalEntry, NotedEntry, SettledEntry } from '../journal/record.ts';
import { isPromise, type MaybePromise } from '../maybe-promise.ts';

/** Undefined: taken. A text: why not. */
type Refused = string | undefined;

const appendTimeoutMs = 30_000;

export class Recorder {
  /** Results the journal has not taken yet, oldest first. */
  private missed: SettledEntry[] = [];

  constructor(
    private readonly journal: Journal | undefined,
    private readonly deadlines: Deadlines,
    private readonly onFailure: (message: string) => void,
  ) {}

  /** Writes a decision. `mustBeWhole`: only if nothing is missing before it. */
  decided(entry: JournalEntry, mustBeWhole: boolean): MaybePromise<Refused> {
    if (this.missed.length > 0) return this.decidedAfterMissed(entry, mustBeWhole);
    return this.append(entry);
  }

  settled(entry: SettledEntry): MaybePromise<void> {
    const keep = (refused: Refused): void => {
      if (refused === undefined) return;
      this.missed.push(entry);
      this.onFailure(refused);
    };
    const refused = this.append(entry);
    return isPromise(refused) ? refused.then(keep) : keep(refused);
  }

  noted(entry: NotedEntry): MaybePromise<void> {
    const tell = (refused: Refused): void => {
      if (refused !== undefined) this.onFailure(refused);
    };
    const refused = this.append(entry);
    return isPromise(refused) ? refused.then(tell) : tell(refused);
  }

  private async decidedAfterMissed(entry: JournalEntry, mustBeWhole: boolean): Promise<Refused> {
    const refused = await this.writeMissed();
    if (refused !== undefined && mustBeWhole) return `an earlier result could not be recorded: ${refused}`;
    return this.append(entry);
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
    if (this.journal === undefined) return undefined;
    try {
      const taken: unknown = this.journal.append(entry);
      return isPromise(taken) ? this.wait(taken) : undefined;
    } catch (error) {
      return messageOf(error);
    }
  }

  private async wait(taken: PromiseLike<unknown>): Promise<Refused> {
    try {
      const settled = await within(taken, appendTimeoutMs, { deadlines: this.deadlines });
      return settled === timedOut ? `it did not answer within ${appendTimeoutMs} ms` : undefined;
    } catch (error) {
      return messageOf(error);
    }
  }
}
