/** Drives a claimed run until it ends, waits for an approval, or is released. */

import { BridleError, messageOf } from '../../kernel/errors.ts';
import type { SessionRun } from '../../store/store-approver.ts';
import type { Store } from '../../store/store.ts';
import type { ApprovalRecord } from '../../approvals/signing/approval-record.ts';
import { withdrawQuestions } from '../../store/cancel-run.ts';
import type { RunClaim, RunEnd } from '../../store/runs/run-record.ts';
import { openAgentInSession, type OpenedAgent, type AgentRuntime } from '../session/open-session.ts';
import { runTurn } from '../turn/run-turn.ts';
import type { SavedSession } from '../saved-sessions/saved-session.ts';
import { createSchemaCheck } from '../turn/structured-output.ts';
import { sessionSnapshotOf } from '../session/agent-session.ts';
import type { TurnResult } from '../turn/turn-result.ts';
import { retryStore, type SavedRun, loadRun, RunLog, type RunSession } from './run-log.ts';
import { toJsonResult, readRunInput, type RunResult } from './run-result.ts';

export interface RunDriverOptions {
  readonly runtime: AgentRuntime;
  readonly store: Store;
  readonly claim: RunClaim;
  readonly leaseMs: number;
  /** Cancels the run permanently when aborted. */
  readonly signal: AbortSignal | undefined;
  /** True if the run is released instead of waiting for approvals. */
  readonly release: boolean;
  /** Seeds the session scope of a new run. */
  readonly state: Readonly<Record<string, unknown>>;
}

interface FailedTurn {
  readonly failed: string;
}

/** How often a run may be claimed without making progress. */
const maxTries = 20;

/** A run in progress in this process. */
export class RunDriver implements SessionRun {
  readonly id: string;
  private readonly waitController = new AbortController();
  private log: RunLog | undefined;
  private running: { cancel(): void } | undefined;
  private fenced: Error | undefined;
  private cancelled = false;
  /** Fires when the lease expires. */
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

  /** Releases the run after the current step. It can be resumed. */
  release(): void {
    this.waitController.abort();
    this.log?.release();
  }

  /** Stops the current step without waiting. Calls that have started are reported as interrupted after a resume. */
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
      const session = (): RunSession =>
        sessionSnapshotOf(opened.session, opened.agent, this.options.runtime.assembly.name);
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

  /** If the session cannot start, for example because a hook rejects it, the run fails. */
  private async open(saved: SavedSession | undefined): Promise<OpenedAgent | RunResult> {
    const { runtime, state } = this.options;
    try {
      return await openAgentInSession(runtime, { id: this.id, state, saved });
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
      await session.end('the run was released').catch(() => undefined);
      this.options.runtime.onEnd(session);
    }
  }

  /** Runs the turn. Returns undefined if it did not end. */
  private async runAgentTurn({ session, agent }: OpenedAgent): Promise<TurnResult | FailedTurn | undefined> {
    const log = this.log as RunLog;
    try {
      const { prompt, schema } = readRunInput(this.options.claim.run);
      const check = schema === undefined ? undefined : createSchemaCheck(schema, agent.parts.deadlines);
      agent.usage.budget.resumeTurn(log.lostModelCalls);
      const running = runTurn(agent, { prompt, origin: 'user', schema: check, signal: undefined, log: log.root });
      this.running = running;
      if (this.cancelled) running.cancel();
      const result = await running.result;
      if (result.stopReason === 'waiting' || log.earlyStop !== undefined) return undefined;
      // The session's end hooks are part of the run, so they run before its end is recorded.
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

  /** Records the end of the run, retrying while the store is unavailable, and withdraws its open approvals. */
  private async end(end: RunEnd, result?: RunResult): Promise<RunResult> {
    const { claim, leaseMs, store, runtime } = this.options;
    const { mask = (value: string) => value } = runtime.assembly;
    const masked = end.state === 'done' ? end : { ...end, error: mask(end.error) };
    await retryStore(leaseMs, () => claim.finish(masked));
    await withdrawQuestions(store, this.id, 'bridle').catch(() => undefined);
    return result ?? ({ ...masked, id: this.id } as RunResult);
  }

  private async pause(): Promise<RunResult> {
    const { id } = this;
    const { claim, leaseMs } = this.options;
    const { earlyStop } = this.log as RunLog;
    if (earlyStop?.type === 'failed') throw earlyStop.error;
    if (earlyStop?.type === 'released') {
      await retryStore(leaseMs, () => claim.release());
      return { state: 'queued', id };
    }
    const approvals = await retryStore(leaseMs, () => this.openQuestions());
    await retryStore(leaseMs, () => claim.wait(approvals));
    return { state: 'waiting', id, approvals };
  }

  /** The ids of the open approvals: for every waiting call, the latest one. */
  private async openQuestions(): Promise<readonly string[]> {
    const { waitingCalls } = this.log as RunLog;
    const last = new Map<string, ApprovalRecord>();
    for (const record of await this.options.store.approvals.list({ run: this.id, limit: 1000 })) {
      if (waitingCalls.has(record.call) && !last.has(record.call)) last.set(record.call, record);
    }
    // The approval of a call in which a subagent waits is already used.
    return [...last.values()].filter(({ state }) => state !== 'used').map(({ id }) => id);
  }

  private cancel(): void {
    this.cancelled = true;
    this.running?.cancel();
  }

  /** If the store cannot be reached, another process may have claimed the run once the lease has expired. */
  private startLeaseTimer(renewedAt: number): void {
    clearTimeout(this.leaseTimer);
    const left = renewedAt + this.options.leaseMs - performance.now();
    const message = `the lease of the run ${this.id} expired and could not be renewed because the store did not answer`;
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

  /** Stops immediately after losing the run: another process continues it. */
  private loseClaim(error: BridleError): void {
    this.fenced ??= error;
    if (this.log !== undefined) this.log.earlyStop ??= { type: 'failed', error };
    this.running?.cancel();
  }
}

function isFenceError(error: unknown): error is BridleError {
  return error instanceof BridleError && error.code === 'RUN_FENCED';
}

/** Stops retrying a run that crashes every process that claims it. */
function stuckProblem(segment: number, saved: SavedRun | undefined): string | undefined {
  const tries = segment - (saved?.segment ?? 0);
  if (tries <= maxTries) return undefined;
  return `The run was claimed ${maxTries} times without progress; each time, its process stopped before the next step.`;
}
