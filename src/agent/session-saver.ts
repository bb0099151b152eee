/** Saves a session after every turn and at every answer of the model, one state after another. */

import { type Deadlines, timedOut, within } from '../deadlines.ts';
import { BridleError, messageOf } from '../errors.ts';
import type { SavedSession } from './saved-session.ts';
import { type SessionStore, storeTimeoutMs } from './session-store.ts';

export interface SaverParts {
  readonly store: SessionStore;
  readonly deadlines: Deadlines;
  /** The session with so many of its messages. */
  readonly snapshot: (messages: number) => SavedSession;
  /** Called once a turn at most. */
  readonly tell: (message: string) => void;
}

export class SessionSaver {
  /** Why the last state is not saved. */
  unsaved: BridleError | undefined;
  /** Another process has gone on with this session: nothing of it can be saved from here on. */
  conflict: BridleError | undefined;
  private told = false;
  private saving: Promise<void> | undefined;
  private tail: Promise<void> = Promise.resolve();
  private next: Promise<void> | undefined;

  constructor(private readonly parts: SaverParts) {}

  startTurn(): void {
    this.told = false;
  }

  /** A session that cannot be saved goes on; stopping tries once more, and tells. */
  save(messages = Number.POSITIVE_INFINITY): Promise<void> {
    const saved = this.tail.then(() => this.saveNow(messages));
    this.tail = saved;
    return saved;
  }

  /** Keeps what was counted in a turn that is under way. Throws if another process has the session. */
  async checkpoint(messages: number): Promise<void> {
    // All that come before the next one begins share it.
    this.next ??= this.tail.then(() => {
      this.next = undefined;
      return this.saveNow(messages);
    });
    this.tail = this.next;
    await this.next;
    if (this.conflict !== undefined) throw this.conflict;
  }

  private async saveNow(messages: number): Promise<void> {
    try {
      await this.give(messages);
      this.unsaved = undefined;
    } catch (error) {
      const message = messageOf(error);
      const isConflict = error instanceof BridleError && error.code === 'STORE_CONFLICT';
      this.unsaved = isConflict ? error : new BridleError('SESSION_STORE', message, { cause: error });
      if (isConflict) this.conflict = error;
      if (!this.told) this.parts.tell(message);
      this.told = true;
    }
  }

  /** A store that never answers holds nobody up; until it does, nothing newer is given to it, lest the older one wins. */
  private async give(messages: number): Promise<void> {
    const { store, deadlines, snapshot } = this.parts;
    if (this.conflict !== undefined) throw this.conflict;
    if (this.saving !== undefined)
      throw new BridleError('SESSION_STORE', 'the store has not finished what it was given');
    const saving = Promise.resolve(store.save(snapshot(messages))).finally(() => {
      this.saving = undefined;
    });
    this.saving = saving;
    const end = await within(saving, storeTimeoutMs, { deadlines });
    if (end === timedOut)
      throw new BridleError('SESSION_STORE', `the store did not answer within ${storeTimeoutMs} ms`);
  }
}
