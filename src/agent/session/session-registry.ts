/** The open sessions of an agent. An id can be open only once, or two sessions would overwrite each other's history. */

import { randomUUID } from 'node:crypto';
import { BridleError } from '../../kernel/errors.ts';
import type { AgentSession } from './agent-session.ts';
import type { Assembly } from '../assembly/assemble.ts';
import { openSession, type AgentRuntime, type OpenSessionOptions } from './open-session.ts';
import { claimSession } from '../saved-sessions/session-store.ts';
import { sessionStoreFor } from './sessions-in-store.ts';

export class SessionRegistry {
  private readonly sessions = new Map<string, AgentSession>();
  /** Functions that release the ids of sessions that are open or opening. */
  private readonly releases = new Map<string, () => void>();

  constructor(private readonly assembly: Assembly) {}

  /** True if a session with this id is open or opening. */
  has(id: string): boolean {
    return this.releases.has(id);
  }

  async open(runtime: AgentRuntime, options: OpenSessionOptions): Promise<AgentSession> {
    const id = options.id ?? randomUUID();
    const store = sessionStoreFor(options, this.assembly.options);
    const isTaken = this.releases.has(id) || this.assembly.runs.has(id);
    const release = isTaken ? undefined : claimSession(store, id);
    if (release === undefined) throw new BridleError('SESSION_STORE', `the session "${id}" is already open`);
    this.releases.set(id, release);
    try {
      const session = await openSession(runtime, { ...options, id, store });
      this.sessions.set(id, session);
      return session;
    } catch (error) {
      this.remove(id);
      throw error;
    }
  }

  remove(id: string): void {
    this.releases.get(id)?.();
    this.releases.delete(id);
    this.sessions.delete(id);
  }

  stop(reason: string | undefined): Promise<PromiseSettledResult<void>[]> {
    return Promise.allSettled([...this.sessions.values()].map((session) => session.stop(reason)));
  }
}
