/// <reference lib="esnext.disposable" preserve="true" />
/** A session: it starts unless a hook rejects it, has turns, and ends once. */

import { BridleError } from '../errors.ts';
import { refusalReasonOf } from '../hooks/dispatch/dispatch-result.ts';
import type { BridleEvent, EventBody } from '../hooks/points/events.ts';
import type { TurnOrigin } from '../hooks/points/payloads.ts';
import type { SessionId } from '../ids.ts';
import type { Scope } from '../scope/scope.ts';
import { type GuardParts, SessionState, type SessionInfo } from './state/session-state.ts';
import { HookActivity } from './state/hook-activity.ts';
import { guardSingleCall, type SingleCall, type ToolFunction } from './single-call.ts';
import type { CallResult } from './calls/call-result.ts';
import { Turn, type TurnPosition } from './turn.ts';
import { type GuardedTools, type WrappableTools, type WrapOptions, wrapTools } from './wrap-tools.ts';

export interface SessionStart {
  /** Seeds the session scope. */
  readonly state?: Readonly<Record<string, unknown>> | undefined;
  readonly resumed?: boolean | undefined;
  /** The number of turns that a resumed session has had. */
  readonly turns?: number | undefined;
  /** Seeds the state of the tools. */
  readonly toolState?: Readonly<Record<string, unknown>> | undefined;
}

export class Session {
  private readonly activity: HookActivity;
  private ending: Promise<void> | undefined;
  private readonly separate = new Set<Turn>();

  private constructor(readonly sessionState: SessionState) {
    this.activity = new HookActivity(sessionState, undefined, 'session');
    sessionState.sessionActivity = this.activity;
  }

  /** Starts a session. Throws if a hook rejects it. */
  static async start(parts: GuardParts, info: SessionInfo, start: SessionStart): Promise<Session> {
    const { state = {}, toolState = {}, turns = 0, resumed = false } = start;
    const session = new Session(new SessionState(parts, info));
    session.sessionState.resumeAt(turns);
    for (const [key, value] of Object.entries(state)) session.scope.set(key, value);
    for (const [key, value] of Object.entries(toolState)) session.sessionState.toolStore.set(key, value);
    const payload = Object.freeze({ session: info.id, host: info.host, agent: info.agent, resumed });
    const result = await session.activity.dispatch('onSessionStart', payload);
    if (result.type !== 'passed') throw new BridleError('SESSION_REJECTED', refusalReasonOf(result));
    session.sessionState.emit(session.activity, () => ({ type: 'session_started', resumed }));
    return session;
  }

  get id(): SessionId {
    return this.sessionState.info.id;
  }

  /** State that lives as long as the session. */
  get scope(): Scope {
    return this.sessionState.scope;
  }

  /** State of the tools of this session. */
  get toolStore(): Scope {
    return this.sessionState.toolStore;
  }

  /** The number of turns so far, including those of subagents. */
  get turnCount(): number {
    return this.sessionState.turnCount;
  }

  /** Calls `listen` synchronously with every event, in order, until the returned function is called. */
  listen(listen: (event: BridleEvent) => void): () => void {
    this.sessionState.listeners.add(listen);
    return () => void this.sessionState.listeners.delete(listen);
  }

  /** Emits an event that belongs to no turn. */
  emit(make: () => EventBody): void {
    this.sessionState.emit(this.activity, make);
  }

  /** Begins the next turn or resumes one. The previous turn ends. */
  turn(origin: TurnOrigin = 'user', resumed?: TurnPosition): Turn {
    if (this.ending !== undefined) throw new BridleError('SESSION_ENDED', 'the session has ended');
    this.sessionState.current?.end();
    const turn = new Turn(this.sessionState, origin, resumed);
    this.sessionState.current = turn;
    return turn;
  }

  /** Begins a turn for calls that belong to no other turn. Several can be open at the same time. */
  openSeparateTurn(): Turn {
    if (this.ending !== undefined) throw new BridleError('SESSION_ENDED', 'the session has ended');
    const turn = new Turn(this.sessionState, 'user');
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
    return guardSingleCall(() => this, { tool, args, run, allTools: this.sessionState.parts.allTools });
  }

  /** Returns the same tools, guarded. Each call is its own turn unless one is passed. */
  wrap<T extends WrappableTools>(tools: T, options: WrapOptions = {}): GuardedTools<T> {
    return wrapTools(tools, options, { ...this.sessionState.parts, open: () => this });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.end();
  }

  /** Ends the session and waits for background work. Calling it again has no effect. Throws if a hook with `failOpen: false` failed. */
  end(reason = 'stopped'): Promise<void> {
    return (this.ending ??= this.finish(reason));
  }

  private async finish(reason: string): Promise<void> {
    this.sessionState.current?.end();
    for (const turn of this.separate) this.endSeparateTurn(turn);
    await this.sessionState.whenIdle();
    const result = await this.activity.dispatch('onSessionEnd', Object.freeze({ reason }));
    this.sessionState.emit(this.activity, () => ({ type: 'session_ended', reason }));
    this.sessionState.observers.close(this.activity.clock.now());
    while (this.sessionState.backgroundWork.size > 0) await Promise.allSettled(this.sessionState.backgroundWork);
    await this.sessionState.recorder.flush();
    if (result.type === 'failed') throw new BridleError('HOOK_FATAL', result.reason);
  }
}
