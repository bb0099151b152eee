/** What the turns and calls of a session share. A subagent has its own view of it, with its own tools, policy and path. */

import type { Approver, Mask } from '../../approval.ts';
import type { Grant } from '../../call.ts';
import type { ToolView } from '../../catalog/catalog.ts';
import type { Clock } from '../../clock.ts';
import type { Deadlines } from '../../deadlines.ts';
import type { BridleEvent } from '../../hooks/points/events.ts';
import type { Hooks } from '../../hooks/registration/hooks.ts';
import { Observers } from '../../hooks/dispatch/observers.ts';
import type { SessionId } from '../../ids.ts';
import type { Journal } from '../../records/journal-entry.ts';
import type { Limits } from '../../limits.ts';
import type { PolicyEvaluator } from '../../policy/evaluator/policy.ts';
import { createScope, type Scope } from '../../scope/scope.ts';
import type { ToolDeclaration } from '../../tool.ts';
import type { SchemaConverter } from '../../catalog/foreign-tool.ts';
import { Recorder, RecordMask } from '../../records/recorder.ts';

/** The checked and complete parts of a guard. */
export interface GuardParts {
  readonly hooks: Hooks;
  readonly policy: PolicyEvaluator;
  /** The tools that the calling agent can see. */
  readonly visibleTools: ToolView;
  /** The tools of the agent and all its subagents. */
  readonly allTools: ToolView;
  readonly approver: Approver | undefined;
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
  readonly warn: ((warning: string) => void) | undefined;
}

export interface SessionInfo {
  readonly id: SessionId;
  readonly host: string;
  readonly loopName: string;
  readonly agent: readonly string[];
  readonly cwd: string | undefined;
}

export class SessionState {
  /** State that lives as long as the session. */
  readonly scope: Scope;
  /** State of the tools of this session, separate from the scopes of hooks. */
  readonly toolStore: Scope;
  /** @internal */
  readonly recorder: Recorder;
  /** @internal */
  readonly mask: RecordMask;
  /** @internal */
  readonly observers: Observers;
  /** @internal True if there are `onEvent` hooks. */
  readonly isObserved: boolean;
  /** @internal Functions that get every event synchronously, in order and without a queue. For the host of the session. */
  readonly listeners: Set<(event: BridleEvent) => void>;
  /** @internal */
  protected readonly backgroundWork: Set<Promise<unknown>>;
  /** The session itself. It counts for all its views. */
  private readonly main: SessionState;
  /** @internal The current turn, if it has not ended. */
  currentTurn: { end(): void } | undefined;
  private turns = 0;
  private events = 0;
  private calls = 0;
  private onIdle: (() => void) | undefined;

  /** @internal */
  constructor(
    /** @internal */
    readonly parts: GuardParts,
    /** @internal */
    readonly info: SessionInfo,
    main?: SessionState,
  ) {
    this.main = main?.main ?? this;
    this.scope = main?.scope ?? createScope(undefined, parts);
    this.toolStore = main?.toolStore ?? createScope(undefined, parts);
    this.mask = main?.mask ?? new RecordMask(parts.mask);
    this.backgroundWork = main?.backgroundWork ?? new Set();
    this.listeners = main?.listeners ?? new Set();
    this.isObserved = parts.hooks.observers().length > 0;
    this.observers = main?.observers ?? new Observers(parts.hooks.observers(), parts.limits.eventQueue);
    this.recorder = main?.recorder ?? new Recorder(parts, this.mask, (message) => this.journalFailed(message));
  }

  /** The number of turns so far, including those of subagents. Each turn has a unique number. */
  get turnCount(): number {
    return this.main.turns;
  }

  /** @internal */
  nextTurn(): number {
    return ++this.main.turns;
  }

  /** @internal Continues the count of the turns that a resumed session has had. */
  protected resumeAt(turns: number): void {
    this.turns = turns;
  }

  /** @internal */
  nextEvent(): number {
    return this.main.events++;
  }

  /** @internal */
  beginCall(): void {
    this.main.calls++;
  }

  /** @internal */
  endCall(): void {
    const { main } = this;
    main.calls--;
    if (main.calls === 0) main.onIdle?.();
  }

  /** @internal Resolves when no tool call is in progress. Cancelled calls still have to be settled and recorded. */
  protected whenIdle(): Promise<void> {
    if (this.calls === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.onIdle = resolve;
    });
  }

  /** @internal Registers background work. The end of the session waits for it. */
  runInBackground(work: Promise<unknown>): void {
    this.backgroundWork.add(work);
    const done = (): boolean => this.backgroundWork.delete(work);
    work.then(done, done);
  }

  /** @internal */
  protected journalFailed(_message: string): void {
    // A session emits an event.
  }
}
