/** The state that all activities of one session share. */

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

/** The checked and complete parts of a guard. */
export interface GuardParts {
  readonly hooks: Hooks;
  readonly policy: PolicyEvaluator;
  /** The tools that the calling agent can see. */
  readonly visibleTools: ToolView;
  /** The tools of the agent and all its subagents. */
  readonly allTools: ToolView;
  readonly approver: Approver | undefined;
  /** Stores remembered answers. Default: the session. */
  readonly answers: AnswerMemory | undefined;
  readonly proposals: RuleProposer | undefined;
  readonly mask: Mask | undefined;
  readonly keyspace: ((session: string) => string) | undefined;
  readonly journal: Journal | undefined;
  /** Time limit for a journal write. */
  readonly journalTimeoutMs: number;
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly limits: Limits;
  /** Time limit for a person's answer. */
  readonly askTimeoutMs: number;
  readonly grant: Grant;
  /** Converts a JSON Schema to a Standard Schema, for wrapped tools. */
  readonly toStandardSchema: SchemaConverter | undefined;
  /** True for a tool with side effects that no rule and no hook with `gate: true` covers. */
  readonly isUncovered: (tool: ToolDeclaration) => boolean;
}

export interface SessionInfo {
  readonly id: SessionId;
  readonly host: string;
  readonly loopName: string;
  readonly agent: readonly string[];
  readonly cwd: string | undefined;
}

export interface SessionPosition {
  readonly turn: number;
  readonly step: number;
}

export interface PositionedActivity extends Activity {
  readonly position: SessionPosition;
}

export class SessionState {
  readonly scope: Scope;
  /** State of the tools, separate from the scopes of hooks. */
  readonly toolStore: Scope;
  readonly recorder: Recorder;
  readonly mask: RecordMask;
  readonly answers: AnswerMemory;
  readonly backgroundWork: Set<Promise<unknown>>;
  readonly observers: Observers;
  /** Functions that get every event synchronously, in order and without a queue. For the host of the session. */
  readonly listeners: Set<(event: BridleEvent) => void>;
  /** The state of the session itself. States of subagents and of `guardWith` derive from it and share its contents. */
  private readonly mainState: SessionState;
  /** The current turn, if it has not ended. */
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

  /** The number of turns so far, including those of subagents. Each turn has a unique number. */
  get turnCount(): number {
    return this.mainState.turns;
  }

  nextTurn(): number {
    return ++this.mainState.turns;
  }

  resumeAt(turns: number): void {
    this.mainState.turns = turns;
  }

  /** The signal outside a turn. It is never aborted. */
  get signal(): AbortSignal {
    return (this.aborter ??= new AbortController()).signal;
  }

  /** The activity of the session itself, the source of events that belong to no other. Set once by the session. */
  sessionActivity: PositionedActivity | undefined;

  /** Emits an event. `make` is called only if there are observers or listeners. */
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

  /** Resolves when no tool call is in progress. Cancelled calls still have to be settled and recorded. */
  whenIdle(): Promise<void> {
    if (this.calls === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.onIdle = resolve;
    });
  }

  /** Registers background work. The end of the session waits for it. */
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
