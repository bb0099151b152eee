/** One dispatch along a chain, for the slow path: a hook answers, fails or returns a promise, or hooks are timed one by one. */

import { toleranceMs, type Deadlines, TimedWait } from '../../deadlines.ts';
import { messageOf } from '../../errors.ts';
import { cutText, type JsonObject } from '../../json.ts';
import { isPromise, type MaybePromise, whenSettled } from '../../maybe-promise.ts';
import { type ActionKind, actionKindOf } from '../points/action-kinds.ts';
import type { Activity } from '../points/hook-context.ts';
import {
  endsOperation,
  type Confirmation,
  type DispatchResult,
  type HookEntry,
  type HookPoint,
  limitAdvice,
  reportOverrun,
  failureResult,
  refusedPayloads,
  unchangedResult,
} from './dispatch-result.ts';
import type { FailureKind } from '../points/events.ts';
import { reasonFrom, isRefusal } from '../points/foreign-answers.ts';
import { Invalid } from '../../shapes.ts';

const waiting: unique symbol = Symbol('waiting');

/** Undefined: continue with the next hook. */
type Step = DispatchResult | typeof waiting | undefined;

interface DispatchedChain {
  readonly point: HookPoint;
  readonly entries: readonly HookEntry[];
  recordRound(slowestMs: number): void;
}

/** Whether the timed hooks kept their limit; a result if they did not and the operation ends. */
type TimeCheck = 'in time' | 'late' | DispatchResult;

export class HookDispatch extends TimedWait {
  private at = 0;
  private replaced = false;
  private changed = false;
  private confirms: Confirmation[] | undefined;
  private hint: JsonObject | undefined;
  private expired = false;
  private resolve: ((result: DispatchResult) => void) | undefined;
  private readonly onValue = (value: unknown): void => this.resume(value);
  private readonly onThrown = (thrown: unknown): void => this.resumeThrown(thrown);
  private readonly deadlines: Deadlines;

  /** When the clock was last read; undefined if this dispatch is not timed. */
  private since: number | undefined;
  /** Index of the first hook called after that. */
  private from = 0;
  /** How much of the time since then may be the delay of the ticker. */
  private slackMs = 0;
  /** True: the clock is read after each hook. False: after a wait it is read only if the ticker has ticked. */
  private eager = true;
  private ticks = 0;
  private slowestMs = 0;

  constructor(
    private readonly chain: DispatchedChain,
    private payload: unknown,
    private readonly activity: Activity,
  ) {
    super();
    this.deadlines = activity.deadlines;
  }

  start(startedAt = this.activity.workingTimeMs()): MaybePromise<DispatchResult> {
    this.since = startedAt;
    return this.outcome(this.callRest());
  }

  /** Continues after the hook at `at` has answered. */
  startAnswered(at: number, answer: unknown, startedAt: number | undefined): MaybePromise<DispatchResult> {
    this.startTogether(at, startedAt);
    return this.outcome(this.received(answer) ?? this.next());
  }

  /** Continues after the hook at `at` has thrown. */
  startThrown(at: number, thrown: unknown, startedAt: number | undefined): MaybePromise<DispatchResult> {
    this.startTogether(at, startedAt);
    return this.outcome(this.threw(thrown) ?? this.next());
  }

  override isPaused(): boolean {
    return this.activity.isAsking();
  }

  override isAbandoned(): boolean {
    return this.activity.isCancelled;
  }

  /** The hook hangs: its answer is ignored from now on, and a new dispatch continues after it. */
  override expire(): void {
    this.expired = true;
    const rest = new HookDispatch(this.chain, this.payload, this.activity);
    rest.at = this.at;
    rest.replaced = this.replaced;
    rest.changed = this.changed;
    rest.confirms = this.confirms;
    rest.hint = this.hint;
    rest.since = this.activity.workingTimeMs();
    rest.slowestMs = Number.POSITIVE_INFINITY;
    rest.resolve = this.resolve;
    const message = `did not answer within ${rest.entry.limitMs} ms; ${limitAdvice(this.chain.point)}`;
    rest.settle(rest.failed('timeout', message) ?? rest.next());
  }

  private get entry(): HookEntry {
    return this.chain.entries[this.at] as HookEntry;
  }

  private startTogether(at: number, startedAt: number | undefined): void {
    this.at = at;
    this.since = startedAt;
    this.eager = false;
  }

  private outcome(step: DispatchResult | typeof waiting): MaybePromise<DispatchResult> {
    if (step !== waiting) return this.ended(step);
    return new Promise((resolve) => {
      this.resolve = resolve;
    });
  }

  private next(): DispatchResult | typeof waiting {
    this.at++;
    return this.callRest();
  }

  private callRest(): DispatchResult | typeof waiting {
    for (; this.at < this.chain.entries.length && !this.activity.isOver; this.at++) {
      const entry = this.chain.entries[this.at] as HookEntry;
      if (this.replaced && !entry.gate) continue;
      const step = this.call(entry);
      if (step !== undefined) return step;
    }
    if (this.eager) this.chain.recordRound(this.slowestMs);
    return this.pass();
  }

  private call(entry: HookEntry): Step {
    if (this.eager) this.from = this.at;
    let answer: unknown;
    try {
      answer = entry.method.call(entry.self, this.chain.point.copyForHook(this.payload), this.activity.hookContext);
    } catch (thrown) {
      return this.threw(thrown);
    }
    return this.received(answer);
  }

