/** Goes on with a run that was claimed, until it has ended, waits for an answer, or is let go. */

import { deadlinesOf } from '../../deadlines.ts';
import { BridleError, messageOf } from '../../errors.ts';
import type { Session } from '../../guard/session.ts';
import type { AskingRun } from '../../store/store-approver.ts';
import type { Store } from '../../store/store.ts';
import type { RunClaim, RunEnd } from '../../store/runs/run-record.ts';
import { openActor, type OpenedActor, type Opening } from '../open-session.ts';
import { runTurn } from '../run-turn.ts';
import type { SavedSession } from '../saved-session.ts';
import { schemaCheck } from '../structured-output.ts';
import { scopeContents } from '../turn-checkpoint.ts';
import type { TurnResult } from '../turn-result.ts';
import { loadRun, RunLog, type RunSession } from './run-log.ts';
import { plainResult, readInput, type RunResult } from './run-result.ts';

export interface RunOrder {
  readonly opening: Opening;
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

/** One run at work in this process. */
export class RunDriver implements AskingRun {
  readonly id: string;
  private readonly waiting = new AbortController();
  private log: RunLog | undefined;
  private running: { cancel(): void } | undefined;
  private fenced: Error | undefined;
  private cancelled = false;
  /** By the growing clock. */
  private renewedAt = performance.now();

  constructor(private readonly order: RunOrder) {
    this.id = order.claim.run.id;
    if (order.release) this.waiting.abort();
  }

  get letGo(): AbortSignal {
    return this.waiting.signal;
  }

  goesOn(call: string): boolean {
    return this.log?.goesOn(call) === true;
  }

  /** Lets the run go after the step that is being taken; it can be resumed. */
  release(): void {
    this.waiting.abort();
    this.log?.release();
  }

  /** Stops what runs now, without waiting for it: what has begun is told as interrupted when the run is resumed. */
  abandon(): void {
    if (this.log !== undefined) this.log.letGo ??= { type: 'released' };
    this.running?.cancel();
  }

  async drive(): Promise<RunResult> {
    const { claim, leaseMs, signal } = this.order;
    const cancel = (): void => this.cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    const beat = setInterval(() => void this.renew(), Math.max(50, leaseMs / 3));
    try {
      const kept = await loadRun(claim);
      const opened = await this.open(kept && { ...kept.session, messages: kept.messages.get('') ?? [] });
      if ('state' in opened) return opened;
      const session = (): RunSession => sessionOf(opened, this.order.opening.assembly.name);
      this.log = new RunLog({ claim, kept, session, patienceMs: leaseMs });
      if (signal?.aborted === true) this.cancel();
      return await this.take(opened);
    } finally {
      clearInterval(beat);
      signal?.removeEventListener('abort', cancel);
    }
  }

  /** A session that does not start, since a hook rejects it say, is the end of the run. */
  private async open(saved: SavedSession | undefined): Promise<OpenedActor | RunResult> {
    const { opening, state } = this.order;
    try {
      return await openActor(opening, { id: this.id, state, saved });
    } catch (error) {
      return this.end({ state: 'failed', error: messageOf(error) });
    }
  }

  private async take({ session, actor }: OpenedActor): Promise<RunResult> {
    const { claim, opening } = this.order;
    const log = this.log as RunLog;
    const { prompt, schema } = readInput(claim.run);
    const check = schema === undefined ? undefined : schemaCheck(schema, deadlinesOf(actor.parts.clock));
    try {
      actor.ledger.budget.resumeTurn();
      const request = { prompt, origin: 'user', schema: check, signal: undefined, log: log.root } as const;
      const running = runTurn(actor, request);
      this.running = running;
      if (this.cancelled) running.cancel();
      const result = await running.result;
      const isLetGo = result.stopReason === 'waiting' || log.letGo !== undefined;
      return await (isLetGo ? this.pause() : this.finish(result, session));
    } catch (error) {
      if (this.fenced !== undefined) throw this.fenced;
      if (log.letGo !== undefined || isFence(error)) throw error;
      await endSession(session, 'the run failed');
      return await this.end({ state: 'failed', error: messageOf(error) });
    } finally {
      this.running = undefined;
      await endSession(session, 'the run was let go');
      opening.onEnd(session);
    }
  }

  /** The hooks of the session's end belong to the run, so they come before its end is recorded. */
  private async finish(result: TurnResult, session: Session): Promise<RunResult> {
    if (this.fenced !== undefined) throw this.fenced;
    await session.end('the run has ended');
    if (this.cancelled) return this.end({ state: 'cancelled', error: 'The run was cancelled.' });
    await this.order.claim.finish({ state: 'done', output: plainResult(result) });
    return { ...result, state: 'done', id: this.id };
  }

  private async end(end: Exclude<RunEnd, { state: 'done' }>): Promise<RunResult> {
    await this.order.claim.finish(end);
    return { ...end, id: this.id };
  }

  private async pause(): Promise<RunResult> {
    const { id, order } = this;
    const { letGo } = this.log as RunLog;
    if (letGo?.type === 'failed') throw letGo.error;
    if (letGo?.type === 'released') {
      await order.claim.release();
      return { state: 'queued', id };
    }
    const { approvals } = order.store;
    const asked = await approvals.list({ run: id, limit: 1000 });
    const open = asked.filter(({ state }) => ['pending', 'approved', 'denied', 'expired'].includes(state));
    const ids = open.map((approval) => approval.id);
    await order.claim.wait(ids);
    return { state: 'waiting', id, approvals: ids };
  }

  private cancel(): void {
    this.cancelled = true;
    this.running?.cancel();
  }

  /** Whoever lost the run stops at once: what it would still do belongs to another. */
  private async renew(): Promise<void> {
    const { claim, leaseMs } = this.order;
    try {
      await claim.renew();
      this.renewedAt = performance.now();
    } catch (error) {
      // A store that is away cannot tell, but then somebody else may have the run by now.
      if (!isFence(error) && performance.now() - this.renewedAt < leaseMs) return;
      this.fenced ??= error instanceof Error ? error : new BridleError('RUN_FENCED', messageOf(error));
      if (this.log !== undefined) this.log.letGo ??= { type: 'failed', error };
      this.running?.cancel();
    }
  }
}

function isFence(error: unknown): boolean {
  return error instanceof BridleError && error.code === 'RUN_FENCED';
}

/** A hook that fails at the end of the session does not change what came of the run. */
async function endSession(session: Session, reason: string): Promise<void> {
  await session.end(reason).catch(() => undefined);
}

function sessionOf({ session, actor, book }: OpenedActor, agent: string): RunSession {
  const report = book.report();
  return {
    version: 1,
    id: session.id,
    agent,
    savedAt: actor.parts.clock.wall(),
    turns: session.turnCount,
    state: scopeContents(session.scope),
    toolState: scopeContents(session.toolStore),
    counts: { ...actor.ledger.budget.used },
    recent: actor.ledger.budget.recentTimes,
    usage: report.agents,
    costUnknown: report.cost === undefined,
  };
}
