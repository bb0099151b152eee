/** The open sessions of an agent. Each id is open once: two sessions of one id would overwrite each other's history. */

import { randomUUID } from 'node:crypto';
import { BridleError } from '../errors.ts';
import type { AgentSession } from './agent-session.ts';
import type { Assembly } from './assemble.ts';
import { openSession, type Opening, type OpenSessionOptions } from './open-session.ts';
import { claimSession } from './session-store.ts';
import { storeFor } from './store-sessions.ts';

export class AgentSessions {
  private readonly sessions = new Map<string, AgentSession>();
  /** Functions that release the ids of sessions that are open or being opened. */
  private readonly taken = new Map<string, () => void>();

  constructor(private readonly assembly: Assembly) {}

  /** True for an id that is open or being opened. */
  has(id: string): boolean {
    return this.taken.has(id);
  }

  async open(opening: Opening, options: OpenSessionOptions): Promise<AgentSession> {
    const id = options.id ?? randomUUID();
    const store = storeFor(options, this.assembly.options);
    const isTaken = this.taken.has(id) || this.assembly.runs.has(id);
    const release = isTaken ? undefined : claimSession(store, id);
    if (release === undefined) throw new BridleError('SESSION_STORE', `the session "${id}" is open already`);
    this.taken.set(id, release);
    try {
      const session = await openSession(opening, { ...options, id, store });
      this.sessions.set(id, session);
      return session;
    } catch (error) {
      this.forget(id);
      throw error;
    }
  }

  forget(id: string): void {
    this.taken.get(id)?.();
    this.taken.delete(id);
    this.sessions.delete(id);
  }

  stop(reason: string | undefined): Promise<PromiseSettledResult<void>[]> {
    return Promise.allSettled([...this.sessions.values()].map((session) => session.stop(reason)));
  }
}