  private received(answer: unknown): Step {
    if (!isPromise(answer)) return this.takeTimely(answer);
    try {
      whenSettled(answer, this.onValue, this.onThrown);
    } catch (thrown) {
      return this.unreadable(thrown);
    }
    this.ticks = this.deadlines.ticks;
    this.deadlines.set(this, this.entry.limitMs);
    return waiting;
  }

  private resume(value: unknown): void {
    if (this.expired || this.activity.isOver) return this.late('answered');
    this.slackMs = toleranceMs;
    const untimed = !this.eager && this.ticks === this.deadlines.ticks;
    const step = untimed ? this.applyAnswer(value) : this.takeTimely(value);
    this.settle(step ?? this.next());
  }

  private resumeThrown(thrown: unknown): void {
    if (this.expired || this.activity.isOver) return this.late(`failed: ${messageOf(thrown)}`);
    this.slackMs = toleranceMs;
    this.settle(this.threw(thrown) ?? this.next());
  }

  private settle(step: DispatchResult | typeof waiting): void {
    if (step === waiting) return;
    this.deadlines.clear(this);
    const timeCheck = this.slackMs === 0 ? 'in time' : this.checkTime();
    this.resolve?.(this.ended(typeof timeCheck === 'object' ? timeCheck : step));
  }

  private ended(result: DispatchResult): DispatchResult {
    if (this.changed && result.type !== 'passed') refusedPayloads.set(result, this.payload);
    return result;
  }

  private late(what: string): void {
    this.deadlines.clear(this);
    this.report('late', `${what} after its time limit; ignored`);
  }

  /** Ignores an answer that came too late, unless hooks were timed together and another one may have been slow. */
  private takeTimely(answer: unknown): Step {
    const alone = this.from === this.at;
    const timeCheck = this.checkTime();
    if (typeof timeCheck === 'object') return timeCheck;
    return timeCheck === 'late' && alone ? undefined : this.applyAnswer(answer);
  }

  private threw(thrown: unknown): DispatchResult | undefined {
    const timeCheck = this.checkTime();
    return typeof timeCheck === 'object' ? timeCheck : this.failed('threw', messageOf(thrown));
  }

  /** Reads the clock and reports hooks that took too long. */
  private checkTime(): TimeCheck {
    if (this.since === undefined) return 'in time';
    const { chain, activity, from, slackMs } = this;
    const now = activity.workingTimeMs();
    const tookMs = now - this.since;
    this.since = now;
    this.slackMs = 0;
    this.from = this.at + 1;
    this.slowestMs = Math.max(this.slowestMs, tookMs);
    if (tookMs < (chain.entries[from] as HookEntry).limitMs + slackMs) return 'in time';
    chain.recordRound(tookMs);
    return reportOverrun(chain.point, chain.entries.slice(from, this.at + 1), { activity, tookMs }) ?? 'late';
  }

  private applyAnswer(answer: unknown): Step {
    if (answer === undefined) return undefined;
    try {
      const kind = actionKindOf(answer, this.chain.point, this.replaced);
      if (typeof kind === 'string') return this.withholdResult(answer, kind) ?? this.failed('malformed', kind);
      const action = kind.read(answer as object, this.activity.limits);
      if (action instanceof Invalid) return this.failed('malformed', action.textAbout('the answer'));
      const misfit = kind.payloadProblem?.(action, this.payload);
      if (misfit !== undefined) return this.failed('malformed', misfit);
      return this.applyAction(kind, action);
    } catch (thrown) {
      return this.unreadable(thrown);
    }
  }

  /** A refusal at a point without `reject` is a failure. The value is withheld if the point supports that. */
  private withholdResult(answer: unknown, message: string): DispatchResult | undefined {
    if (this.chain.point.withhold === undefined || !isRefusal(answer)) return undefined;
    this.report('malformed', this.cut(message));
    return { type: 'rejected', reason: this.cut(reasonFrom(answer) ?? 'it gave no reason'), hook: this.entry.hook };
  }

  private unreadable(thrown: unknown): DispatchResult | undefined {
    return this.failed('malformed', `the answer cannot be read: ${messageOf(thrown)}`);
  }

  private applyAction({ flow }: ActionKind<unknown>, action: unknown): Step {
    const { hook } = this.entry;
    switch (flow) {
      case 'settle':
      case 'thread':
        this.payload = Object.freeze(this.chain.point.write(this.payload, (action as { value: unknown }).value));
        this.changed = true;
        this.replaced ||= flow === 'settle';
        return undefined;
      case 'note':
        (this.confirms ??= []).push({ question: this.cut((action as { question: string }).question), hook });
        return undefined;
      case 'merge':
        this.hint = Object.freeze({ ...this.hint, ...(action as { hint: JsonObject }).hint });
        return undefined;
      case 'stop':
        return { type: 'rejected', reason: this.cut((action as { reason: string }).reason), hook };
      case 'first':
        return { type: 'answered', action, hook };
      default:
        return flow satisfies never;
    }
  }

  private pass(): DispatchResult {
    if (!this.changed && this.confirms === undefined && this.hint === undefined) return unchangedResult;
    const payload = this.changed ? this.payload : undefined;
    return { type: 'passed', payload, confirms: this.confirms ?? [], hint: this.hint };
  }

  private failed(kind: FailureKind, message: string): DispatchResult | undefined {
    const { point } = this.chain;
    const text = this.cut(message);
    this.report(kind, text);
    return endsOperation(point, this.entry, kind) ? failureResult(point, this.entry.hook, text) : undefined;
  }

  private report(kind: FailureKind, message: string): void {
    this.activity.reportFailure({ hook: this.entry.hook, kind, message, point: this.chain.point.name });
  }

  private cut(text: string): string {
    return cutText(text, this.activity.limits.reasonLength);
  }
}
