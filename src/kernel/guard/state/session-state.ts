/** What all frames of one session share. */

import type { AnswerMemory, Approver, Mask, RuleProposer } from '../../approval.ts';
import type { Grant } from '../../call.ts';
import type { ToolView } from '../../catalog/catalog.ts';
import type { Clock } from '../../clock.ts';
import type { Deadlines } from '../../deadlines.ts';
import type { Activity } from '../../hooks/points/hook-context.ts';
import type { BridleEvent, EventBody } from '../../hooks/points/events.ts';
import type { Hooks } from '../../hooks/registration/hooks.ts';
import { Observers } from '../../hooks/dispatch/observers.ts';
import type { SessionId } from '../../ids.ts';
import type { JsonValue } from '../../json.ts';
import { type Journal, journalVersion, type NotedEntry } from '../../records/journal-entry.ts';
import type { Limits } from '../../limits.ts';
import { RecordMask } from '../../records/record-mask.ts';
import { isPromise } from '../../maybe-promise.ts';
import type { PolicyEvaluator } from '../../policy/evaluator/policy.ts';
import { createScope, type Scope } from '../../scope/scope.ts';
import type { ToolDeclaration } from '../../tool.ts';
import type { SchemaConverter } from '../../catalog/foreign-tool.ts';
import { Recorder } from '../../records/recorder.ts';
import { SessionAnswers } from './session-answers.ts';

/** What a guard is made of, checked and complete. */
export interface GuardParts {
  readonly hooks: Hooks;
  readonly policy: PolicyEvaluator;
  /** The tools of the agent that calls. */
  readonly visibleTools: ToolView;
  /** The tools of the agent and all its subagents. */
  readonly allTools: ToolView;
  readonly approver: Approver | undefined;
  /** Where remembered answers are kept; in the session if not given. */
  readonly answers: AnswerMemory | undefined;
  readonly proposals: RuleProposer | undefined;
  readonly mask: Mask | undefined;
  readonly keyspace: ((session: string) => string) | undefined;
  readonly journal: Journal | undefined;
  /** How long a call waits for the journal. */
  readonly journalTimeoutMs: number;
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly limits: Limits;
  /** How long a person has to answer. */
  readonly askTimeoutMs: number;
  readonly grant: Grant;
  /** Makes a Standard Schema of a JSON Schema, for tools that are wrapped. */
  readonly toStandardSchema: SchemaConverter | undefined;
  /** True for a tool with side effects of which nobody has said what happens to its calls. */
  readonly isUncovered: (tool: ToolDeclaration) => boolean;
}

export interface SessionInfo {
  readonly id: SessionId;
  readonly host: string;
  readonly loopName: string;
  readonly agent: readonly string[];
  readonly cwd: string | undefined;
}

/** Where in a session something happens. */
export interface SessionPosition {
  readonly turn: number;
  readonly step: number;
}

export interface PositionedActivity extends Activity {
  readonly position: SessionPosition;
}

export class SessionState {
  readonly scope: Scope;
  /** A store of the tools' own, apart from the hooks' scopes. */
  readonly toolStore: Scope;
  readonly recorder: Recorder;
  readonly mask: RecordMask;
  readonly answers: AnswerMemory;
  readonly backgroundWork: Set<Promise<unknown>>;
  readonly observers: Observers;
  /** Told of every event at once, in order, without a bound: for whoever runs the session. */
  readonly listeners: Set<(event: BridleEvent) => void>;
  /** The core of the session itself; a subagent's core grows from it and shares what belongs to the session. */
  private readonly mainState: SessionState;
  /** The turn that runs now; one that has ended is not kept. */
  current: { end(): void } | undefined;
  private turns = 0;
  private seq = 0;
  private calls = 0;
  private onIdle: (() => void) | undefined;
  private aborter: AbortController | undefined;

  constructor(
    readonly parts: GuardParts,
    readonly info: SessionInfo,
    parent?: SessionState,
  ) {
    const { deadlines, hooks, limits, journal } = parts;
    this.mask = new RecordMask(parts.mask);
    this.mainState = parent?.mainState ?? this;
    this.sessionActivity = parent?.sessionActivity;
    this.scope = parent?.scope ?? createScope(undefined, parts);
    this.toolStore = parent?.toolStore ?? createScope(undefined, parts);
    this.answers = parent?.answers ?? parts.answers ?? new SessionAnswers(parts.clock);
    this.backgroundWork = parent?.backgroundWork ?? new Set();
    this.listeners = parent?.listeners ?? new Set();
    this.observers = parent?.observers ?? new Observers(hooks.observers(), limits.eventQueue);
    this.recorder =
      parent?.recorder ??
      new Recorder({
        journal,
        mask: this.mask,
        deadlines,
        timeoutMs: parts.journalTimeoutMs,
        wall: () => parts.clock.wall(),
        onFailure: (message) => this.journalFailed(message),
      });
  }

  /** How many turns the session has had, those of subagents included: each has a number of its own. */
  get turnCount(): number {
    return this.mainState.turns;
  }

  nextTurn(): number {
    return ++this.mainState.turns;
  }

  /** Goes on counting where a session that is resumed had stopped. */
  resumeAt(turns: number): void {
    this.mainState.turns = turns;
  }

  /** For what happens outside a turn, where nothing is ever cancelled. */
  get signal(): AbortSignal {
    return (this.aborter ??= new AbortController()).signal;
  }

  /** The frame events without a frame of their own come from; set once by the session. */
  sessionActivity: PositionedActivity | undefined;

  /** Tells the observers; `make` is called only if there are any. */
  emit(activity: PositionedActivity, make: () => EventBody): void {
    const observed = this.observers.wants(activity);
    if (!observed && this.listeners.size === 0) return;
    const { id: session, agent } = this.info;
    const body = this.mask.maskEvent(make());
    const event = {
      seq: this.mainState.seq++,
      at: this.parts.clock.wall(),
      session,
      ...activity.position,
      agent,
      ...body,
    };
    for (const value of Object.values(body)) Object.freeze(value);
    Object.freeze(event);
    for (const listen of this.listeners) listen(event);
    if (observed) this.observers.publish(event, activity);
  }

  note(activity: PositionedActivity, status: NotedEntry['status'], detail: JsonValue): void {
    const written = this.recorder.recordNote({ ...this.entryHead(activity.position), kind: 'noted', status, detail });
    if (isPromise(written)) this.inBackground(written);
  }

  entryHead(
    position: SessionPosition,
  ): Pick<NotedEntry, 'v' | 'at' | 'session' | 'turn' | 'step' | 'agent' | 'policy'> {
    const { id: session, agent } = this.info;
    const { turn, step } = position;
    return {
      v: journalVersion,
      at: this.parts.clock.wall(),
      session,
      turn,
      step,
      agent,
      policy: this.parts.policy.version,
    };
  }

  beginCall(): void {
    this.mainState.calls++;
  }

  endCall(): void {
    const { mainState } = this;
    mainState.calls--;
    if (mainState.calls === 0) mainState.onIdle?.();
  }

  /** When no tool call is on its way: what was cancelled still has to be settled and recorded. */
  whenIdle(): Promise<void> {
    if (this.calls === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.onIdle = resolve;
    });
  }

  /** Work the end of the session waits for. */
  inBackground(work: Promise<unknown>): void {
    this.backgroundWork.add(work);
    const done = (): boolean => this.backgroundWork.delete(work);
    work.then(done, done);
  }

  private journalFailed(message: string): void {
    const { sessionActivity } = this;
    if (sessionActivity !== undefined) this.emit(sessionActivity, () => ({ type: 'journal_failed', message }));
  }
}
