/** What a hook can see and use beside its payload, and what dispatch needs of whoever owns the frame. */

import type { Clock } from '../../clock.ts';
import type { Deadlines } from '../../deadlines.ts';
import type { SessionId } from '../../ids.ts';
import type { JsonValue } from '../../json.ts';
import type { Limits } from '../../limits.ts';
import type { StateKey } from '../../scope/state-key.ts';
import type { Scope } from '../../scope/scope.ts';
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
  /** An error outside a turn. */
  readonly turn: Scope;
  /** An error outside a tool call. */
  readonly operation: Scope;
  /** Looks in operation, turn, session, in that order. */
  get<T>(key: StateKey<T>): T;
  get(key: string): JsonValue | undefined;
  get<T extends JsonValue>(key: string, fallback: T): JsonValue | T;
  /** Writes to the innermost scope. */
  set<T>(key: StateKey<T>, value: T): void;
  set(key: string, value: unknown): void;
  /** Sends an event of your own to the observers. */
  emit(name: string, data?: unknown): void;
  /** Puts questions to a person through `onInteraction`; waiting does not count against the hook's time limit. */
  ask(questions: readonly Question[]): Promise<Interaction>;
}

/** In canonical order, as records keep it. */
export interface HookFailure {
  readonly hook: string;
  readonly kind: FailureKind;
  readonly message: string;
  readonly point: PointName;
}

/** One session, turn or tool call, as dispatch sees it. */
export interface Activity {
  readonly hookContext: HookContext;
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly limits: Limits;
  /** How far from the work: 0 for what happens itself, 1 for what an observer of that does, and so on. */
  readonly distance: number;
  /** This frame as observers get it: what they do is one further from the work. */
  readonly forObservers: Activity;
  /** True when whoever dispatched waits no longer: no further hook is called. */
  readonly isOver: boolean;
  /** True when that is because the turn was cancelled: then hanging is no failure either. */
  readonly isCancelled: boolean;
  /** Milliseconds that only grow while no hook of this frame waits for a person. */
  now(): number;
  /** True while a hook of this frame waits for a person. */
  isAsking(): boolean;
  /** Records a failure and tells the observers. */
  reportFailure(failure: HookFailure): void;
  /** Records an observer's own failure, and tells nobody: that would go round in circles. */
  reportObserverFailure(failure: HookFailure): void;
  /** Work that goes on beside the frame; the end of the session waits for it. */
  runInBackground(work: Promise<unknown>): void;
}
