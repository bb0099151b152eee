/** Saves a session after every turn and every answer of the model, one save at a time. */

import { type Deadlines, timedOut, withTimeout } from '../../kernel/deadlines.ts';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import type { SavedSession } from './saved-session.ts';
import { type SessionStore, sessionStoreTimeoutMs } from './session-store.ts';

export interface SessionSaverOptions {
  readonly store: SessionStore;
  readonly deadlines: Deadlines;
  /** The session, with only the first `messages` of its conversation. */
  readonly snapshot: (messages: number) => SavedSession;
  /** Called when saving fails, at most once per turn. */
  readonly onFailure: (message: string) => void;
}

export class SessionSaver {
  /** Why the last save failed. */
  saveError: BridleError | undefined;
  /** Set if another process has continued this session. It can no longer be saved here. */
  conflict: BridleError | undefined;
  private reported = false;
  private saving: Promise<void> | undefined;
  private tail: Promise<void> = Promise.resolve();
  private nextCheckpoint: Promise<void> | undefined;

  constructor(private readonly options: SessionSaverOptions) {}

  startTurn(): void {
    this.reported = false;
  }

  /** Saves the session. Never rejects: a failure is reported, and `stop` tries once more and throws. */
  save(messages = Number.POSITIVE_INFINITY): Promise<void> {
    const save = this.tail.then(() => this.saveNow(messages));
    this.tail = save;
    return save;
  }

  /** Saves the counts of the current turn. Throws if another process has continued the session. */
  async checkpoint(messages: number): Promise<void> {
    // Calls that arrive before the next checkpoint starts share it.
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

  /**
   * A hanging store cannot block a turn. Until its save ends, no newer state is sent, so that the older one cannot win.
   */
  private async saveToStore(messages: number): Promise<void> {
    const { store, deadlines, snapshot } = this.options;
    if (this.conflict !== undefined) throw this.conflict;
    if (this.saving !== undefined)
      throw new BridleError('SESSION_STORE', 'the store has not finished the previous save');
    const saving = Promise.resolve(store.save(snapshot(messages))).finally(() => {
      this.saving = undefined;
    });
    this.saving = saving;
    const result = await withTimeout(saving, sessionStoreTimeoutMs, { deadlines });
    if (result === timedOut)
      throw new BridleError('SESSION_STORE', `the store did not answer within ${sessionStoreTimeoutMs} ms`);
  }
}
