/** What hooks are handed: a view of a frame that shows nothing of its machinery. */

import { BridleError } from '../../errors.ts';
import type { HookContext } from '../../hooks/points/hook-context.ts';
import type { Interaction, Question } from '../../hooks/points/payloads.ts';
import type { SessionId } from '../../ids.ts';
import type { JsonValue } from '../../json.ts';
import type { StateKey } from '../../scope/state-key.ts';
import type { Scope } from '../../scope/scope.ts';
import type { SessionPosition, SessionState } from './session-state.ts';

/** The frame behind a context. */
interface ContextSource {
  readonly sessionState: SessionState;
  readonly turn: { readonly scope: Scope; readonly signal: AbortSignal } | undefined;
  readonly position: SessionPosition;
  readonly operation: Scope;
  readonly innermost: Scope;
  emitCustom(name: string, data: unknown): void;
  ask(questions: readonly Question[]): Promise<Interaction>;
}

export class ActivityContext implements HookContext {
  readonly #activity: ContextSource;

  constructor(activity: ContextSource) {
    this.#activity = activity;
    // Every hook of a frame gets this object: none may put a method of its own in the place of another.
    Object.freeze(this);
  }

  get sessionId(): SessionId {
    return this.#activity.sessionState.info.id;
  }

  get turnNumber(): number {
    return this.#activity.position.turn;
  }

  get stepNumber(): number {
    return this.#activity.position.step;
  }

  get agent(): readonly string[] {
    return this.#activity.sessionState.info.agent;
  }

  get depth(): number {
    return this.agent.length - 1;
  }

  get loopName(): string {
    return this.#activity.sessionState.info.loopName;
  }

  get host(): string {
    return this.#activity.sessionState.info.host;
  }

  get signal(): AbortSignal {
    return this.#activity.turn?.signal ?? this.#activity.sessionState.signal;
  }

  get session(): Scope {
    return this.#activity.sessionState.scope;
  }

  get turn(): Scope {
    const { turn } = this.#activity;
    if (turn === undefined) throw new BridleError('SCOPE_MISSING', 'there is no turn scope outside a turn');
    return turn.scope;
  }

  get operation(): Scope {
    return this.#activity.operation;
  }

  get<T>(key: StateKey<T>): T;
  get(key: string): JsonValue | undefined;
  get<T extends JsonValue>(key: string, fallback: T): JsonValue | T;
  get(key: StateKey<unknown> | string, fallback?: JsonValue): unknown {
    return this.#activity.innermost.get(key as string, fallback as JsonValue);
  }

  set(key: StateKey<unknown> | string, value: unknown): void {
    this.#activity.innermost.set(key as string, value);
  }

  emit(name: string, data?: unknown): void {
    this.#activity.emitCustom(name, data);
  }

  ask(questions: readonly Question[]): Promise<Interaction> {
    return this.#activity.ask(questions);
  }
}
