/** The context of a hook, and what dispatch needs to know about a session, turn or tool call. */

import type { Clock } from '../../clock.ts';
import type { Deadlines } from '../../deadlines.ts';
import type { SessionId } from '../../ids.ts';
import type { JsonValue } from '../../json.ts';
import type { Limits } from '../../limits.ts';
import type { Scope, StateKey } from '../../scope/scope.ts';
import type { FailureKind } from './events.ts';
import type { Interaction, Question } from './payloads.ts';
import type { PointName } from './points.ts';

export interface HookContext {
  readonly sessionId: SessionId;
  readonly turnNumber: number;
  readonly stepNumber: number;
  /** Agent names from the root to this one. */
  readonly agent: readonly string[];
  /** 0 for the root agent. */
  readonly depth: number;
  readonly loopName: string;
  readonly host: string;
  /** Aborted when the turn is cancelled. */
  readonly signal: AbortSignal;
  readonly session: Scope;
  /** Throws outside a turn. */
  readonly turn: Scope;
  /** Throws outside a tool call. */
  readonly operation: Scope;
  /** Looks in operation, turn, session, in that order. */
  get<T>(key: StateKey<T>): T;
  get(key: string): JsonValue | undefined;
  get<T extends JsonValue>(key: string, fallback: T): JsonValue | T;
  /** Writes to the innermost scope. */
  set<T>(key: StateKey<T>, value: T): void;
  set(key: string, value: unknown): void;
  /** Sends a custom event to the observers. */
  emit(name: string, data?: unknown): void;
  /** Asks a person through `onInteraction`. The wait does not count against the hook's time limit. */
  ask(questions: readonly Question[]): Promise<Interaction>;
}

/** Fields are in alphabetical order, as journal records require. */
export interface HookFailure {
  readonly hook: string;
  readonly kind: FailureKind;
  readonly message: string;
  readonly point: PointName;
}

/** A session, turn, tool call or question, as dispatch sees it. */
export interface Activity {
  readonly hookContext: HookContext;
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly limits: Limits;
  /** Nesting of observers: 0 for the work itself, 1 for what an observer of it does, and so on. */
  readonly observerDepth: number;
  /** This activity as observers get it, with a depth that is one higher. */
  readonly forObservers: Activity;
  /** True when the caller no longer waits. No further hook is called. */
  readonly isOver: boolean;
  /** True if the reason is a cancelled turn. A hook that hangs is then not reported as a failure. */
  readonly isCancelled: boolean;
  /** Monotonic milliseconds, paused while a hook of this activity waits for a person. */
  workingTimeMs(): number;
  /** True while a hook of this activity waits for a person. */
  isAsking(): boolean;
  /** Records a failure and emits an event. */
  reportFailure(failure: HookFailure): void;
  /** Records a failure of an observer without an event, because the event would reach the failing observer again. */
  reportObserverFailure(failure: HookFailure): void;
  /** Registers background work. The end of the session waits for it. */
  runInBackground(work: Promise<unknown>): void;
}
