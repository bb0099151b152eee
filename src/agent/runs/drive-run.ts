/** Goes on with a run that was claimed, until it has ended, waits for an answer, or is let go. */

import { deadlinesOf } from '../../deadlines.ts';
import { BridleError, messageOf } from '../../errors.ts';
import type { AskingRun } from '../../store/store-approver.ts';
import type { Store } from '../../store/store.ts';
import type { ApprovalRecord } from '../../store/approvals/approval-record.ts';
import { withdrawQuestions } from '../../store/runs/cancel-run.ts';
import type { RunClaim, RunEnd } from '../../store/runs/run-record.ts';
import { openActor, type OpenedActor, type Opening } from '../open-session.ts';
import { runTurn } from '../run-turn.ts';
import type { SavedSession } from '../saved-session.ts';
import { schemaCheck } from '../structured-output.ts';
import { scopeContents } from '../turn-checkpoint.ts';
import type { TurnResult } from '../turn-result.ts';
import { patiently } from './patiently.ts';
import { type KeptRun, loadRun, RunLog, type RunSession } from './run-log.ts';
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

interface Failed {
  readonly failed: string;
}

/** How often a run may be taken up without getting any further. */
const mostTries = 20;

/** One run at work in this process. */
export class RunDriver implements AskingRun {
  readonly id: string;
  private readonly waiting = new AbortController();
  private log: RunLog | undefined;
  private running: { cancel(): void } | undefined;
  private fenced: Error | undefined;
  private cancelled = false;
  /** Rings when the lease is over. */
  private lapse: NodeJS.Timeout | undefined;

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
    this.lapseAfter(performance.now());
    const beat = setInterval(() => void this.renew(), Math.max(50, leaseMs / 3));
    try {
      const kept = await loadRun(claim);
      const stuck = stuckProblem(claim.run.segment, kept);
      if (stuck !== undefined) return await this.end({ state: 'failed', error: stuck });
      const opened = await this.open(kept && { ...kept.session, messages: kept.messages.get('') ?? [] });
      if ('state' in opened) return opened;
      const session = (): RunSession => sessionOf(opened, this.order.opening.assembly.name);
      this.log = new RunLog({ claim, kept, session, patienceMs: leaseMs });
      opened.book.keep = () => this.log?.count() ?? Promise.resolve();
      if (signal?.aborted === true) this.cancel();
      return await this.take(opened);
    } finally {
      clearInterval(beat);
      clearTimeout(this.lapse);
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

  private async take(opened: OpenedActor): Promise<RunResult> {
    const { session } = opened;
    try {
      const result = await this.turn(opened);
      if (this.fenced !== undefined) throw this.fenced;
      return await (result === undefined ? this.pause() : this.finish(result));
    } finally {
      this.running = undefined;
      await session.end('the run was let go').catch(() => undefined);
      this.order.opening.onEnd(session);
    }
  }

  /** Takes the turn to its end, or as far as it gets: then there is no result. */
  private async turn({ session, actor }: OpenedActor): Promise<TurnResult | Failed | undefined> {
    const log = this.log as RunLog;
    try {
      const { prompt, schema } = readInput(this.order.claim.run);
      const check = schema === undefined ? undefined : schemaCheck(schema, deadlinesOf(actor.parts.clock));
      actor.ledger.budget.resumeTurn(log.lostModelCalls);
      const running = runTurn(actor, { prompt, origin: 'user', schema: check, signal: undefined, log: log.root });
      this.running = running;
      if (this.cancelled) running.cancel();
      const result = await running.result;
      if (result.stopReason === 'waiting' || log.letGo !== undefined) return undefined;
      // The hooks of the session's end belong to the run, so they come before its end is recorded.
      await session.end('the run has ended');
      return result;
    } catch (error) {
      if (this.fenced !== undefined || isFence(error)) throw this.fenced ?? error;
      return log.letGo === undefined ? { failed: messageOf(error) } : undefined;
    }
  }

  private finish(result: TurnResult | Failed): Promise<RunResult> {
    if ('failed' in result) return this.end({ state: 'failed', error: result.failed });
    if (this.cancelled) return this.end({ state: 'cancelled', error: 'The run was cancelled.' });
    return this.end({ state: 'done', output: plainResult(result) }, { ...result, state: 'done', id: this.id });
  }

  /** A store that is away for a moment ends no run. What is still being asked is taken back: nobody waits for it. */
  private async end(end: RunEnd, result?: RunResult): Promise<RunResult> {
    const { claim, leaseMs, store, opening } = this.order;
    const { mask = (value: string) => value } = opening.assembly;
    const kept = end.state === 'done' ? end : { ...end, error: mask(end.error) };
    await patiently(leaseMs, () => claim.finish(kept));
    await withdrawQuestions(store, this.id, 'bridle').catch(() => undefined);
    return result ?? ({ ...kept, id: this.id } as RunResult);
  }

  private async pause(): Promise<RunResult> {
    const { id, order } = this;
    const { claim, leaseMs } = order;
    const { letGo } = this.log as RunLog;
    if (letGo?.type === 'failed') throw letGo.error;
    if (letGo?.type === 'released') {
      await patiently(leaseMs, () => claim.release());
      return { state: 'queued', id };
    }
    const approvals = await patiently(leaseMs, () => this.questions());
    await patiently(leaseMs, () => claim.wait(approvals));
    return { state: 'waiting', id, approvals };
  }

  /** Of every call that waits, the last question about it; what was asked about others is over. */
  private async questions(): Promise<readonly string[]> {
    const { asked } = this.log as RunLog;
    const last = new Map<string, ApprovalRecord>();
    for (const record of await this.order.store.approvals.list({ run: this.id, limit: 1000 })) {
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
  private lapseAfter(renewedAt: number): void {
    clearTimeout(this.lapse);
    const left = renewedAt + this.order.leaseMs - performance.now();
    const message = `the lease of the run ${this.id} is over, and its store cannot be asked for another one`;
    this.lapse = setTimeout(() => this.lose(new BridleError('RUN_FENCED', message)), left);
  }

  private async renew(): Promise<void> {
    const at = performance.now();
    try {
      await this.order.claim.renew();
      this.lapseAfter(at);
    } catch (error) {
      if (isFence(error)) this.lose(error);
    }
  }

  /** Whoever lost the run stops at once: what it would still do belongs to another. */
  private lose(error: BridleError): void {
    this.fenced ??= error;
    if (this.log !== undefined) this.log.letGo ??= { type: 'failed', error };
    this.running?.cancel();
  }
}

function isFence(error: unknown): error is BridleError {
  return error instanceof BridleError && error.code === 'RUN_FENCED';
}

/** A run that ends its process wherever it is taken up is not taken up for ever. */
function stuckProblem(segment: number, kept: KeptRun | undefined): string | undefined {
  const tries = segment - (kept?.segment ?? 0);
  if (tries <= mostTries) return undefined;
  return `The run was taken up ${mostTries} times without getting any further; whoever did so has ended each time.`;
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
