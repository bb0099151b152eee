/** A session, turn, tool call or question in whose context hooks run, with everything that dispatch needs. */

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

export class HookActivity implements Activity {
  readonly hookContext: HookContext;
  observerDepth = 0;
  /** True once a question is answered, times out or is cancelled: no further hook is asked. */
  isOver = false;
  isCancelled = false;
  private waits = 0;
  /** When the current wait for a person began, and the total of the earlier ones. */
  private waitingSince = 0;
  private waitedMs = 0;
  private operationScope: Scope | undefined;
  private observerActivity: HookActivity | undefined;

  constructor(
    readonly state: SessionState,
    readonly turn: TurnState | undefined,
    private readonly kind: 'session' | 'turn' | 'operation' | 'answering', // answering: hooks answer a question
  ) {
    this.hookContext = new ActivityContext(this);
  }

  /** Created on first use. It has the same scopes. */
  get forObservers(): HookActivity {
    if (this.observerActivity === undefined) {
      // Observers of a question do not answer it, so they may ask.
      this.observerActivity = new HookActivity(this.state, this.turn, this.kind === 'answering' ? 'turn' : this.kind);
      this.observerActivity.observerDepth = this.observerDepth + 1;
      if (this.kind === 'operation') this.observerActivity.operationScope = this.operation;
    }
    return this.observerActivity;
  }

  get clock(): Activity['clock'] {
    return this.state.parts.clock;
  }

  get deadlines(): Activity['deadlines'] {
    return this.state.parts.deadlines;
  }

  get limits(): Activity['limits'] {
    return this.state.parts.limits;
  }

  get position(): SessionPosition {
    return { turn: this.turn?.number ?? 0, step: this.turn?.step ?? 0 };
  }

  /** The scope of the tool call, created on first use. */
  get operation(): Scope {
    if (this.kind !== 'operation')
      throw new BridleError('SCOPE_MISSING', 'there is no operation scope outside a tool call');
    return (this.operationScope ??= createScope(this.turn?.scope, this.state.parts));
  }

  get innermost(): Scope {
    return this.kind === 'operation' ? this.operation : (this.turn?.scope ?? this.state.scope);
  }

  /** The scope values that predicates can read. */
  scopeValues(): ScopeValues {
    return { session: valuesOf(this.state.scope), turn: valuesOf(this.turn?.scope) };
  }

  isAsking(): boolean {
    return this.waits > 0;
  }

  workingTimeMs(): number {
    return (this.waits > 0 ? this.waitingSince : this.clock.now()) - this.waitedMs;
  }

  reportFailure(failure: HookFailure): void {
    this.state.note(this, 'hook_failed', { ...failure });
    this.state.emit(this, () => ({ type: 'hook_failed', ...failure }));
  }

  reportObserverFailure(failure: HookFailure): void {
    this.state.note(this, 'observer_failed', { ...failure });
  }

  runInBackground(work: Promise<unknown>): void {
    this.state.inBackground(work);
  }

  dispatch<P extends PointName>(
    point: P,
    payload: PointPayloads[P],
  ): MaybePromise<DispatchResult<PointPayloads[P], ActionAt<P>>> {
    const chain = this.state.parts.hooks.at(point);
    const result = chain.dispatch(payload, this, chain.isEmpty ? undefined : this.workingTimeMs());
    return result as MaybePromise<DispatchResult<PointPayloads[P], ActionAt<P>>>;
  }

  async ask(questions: readonly Question[]): Promise<Interaction> {
    if (this.kind === 'answering') throw new BridleError('ASK_NESTED', 'a hook cannot ask while it answers a question');
    const asked = checkQuestions(questions, this.limits);
    const answering = new HookActivity(this.state, this.turn, 'answering');
    answering.observerDepth = this.observerDepth;
    // The time limit of the question applies to the answering hooks instead of their own.
    answering.beginWait();
    this.beginWait();
    // Observers that ask about every event would get events about their own questions.
    const emit = (make: () => EventBody): void => (this.observerDepth > 0 ? undefined : this.state.emit(this, make));
    emit(() => ({ type: 'interaction_asked', questions: asked }));
    const interaction = await this.answerOf(asked, answering);
    emit(() => ({ type: 'interaction_settled', outcome: interaction.type }));
    return interaction;
  }

  private async answerOf(asked: readonly Question[], answering: HookActivity): Promise<Interaction> {
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
      throw new BridleError('OPTION_INVALID', 'emit(name, data) needs the name of the event');
    this.state.emit(this, () => {
      const copy = copyJson(data ?? null, { bytes: this.limits.eventBytes, depth: this.limits.depth });
      const bounded = copy.problem === undefined ? copy.value : `[omitted: it ${copy.problem}]`;
      return { type: 'custom', name: name.slice(0, this.limits.nameLength), data: bounded };
    });
  }

  private beginWait(): void {
    if (this.waits++ === 0) this.waitingSince = this.clock.now();
  }

  private endWait(): void {
    // Before `waits` decreases, because only time limits that are still paused are extended.
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
