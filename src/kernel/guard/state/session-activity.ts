/** A session, a turn or a tool call as hooks see it, and as dispatch needs it. */

import { timedOut } from '../../deadlines.ts';
import { BridleError } from '../../errors.ts';
import type { DispatchResult } from '../../hooks/dispatch/dispatch-result.ts';
import type { Activity, HookContext, HookFailure } from '../../hooks/points/hook-context.ts';
import type { EventBody } from '../../hooks/points/events.ts';
import type { Interaction, Question } from '../../hooks/points/payloads.ts';
import type { ActionAt, PointPayloads, PointName } from '../../hooks/points/points.ts';
import { copyJson, type JsonObject, type JsonValue } from '../../json.ts';
import { isPromise, type MaybePromise } from '../../maybe-promise.ts';
import type { ScopeValues } from '../../policy/rules/rule.ts';
import { createScope, type Scope } from '../../scope/scope.ts';
import { ActivityContext } from './activity-context.ts';
import type { SessionPosition, SessionState } from './session-state.ts';
import { checkQuestions } from './check-questions.ts';
import type { TurnState } from './turn-state.ts';
import { cancelled, waitForPerson } from './wait-for-person.ts';

export class SessionActivity implements Activity {
  readonly hookContext: HookContext;
  distance = 0;
  isOver = false;
  isCancelled = false;
  private waits = 0;
  /** When the first of them began, and how long those before took together. */
  private waitingSince = 0;
  private waitedMs = 0;
  private operationScope: Scope | undefined;
  private observerActivity: SessionActivity | undefined;

  constructor(
    readonly sessionState: SessionState,
    readonly turn: TurnState | undefined,
    private readonly kind: 'session' | 'turn' | 'operation' | 'answering',
  ) {
    this.hookContext = new ActivityContext(this);
  }

  /** Made when first used. Scopes are the same. */
  get forObservers(): SessionActivity {
    if (this.observerActivity === undefined) {
      // Whoever watches a question being answered does not answer it.
      this.observerActivity = new SessionActivity(
        this.sessionState,
        this.turn,
        this.kind === 'answering' ? 'turn' : this.kind,
      );
      this.observerActivity.distance = this.distance + 1;
      if (this.kind === 'operation') this.observerActivity.operationScope = this.operation;
    }
    return this.observerActivity;
  }

  get clock(): Activity['clock'] {
    return this.sessionState.parts.clock;
  }

  get deadlines(): Activity['deadlines'] {
    return this.sessionState.parts.deadlines;
  }

  get limits(): Activity['limits'] {
    return this.sessionState.parts.limits;
  }

  get position(): SessionPosition {
    return { turn: this.turn?.number ?? 0, step: this.turn?.step ?? 0 };
  }

  /** The scope of the tool call, made when first used. */
  get operation(): Scope {
    if (this.kind !== 'operation')
      throw new BridleError('SCOPE_MISSING', 'there is no operation scope outside a tool call');
    return (this.operationScope ??= createScope(this.turn?.scope, this.sessionState.parts));
  }

  get innermost(): Scope {
    return this.kind === 'operation' ? this.operation : (this.turn?.scope ?? this.sessionState.scope);
  }

  /** What predicates can read. */
  scopeValues(): ScopeValues {
    return { session: valuesOf(this.sessionState.scope), turn: valuesOf(this.turn?.scope) };
  }

  isAsking(): boolean {
    return this.waits > 0;
  }

  now(): number {
    return (this.waits > 0 ? this.waitingSince : this.clock.now()) - this.waitedMs;
  }

  reportFailure(failure: HookFailure): void {
    this.sessionState.note(this, 'hook_failed', { ...failure });
    this.sessionState.emit(this, () => ({ type: 'hook_failed', ...failure }));
  }

  reportObserverFailure(failure: HookFailure): void {
    this.sessionState.note(this, 'observer_failed', { ...failure });
  }

  runInBackground(work: Promise<unknown>): void {
    this.sessionState.inBackground(work);
  }

  /** Calls the hooks of a point. */
  dispatch<P extends PointName>(
    point: P,
    payload: PointPayloads[P],
  ): MaybePromise<DispatchResult<PointPayloads[P], ActionAt<P>>> {
    const chain = this.sessionState.parts.hooks.at(point);
    const result = chain.dispatch(payload, this, chain.isEmpty ? undefined : this.now());
    return result as MaybePromise<DispatchResult<PointPayloads[P], ActionAt<P>>>;
  }

  async ask(questions: readonly Question[]): Promise<Interaction> {
    if (this.kind === 'answering') throw new BridleError('ASK_NESTED', 'a hook cannot ask while it answers a question');
    const asked = checkQuestions(questions, this.limits);
    const answering = new SessionActivity(this.sessionState, this.turn, 'answering');
    answering.distance = this.distance;
    // Whoever answers has the time of the question, too.
    answering.beginWait();
    this.beginWait();
    // Observers that ask about every event would be told of their own questions.
    const emit = (make: () => EventBody): void => (this.distance > 0 ? undefined : this.sessionState.emit(this, make));
    emit(() => ({ type: 'interaction_asked', questions: asked }));
    const interaction = await this.answerOf(asked, answering);
    emit(() => ({ type: 'interaction_settled', outcome: interaction.type }));
    return interaction;
  }

  private async answerOf(asked: readonly Question[], answering: SessionActivity): Promise<Interaction> {
    try {
      const dispatched = answering.dispatch('onInteraction', { questions: asked });
      const result = isPromise(dispatched) ? await waitForPerson(dispatched, this) : dispatched;
      answering.isCancelled = result === cancelled;
      if (result === cancelled) return { type: 'cancelled' };
      return result === timedOut ? { type: 'unanswered' } : toInteraction(result);
    } finally {
      answering.isOver = true;
      answering.endWait();
      this.endWait();
    }
  }

  emitCustom(name: string, data: unknown): void {
    if (typeof name !== 'string' || name === '')
      throw new BridleError('OPTION_INVALID', 'emit needs the name of the event');
    this.sessionState.emit(this, () => {
      const copy = copyJson(data ?? null, { bytes: this.limits.eventBytes, depth: this.limits.depth });
      const bounded = copy.problem === undefined ? copy.value : `[left out: it ${copy.problem}]`;
      return { type: 'custom', name: name.slice(0, this.limits.nameLength), data: bounded };
    });
  }

  private beginWait(): void {
    if (this.waits++ === 0) this.waitingSince = this.clock.now();
  }

  private endWait(): void {
    // While it still counts as waiting.
    const now = this.deadlines.extendPaused();
    if (--this.waits === 0) this.waitedMs += now - this.waitingSince;
  }
}

function valuesOf(scope: Scope | undefined): JsonObject {
  return Object.fromEntries((scope?.keys() ?? []).map((key) => [key, scope?.get(key) as JsonValue]));
}

function toInteraction(result: DispatchResult<unknown, ActionAt<'onInteraction'>>): Interaction {
  if (result.type === 'failed') throw new BridleError('HOOK_FATAL', result.reason);
  if (result.type !== 'answered') return { type: 'unanswered' };
  const { action } = result;
  return action.type === 'cancel' ? { type: 'cancelled' } : { type: 'answered', responses: action.responses };
}
