/** Goes on with a run that was claimed, until it has ended, waits for an answer, or is let go. */

import { deadlinesOf } from '../../kernel/deadlines.ts';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import type { SessionRun } from '../../store/store-approver.ts';
import type { Store } from '../../store/store.ts';
import type { ApprovalRecord } from '../../approvals/signing/approval-record.ts';
import { withdrawQuestions } from '../../store/cancel-run.ts';
import type { RunClaim, RunEnd } from '../../store/runs/run-record.ts';
import { openAgentInSession, type OpenedAgent, type AgentRuntime } from '../session/open-session.ts';
import { runTurn } from '../turn/run-turn.ts';
import type { SavedSession } from '../saved-sessions/saved-session.ts';
import { createSchemaCheck } from '../turn/state/structured-output.ts';
import { scopeContentsOf } from '../turn/state/turn-checkpoint.ts';
import type { TurnResult } from '../turn/state/turn-result.ts';
import { retryStore } from './retry-store.ts';
import { type SavedRun, loadRun, RunLog, type RunSession } from './run-log.ts';
import { toJsonResult, readRunInput, type RunResult } from './run-result.ts';

export interface RunDriverOptions {
  readonly runtime: AgentRuntime;
  readonly store: Store;
  readonly claim: RunClaim;
  readonly leaseMs: number;
  /** Aborted: the run is cancelled for good. */
  readonly signal: AbortSignal | undefined;
  /** True: nobody waits here for answers. */
  readonly release: boolean;
  /** Seeds the session scope of a new run. */
  readonly state: Readonly<Record<string, unknown>>;
}

interface FailedTurn {
  readonly failed: string;
}

/** How often a run may be taken up without getting any further. */
const maxTries = 20;

/** One run at work in this process. */
export class RunDriver implements SessionRun {
  readonly id: string;
  private readonly waitController = new AbortController();
  private log: RunLog | undefined;
  private running: { cancel(): void } | undefined;
  private fenced: Error | undefined;
  private cancelled = false;
  /** Rings when the lease is over. */
  private leaseTimer: NodeJS.Timeout | undefined;

  constructor(private readonly options: RunDriverOptions) {
    this.id = options.claim.run.id;
    if (options.release) this.waitController.abort();
  }

  get stopWaiting(): AbortSignal {
    return this.waitController.signal;
  }

  isResumed(call: string): boolean {
    return this.log?.isContinued(call) === true;
  }

  /** Lets the run go after the step that is being taken; it can be resumed. */
  release(): void {
    this.waitController.abort();
    this.log?.release();
  }

  /** Stops what runs now, without waiting for it: what has begun is told as interrupted when the run is resumed. */
  abandon(): void {
    if (this.log !== undefined) this.log.earlyStop ??= { type: 'released' };
    this.running?.cancel();
  }

  async drive(): Promise<RunResult> {
    const { claim, leaseMs, signal } = this.options;
    const cancel = (): void => this.cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    this.startLeaseTimer(performance.now());
    const heartbeat = setInterval(() => void this.renew(), Math.max(50, leaseMs / 3));
    try {
      const saved = await loadRun(claim);
      const stuck = stuckProblem(claim.run.segment, saved);
      if (stuck !== undefined) return await this.end({ state: 'failed', error: stuck });
      const opened = await this.open(saved && { ...saved.session, messages: saved.messages.get('') ?? [] });
      if ('state' in opened) return opened;
      const session = (): RunSession => sessionSnapshotOf(opened, this.options.runtime.assembly.name);
      this.log = new RunLog({ claim, saved, session, retryMs: leaseMs });
      opened.sessionUsage.onCheckpoint = () => this.log?.recordCounts() ?? Promise.resolve();
      if (signal?.aborted === true) this.cancel();
      return await this.runSegment(opened);
    } finally {
      clearInterval(heartbeat);
      clearTimeout(this.leaseTimer);
      signal?.removeEventListener('abort', cancel);
    }
  }

  /** A session that does not start, since a hook rejects it say, is the end of the run. */
  private async open(saved: SavedSession | undefined): Promise<OpenedAgent | RunResult> {
    const { runtime: opening, state } = this.options;
    try {
      return await openAgentInSession(opening, { id: this.id, state, saved });
    } catch (error) {
      return this.end({ state: 'failed', error: messageOf(error) });
    }
  }

  private async runSegment(opened: OpenedAgent): Promise<RunResult> {
    const { session } = opened;
    try {
      const result = await this.runAgentTurn(opened);
      if (this.fenced !== undefined) throw this.fenced;
      return await (result === undefined ? this.pause() : this.finish(result));
    } finally {
      this.running = undefined;
      await session.end('the run was let go').catch(() => undefined);
      this.options.runtime.onEnd(session);
    }
  }

