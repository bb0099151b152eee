/** A session, turn, tool call or question, in which hooks run. Dispatch, events and questions to a person start here. */

import { timedOut, withTimeout } from '../../deadlines.ts';
import { BridleError } from '../../errors.ts';
import { type DispatchResult, unchangedResult } from '../../hooks/dispatch/dispatch-result.ts';
import type { Activity, HookContext, HookFailure } from '../../hooks/points/hook-context.ts';
import type { BridleEvent, EventBody } from '../../hooks/points/events.ts';
import type { Interaction, Question } from '../../hooks/points/payloads.ts';
import type { ActionAt, PointPayloads, PointName } from '../../hooks/points/points.ts';
import * as is from '../../shapes.ts';
import { Invalid } from '../../shapes.ts';
import { copyJson, type JsonObject, type JsonValue } from '../../json.ts';
import { isPromise, type MaybePromise } from '../../maybe-promise.ts';
import type { ScopeValues } from '../../policy/rules/rule.ts';
import { journalVersion, type NotedEntry } from '../../records/journal-entry.ts';
import { createScope, type Scope } from '../../scope/scope.ts';
import { ActivityContext } from './activity-context.ts';
import type { SessionState } from './session-state.ts';

/** The part of a turn that its activities need. */
export interface TurnState {
  readonly number: number;
  readonly step: number;
  readonly scope: Scope;
  readonly signal: AbortSignal;
  readonly isCancelled: boolean;
  /** Calls `stop` once when the turn is cancelled, immediately if it is already. The returned function unsubscribes. */
  whenCancelled(stop: () => void): () => void;
}

export const cancelled: unique symbol = Symbol('cancelled');

export class HookActivity implements Activity {
  readonly clock: Activity['clock'];
  readonly deadlines: Activity['deadlines'];
  readonly limits: Activity['limits'];
  observerDepth = 0;
  /** True once a question is answered, times out or is cancelled: no further hook is asked. */
  isOver = false;
  isCancelled = false;
  private waits = 0;
  /** When the current wait for a person began, and the total of the earlier ones. */
  private waitingSince = 0;
  private waitedMs = 0;
  private context: HookContext | undefined;
  private ownSignal: AbortSignal | undefined;
  private operationScope: Scope | undefined;
  private observerActivity: HookActivity | undefined;

  constructor(
    readonly session: SessionState,
    readonly turn: TurnState | undefined,
    private readonly kind: 'session' | 'turn' | 'operation' | 'answering', // answering: hooks answer a question
  ) {
    this.clock = session.parts.clock;
    this.deadlines = session.parts.deadlines;
    this.limits = session.parts.limits;
  }

  get hookContext(): HookContext {
    return (this.context ??= new ActivityContext(this));
  }

  /** Created on first use. It has the same scopes. */
  get forObservers(): HookActivity {
    if (this.observerActivity === undefined) {
      // Observers of a question do not answer it, so they may ask.
      const kind = this.kind === 'answering' ? 'turn' : this.kind;
      this.observerActivity = new HookActivity(this.session, this.turn, kind);
      this.observerActivity.observerDepth = this.observerDepth + 1;
      if (this.kind === 'operation') this.observerActivity.operationScope = this.operation;
    }
    return this.observerActivity;
  }

  /** Outside a turn it is never aborted. */
  get signal(): AbortSignal {
    return this.turn?.signal ?? (this.ownSignal ??= new AbortController().signal);
  }

  /** The scope of the tool call, created on first use. */
  get operation(): Scope {
    if (this.kind !== 'operation')
      throw new BridleError('SCOPE_MISSING', 'there is no operation scope outside a tool call');
    return (this.operationScope ??= createScope(this.turn?.scope, this.session.parts));
  }

  get innermost(): Scope {
    return this.kind === 'operation' ? this.operation : (this.turn?.scope ?? this.session.scope);
  }

  /** The scope values that predicates can read. */
  scopeValues(): ScopeValues {
    return { session: valuesOf(this.session.scope), turn: valuesOf(this.turn?.scope) };
  }

  isAsking(): boolean {
    return this.waits > 0;
  }

  workingTimeMs(): number {
    return (this.waits > 0 ? this.waitingSince : this.clock.now()) - this.waitedMs;
  }

  reportFailure(failure: HookFailure): void {
    this.note('hook_failed', { ...failure });
    this.emit(() => ({ type: 'hook_failed', ...failure }));
  }

  reportObserverFailure(failure: HookFailure): void {
    this.note('observer_failed', { ...failure });
  }

  runInBackground(work: Promise<unknown>): void {
    this.session.runInBackground(work);
  }

  dispatch<P extends PointName>(
    point: P,
    payload: PointPayloads[P],
  ): MaybePromise<DispatchResult<PointPayloads[P], ActionAt<P>>> {
    const chain = this.session.parts.hooks.chains[point];
    if (chain.isEmpty) return unchangedResult;
    const result = chain.dispatch(payload, this, this.workingTimeMs());
    return result as MaybePromise<DispatchResult<PointPayloads[P], ActionAt<P>>>;
  }

