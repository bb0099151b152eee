/** The context object that hooks get. It hides everything else of the activity. */

import { BridleError } from '../../errors.ts';
import type { HookContext } from '../../hooks/points/hook-context.ts';
import type { Interaction, Question } from '../../hooks/points/payloads.ts';
import type { SessionId } from '../../ids.ts';
import type { JsonValue } from '../../json.ts';
import type { Scope, StateKey } from '../../scope/scope.ts';
import type { SessionState } from './session-state.ts';

interface ContextSource {
  readonly session: SessionState;
  readonly turn: { readonly number: number; readonly step: number; readonly scope: Scope } | undefined;
  readonly signal: AbortSignal;
  readonly operation: Scope;
  readonly innermost: Scope;
  emitCustom(name: string, data: unknown): void;
  ask(questions: readonly Question[]): Promise<Interaction>;
}

export class ActivityContext implements HookContext {
  readonly #activity: ContextSource;

  constructor(activity: ContextSource) {
    this.#activity = activity;
    // All hooks of an activity share this object, so no hook may replace its methods.
    Object.freeze(this);
  }

  get sessionId(): SessionId {
    return this.#activity.session.info.id;
  }

  get turnNumber(): number {
    return this.#activity.turn?.number ?? 0;
  }

  get stepNumber(): number {
    return this.#activity.turn?.step ?? 0;
  }

  get agent(): readonly string[] {
    return this.#activity.session.info.agent;
  }

  get depth(): number {
    return this.agent.length - 1;
  }

  get loopName(): string {
    return this.#activity.session.info.loopName;
  }

  get host(): string {
    return this.#activity.session.info.host;
  }

  get signal(): AbortSignal {
    return this.#activity.signal;
  }

  get session(): Scope {
    return this.#activity.session.scope;
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
