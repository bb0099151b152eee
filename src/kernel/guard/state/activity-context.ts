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
  readonly core: SessionState;
  readonly turn: { readonly scope: Scope; readonly signal: AbortSignal } | undefined;
  readonly place: SessionPosition;
  readonly operation: Scope;
  readonly innermost: Scope;
  emitCustom(name: string, data: unknown): void;
  ask(questions: readonly Question[]): Promise<Interaction>;
}

export class ActivityContext implements HookContext {
  readonly #frame: ContextSource;

  constructor(frame: ContextSource) {
    this.#frame = frame;
    // Every hook of a frame gets this object: none may put a method of its own in the place of another.
    Object.freeze(this);
  }

  get sessionId(): SessionId {
    return this.#frame.core.facts.id;
  }

  get turnNumber(): number {
    return this.#frame.place.turn;
  }

  get stepNumber(): number {
    return this.#frame.place.step;
  }

  get agent(): readonly string[] {
    return this.#frame.core.facts.agent;
  }

  get depth(): number {
    return this.agent.length - 1;
  }

  get coreType(): string {
    return this.#frame.core.facts.coreType;
  }

  get host(): string {
    return this.#frame.core.facts.host;
  }

  get signal(): AbortSignal {
    return this.#frame.turn?.signal ?? this.#frame.core.signal;
  }

  get session(): Scope {
    return this.#frame.core.scope;
  }

  get turn(): Scope {
    const { turn } = this.#frame;
    if (turn === undefined) throw new BridleError('SCOPE_MISSING', 'there is no turn scope outside a turn');
    return turn.scope;
  }

  get operation(): Scope {
    return this.#frame.operation;
  }

  get<T>(key: StateKey<T>): T;
  get(key: string): JsonValue | undefined;
  get<T extends JsonValue>(key: string, fallback: T): JsonValue | T;
  get(key: StateKey<unknown> | string, fallback?: JsonValue): unknown {
    return this.#frame.innermost.get(key as string, fallback as JsonValue);
  }

  set(key: StateKey<unknown> | string, value: unknown): void {
    this.#frame.innermost.set(key as string, value);
  }

  emit(name: string, data?: unknown): void {
    this.#frame.emitCustom(name, data);
  }

  ask(questions: readonly Question[]): Promise<Interaction> {
    return this.#frame.ask(questions);
  }
}