  /** Emits an event. `make` is called only if there are observers or listeners. */
  emit(make: () => EventBody): void {
    const { observers, listeners, mask, info, isObserved } = this.session;
    const observed = isObserved && observers.wants(this);
    if (!observed && listeners.size === 0) return;
    const body = mask.maskEvent(make());
    for (const value of Object.values(body)) Object.freeze(value);
    const event: BridleEvent = Object.freeze({
      seq: this.session.nextEvent(),
      at: this.clock.wall(),
      session: info.id,
      turn: this.turn?.number ?? 0,
      step: this.turn?.step ?? 0,
      agent: info.agent,
      ...body,
    });
    for (const listen of listeners) listen(event);
    if (observed) observers.publish(event, this);
  }

  emitCustom(name: string, data: unknown): void {
    if (typeof name !== 'string' || name === '')
      throw new BridleError('OPTION_INVALID', 'emit(name, data) needs the name of the event');
    this.emit(() => {
      const copy = copyJson(data ?? null, { bytes: this.limits.eventBytes, depth: this.limits.depth });
      const bounded = copy.problem === undefined ? copy.value : `[omitted: it ${copy.problem}]`;
      return { type: 'custom', name: name.slice(0, this.limits.nameLength), data: bounded };
    });
  }

  /** Records a note without waiting for the journal. */
  note(status: NotedEntry['status'], detail: JsonValue): void {
    const written = this.recordNote(status, detail);
    if (isPromise(written)) this.runInBackground(written);
  }

  /** Records a note. Returns why the journal did not accept it, if it did not. */
  recordNote(status: NotedEntry['status'], detail: JsonValue): MaybePromise<string | undefined> {
    const { info, parts, recorder } = this.session;
    return recorder.recordNote({
      v: journalVersion,
      at: this.clock.wall(),
      session: info.id,
      turn: this.turn?.number ?? 0,
      step: this.turn?.step ?? 0,
      agent: info.agent,
      policy: parts.policy.version,
      kind: 'noted',
      status,
      detail,
    });
  }

  /** Asks a person through `onInteraction`. */
  async ask(questions: readonly Question[]): Promise<Interaction> {
    if (this.kind === 'answering') throw new BridleError('ASK_NESTED', 'a hook cannot ask while it answers a question');
    const checked = readQuestions(questions, this.limits);
    if (checked instanceof Invalid || checked.length === 0) {
      const what = 'the list of questions';
      const problem = checked instanceof Invalid ? checked.textAbout(what) : `${what} is empty`;
      throw new BridleError('OPTION_INVALID', problem);
    }
    const answering = new HookActivity(this.session, this.turn, 'answering');
    answering.observerDepth = this.observerDepth;
    // The time limit of the question applies to the answering hooks instead of their own.
    answering.beginWait();
    this.beginWait();
    // Observers that ask about every event would get events about their own questions.
    const emit = (make: () => EventBody): void => (this.observerDepth > 0 ? undefined : this.emit(make));
    emit(() => ({ type: 'interaction_asked', questions: checked }));
    const interaction = await this.answerOf(checked, answering);
    emit(() => ({ type: 'interaction_settled', outcome: interaction.type }));
    return interaction;
  }

  private async answerOf(asked: readonly Question[], answering: HookActivity): Promise<Interaction> {
    try {
      const dispatched = answering.dispatch('onInteraction', { questions: asked });
      const result = isPromise(dispatched) ? await this.waitForPerson(dispatched) : dispatched;
      answering.isCancelled = result === cancelled;
      if (result === cancelled) return { type: 'cancelled' };
      return result === timedOut ? { type: 'unanswered' } : toInteraction(result);
    } finally {
      answering.isOver = true;
      answering.endWait();
      this.endWait();
    }
  }

  /** The value of `given`, `cancelled` if the turn is cancelled first, or `timedOut`. */
  waitForPerson<T>(given: PromiseLike<T>): Promise<T | typeof cancelled | typeof timedOut> {
    const { parts } = this.session;
    const answer = new Promise<T | typeof cancelled>((resolve, reject) => {
      const done = this.turn?.whenCancelled(() => resolve(cancelled));
      given.then(
        (value) => (done?.(), resolve(value)),
        (error: unknown) => (done?.(), reject(error)),
      );
    });
    return withTimeout(answer, parts.askTimeoutMs, parts);
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

const readQuestions = is.list(
  is.record<Question>({
    question: is.nonEmptyText,
    options: is.optional(is.list(is.record({ text: is.nonEmptyText, description: is.optional(is.nonEmptyText) }))),
    multiSelect: is.optional(is.flag),
  }),
);

function valuesOf(scope: Scope | undefined): JsonObject {
  return Object.fromEntries((scope?.keys() ?? []).map((key) => [key, scope?.get(key) as JsonValue]));
}

function toInteraction(result: DispatchResult<unknown, ActionAt<'onInteraction'>>): Interaction {
  if (result.type === 'failed') throw new BridleError('HOOK_FATAL', result.reason);
  if (result.type !== 'answered') return { type: 'unanswered' };
  const { action } = result;
  return action.type === 'cancel' ? { type: 'cancelled' } : { type: 'answered', responses: action.responses };
}
