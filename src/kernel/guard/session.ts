/// <reference lib="esnext.disposable" preserve="true" />
/** A session: it starts unless a hook rejects it, has turns, and ends once. */

import { BridleError } from '../errors.ts';
import { refusalReasonOf } from '../hooks/dispatch/dispatch-result.ts';
import type { BridleEvent, EventBody } from '../hooks/points/events.ts';
import type { TurnOrigin } from '../hooks/points/payloads.ts';
import type { SessionId } from '../ids.ts';
import type { SessionStart } from './guard-options.ts';
import { type GuardParts, SessionState, type SessionInfo } from './state/session-state.ts';
import { HookActivity } from './state/hook-activity.ts';
import { guardSingleCall, type SingleCall, type ToolFunction } from './single-call.ts';
import type { CallResult } from './calls/call-result.ts';
import { Turn, type TurnPosition } from './turn.ts';
import { type GuardedTools, type WrappableTools, type WrapOptions, wrapTools } from './wrap-tools.ts';

let hasStarted = false;

/** True if a session has started in this process. The approver of the host process can only be opened before that. */
export function hasSessionStarted(): boolean {
  return hasStarted;
}

export class Session extends SessionState {
  private readonly activity = new HookActivity(this, undefined, 'session');
  private ending: Promise<void> | undefined;
  private isJoined = false;
  private readonly separate = new Set<Turn>();

  /** @internal Starts a session. Throws if a hook rejects it. */
  static async start(parts: GuardParts, info: SessionInfo, start: SessionStart): Promise<Session> {
    hasStarted = true;
    const { state = {}, toolState = {}, turns = 0, resumed = false } = start;
    const session = new Session(parts, info);
    session.resumeAt(turns);
    for (const [key, value] of Object.entries(state)) session.scope.set(key, value);
    for (const [key, value] of Object.entries(toolState)) session.toolStore.set(key, value);
    session.isJoined = start.joined === true;
    if (session.isJoined) return session;
    const payload = Object.freeze({ session: info.id, host: info.host, agent: info.agent, resumed });
    const result = await session.activity.dispatch('onSessionStart', payload);
    if (result.type !== 'passed') throw new BridleError('SESSION_REJECTED', refusalReasonOf(result));
    session.emit(() => ({ type: 'session_started', resumed }));
    return session;
  }

  get id(): SessionId {
    return this.info.id;
  }

  /** Calls `listen` synchronously with every event, in order, until the returned function is called. */
  listen(listen: (event: BridleEvent) => void): () => void {
    this.listeners.add(listen);
    return () => void this.listeners.delete(listen);
  }

  /** Emits an event that belongs to no turn. */
  emit(make: () => EventBody): void {
    this.activity.emit(make);
  }

  /** Begins the next turn or resumes one. The previous turn ends. */
  turn(origin: TurnOrigin = 'user', resumed?: TurnPosition): Turn {
    if (this.ending !== undefined) throw new BridleError('SESSION_ENDED', 'the session has ended');
    this.currentTurn?.end();
    const turn = new Turn(this, origin, resumed);
    this.currentTurn = turn;
    return turn;
  }

  /** Begins a turn for calls that belong to no other turn. Several can be open at the same time. */
  openSeparateTurn(): Turn {
    if (this.ending !== undefined) throw new BridleError('SESSION_ENDED', 'the session has ended');
    const turn = new Turn(this, 'user');
    this.separate.add(turn);
    return turn;
  }

  /** Ends a turn that {@link openSeparateTurn} began. */
  endSeparateTurn(turn: Turn): void {
    this.separate.delete(turn);
    turn.end();
  }

  /** Guards a single call, in its own turn unless one is passed. Never throws because of a refusal. */
  call(tool: SingleCall, args: unknown, run: ToolFunction): Promise<CallResult> {
    return guardSingleCall(() => this, { tool, args, run, allTools: this.parts.allTools });
  }

  /** Returns the same tools, guarded. Each call is its own turn unless one is passed. */
  wrap<T extends WrappableTools>(tools: T, options: WrapOptions = {}): GuardedTools<T> {
    return wrapTools(tools, options, { ...this.parts, open: () => this });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.end();
  }

  /** Ends the session and waits for background work. Calling it again has no effect. Throws if a hook with `failOpen: false` failed. */
  end(reason?: string): Promise<void> {
    return (this.ending ??= this.finish(reason ?? (this.isJoined ? undefined : 'stopped')));
  }

  private async finish(reason: string | undefined): Promise<void> {
    this.currentTurn?.end();
    for (const turn of this.separate) this.endSeparateTurn(turn);
    await this.whenIdle();
    const result =
      reason === undefined ? undefined : await this.activity.dispatch('onSessionEnd', Object.freeze({ reason }));
    if (reason !== undefined) this.emit(() => ({ type: 'session_ended', reason }));
    this.observers.close(this.activity.clock.now());
    while (this.backgroundWork.size > 0) await Promise.allSettled(this.backgroundWork);
    await this.recorder.flush();
    if (result?.type === 'failed') throw new BridleError('HOOK_FATAL', result.reason);
  }

  /** @internal */
  protected override journalFailed(message: string): void {
    this.emit(() => ({ type: 'journal_failed', message }));
  }
}
