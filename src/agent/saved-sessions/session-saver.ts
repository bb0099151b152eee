/** Saves a session after every turn and at every answer of the model, one state after another. */

import { type Deadlines, timedOut, withTimeout } from '../../kernel/deadlines.ts';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import type { SavedSession } from './saved-session.ts';
import { type SessionStore, sessionStoreTimeoutMs } from './session-store.ts';

export interface SessionSaverOptions {
  readonly store: SessionStore;
  readonly deadlines: Deadlines;
  /** The session with so many of its messages. */
  readonly snapshot: (messages: number) => SavedSession;
  /** Called once a turn at most. */
  readonly onFailure: (message: string) => void;
}

export class SessionSaver {
  /** Why the last state is not saved. */
  saveError: BridleError | undefined;
  /** Another process has gone on with this session: nothing of it can be saved from here on. */
  conflict: BridleError | undefined;
  private reported = false;
  private saving: Promise<void> | undefined;
  private tail: Promise<void> = Promise.resolve();
  private nextCheckpoint: Promise<void> | undefined;

  constructor(private readonly options: SessionSaverOptions) {}

  startTurn(): void {
    this.reported = false;
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
    this.nextCheckpoint ??= this.tail.then(() => {
      this.nextCheckpoint = undefined;
      return this.saveNow(messages);
    });
    this.tail = this.nextCheckpoint;
    await this.nextCheckpoint;
    if (this.conflict !== undefined) throw this.conflict;
  }

  private async saveNow(messages: number): Promise<void> {
    try {
      await this.saveToStore(messages);
      this.saveError = undefined;
    } catch (error) {
      const message = messageOf(error);
      const isConflict = error instanceof BridleError && error.code === 'STORE_CONFLICT';
      this.saveError = isConflict ? error : new BridleError('SESSION_STORE', message, { cause: error });
      if (isConflict) this.conflict = error;
      if (!this.reported) this.options.onFailure(message);
      this.reported = true;
    }
  }

  /** A store that never answers holds nobody up; until it does, nothing newer is given to it, lest the older one wins. */
  private async saveToStore(messages: number): Promise<void> {
    const { store, deadlines, snapshot } = this.options;
    if (this.conflict !== undefined) throw this.conflict;
    if (this.saving !== undefined)
      throw new BridleError('SESSION_STORE', 'the store has not finished what it was given');
    const saving = Promise.resolve(store.save(snapshot(messages))).finally(() => {
      this.saving = undefined;
    });
    this.saving = saving;
    const end = await withTimeout(saving, sessionStoreTimeoutMs, { deadlines });
    if (end === timedOut)
      throw new BridleError('SESSION_STORE', `the store did not answer within ${sessionStoreTimeoutMs} ms`);
  }
}