  /** Takes the turn to its end, or as far as it gets: then there is no result. */
  private async runAgentTurn({ session, agent: actor }: OpenedAgent): Promise<TurnResult | FailedTurn | undefined> {
    const log = this.log as RunLog;
    try {
      const { prompt, schema } = readRunInput(this.options.claim.run);
      const check = schema === undefined ? undefined : createSchemaCheck(schema, deadlinesOf(actor.parts.clock));
      actor.tracker.budget.resumeTurn(log.lostModelCalls);
      const running = runTurn(actor, { prompt, origin: 'user', schema: check, signal: undefined, log: log.root });
      this.running = running;
      if (this.cancelled) running.cancel();
      const result = await running.result;
      if (result.stopReason === 'waiting' || log.earlyStop !== undefined) return undefined;
      // The hooks of the session's end belong to the run, so they come before its end is recorded.
      await session.end('the run has ended');
      return result;
    } catch (error) {
      if (this.fenced !== undefined || isFenceError(error)) throw this.fenced ?? error;
      return log.earlyStop === undefined ? { failed: messageOf(error) } : undefined;
    }
  }

  private finish(result: TurnResult | FailedTurn): Promise<RunResult> {
    if ('failed' in result) return this.end({ state: 'failed', error: result.failed });
    if (this.cancelled) return this.end({ state: 'cancelled', error: 'The run was cancelled.' });
    return this.end({ state: 'done', output: toJsonResult(result) }, { ...result, state: 'done', id: this.id });
  }

  /** A store that is away for a moment ends no run. What is still being asked is taken back: nobody waits for it. */
  private async end(end: RunEnd, result?: RunResult): Promise<RunResult> {
    const { claim, leaseMs, store, runtime: opening } = this.options;
    const { mask = (value: string) => value } = opening.assembly;
    const kept = end.state === 'done' ? end : { ...end, error: mask(end.error) };
    await retryStore(leaseMs, () => claim.finish(kept));
    await withdrawQuestions(store, this.id, 'bridle').catch(() => undefined);
    return result ?? ({ ...kept, id: this.id } as RunResult);
  }

  private async pause(): Promise<RunResult> {
    const { id, options: order } = this;
    const { claim, leaseMs } = order;
    const { earlyStop: letGo } = this.log as RunLog;
    if (letGo?.type === 'failed') throw letGo.error;
    if (letGo?.type === 'released') {
      await retryStore(leaseMs, () => claim.release());
      return { state: 'queued', id };
    }
    const approvals = await retryStore(leaseMs, () => this.openQuestions());
    await retryStore(leaseMs, () => claim.wait(approvals));
    return { state: 'waiting', id, approvals };
  }

  /** Of every call that waits, the last question about it; what was asked about others is over. */
  private async openQuestions(): Promise<readonly string[]> {
    const { waitingCalls: asked } = this.log as RunLog;
    const last = new Map<string, ApprovalRecord>();
    for (const record of await this.options.store.approvals.list({ run: this.id, limit: 1000 })) {
      if (asked.has(record.call) && !last.has(record.call)) last.set(record.call, record);
    }
    // A call in which a subagent waits was answered long ago.
    return [...last.values()].filter(({ state }) => state !== 'used').map(({ id }) => id);
  }

  private cancel(): void {
    this.cancelled = true;
    this.running?.cancel();
  }

  /** A store that is away, or a line that is dead, cannot tell, but then somebody else may have the run by now. */
  private startLeaseTimer(renewedAt: number): void {
    clearTimeout(this.leaseTimer);
    const left = renewedAt + this.options.leaseMs - performance.now();
    const message = `the lease of the run ${this.id} is over, and its store cannot be asked for another one`;
    this.leaseTimer = setTimeout(() => this.loseClaim(new BridleError('RUN_FENCED', message)), left);
  }

  private async renew(): Promise<void> {
    const at = performance.now();
    try {
      await this.options.claim.renew();
      this.startLeaseTimer(at);
    } catch (error) {
      if (isFenceError(error)) this.loseClaim(error);
    }
  }

  /** Whoever lost the run stops at once: what it would still do belongs to another. */
  private loseClaim(error: BridleError): void {
    this.fenced ??= error;
    if (this.log !== undefined) this.log.earlyStop ??= { type: 'failed', error };
    this.running?.cancel();
  }
}

function isFenceError(error: unknown): error is BridleError {
  return error instanceof BridleError && error.code === 'RUN_FENCED';
}

/** A run that ends its process wherever it is taken up is not taken up for ever. */
function stuckProblem(segment: number, kept: SavedRun | undefined): string | undefined {
  const tries = segment - (kept?.segment ?? 0);
  if (tries <= maxTries) return undefined;
  return `The run was taken up ${maxTries} times without getting any further; whoever did so has ended each time.`;
}

function sessionSnapshotOf({ session, agent: actor, sessionUsage: book }: OpenedAgent, agentName: string): RunSession {
  const report = book.report();
  return {
    version: 1,
    id: session.id,
    agent: agentName,
    savedAt: actor.parts.clock.wall(),
    turns: session.turnCount,
    state: scopeContentsOf(session.scope),
    toolState: scopeContentsOf(session.toolStore),
    counts: { ...actor.tracker.budget.used },
    recent: actor.tracker.budget.recentTimes,
    usage: report.agents,
    costUnknown: report.cost === undefined,
  };
}
