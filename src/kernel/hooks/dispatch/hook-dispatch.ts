/** The slow path of a dispatch: a hook answers, fails or returns a promise, or each hook is timed. */

import { toleranceMs, TimedWait } from '../../deadlines.ts';
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
  /** True: the clock is read after each hook. False: after a promise it is read only if the ticker has ticked meanwhile. */
  timesEach: boolean;
}

/** The callbacks for the promises of hooks. */
interface Listeners {
  readonly onValue: (value: unknown) => void;
  readonly onThrown: (thrown: unknown) => void;
  /** The hook that reached its time limit. Its late answer is ignored. */
  expired: HookEntry | undefined;
}

export class HookDispatch extends TimedWait {
  private at = 0;
  private replaced = false;
  private changed = false;
  private confirms: Confirmation[] | undefined;
  private hint: JsonObject | undefined;
  private resolve: ((result: DispatchResult) => void) | undefined;
  private listeners: Listeners | undefined;
  /** When the clock was last read; undefined if this dispatch is not timed. */
  private since: number | undefined;
  /** Index of the first hook called after that. */
  private from = 0;
  /** True if a promise was waited for since then: part of the time may be the delay of the ticker. */
  private waited = false;
  private ticks = 0;

  constructor(
    private readonly chain: DispatchedChain,
    private payload: unknown,
    private readonly activity: Activity,
  ) {
    super();
  }

  start(startedAt = this.activity.workingTimeMs()): MaybePromise<DispatchResult> {
    this.since = startedAt;
    return this.outcome(this.callRest());
  }

  /** Continues after the hook at `at` has answered. */
  startAnswered(at: number, answer: unknown, startedAt: number | undefined): MaybePromise<DispatchResult> {
    this.at = at;
    this.since = startedAt;
    return this.outcome(this.received(answer) ?? this.next());
  }

  /** Continues after the hook at `at` has thrown. */
  startThrown(at: number, thrown: unknown, startedAt: number | undefined): MaybePromise<DispatchResult> {
    this.at = at;
    this.since = startedAt;
    return this.outcome(this.threw(thrown) ?? this.next());
  }

  override isPaused(): boolean {
    return this.activity.isAsking();
  }

  override isAbandoned(): boolean {
    return this.activity.isCancelled;
  }

  /** The hook hangs: its answer is ignored from now on, and the hooks after it are called. */
  override expire(): void {
    if (this.listeners !== undefined) this.listeners.expired = this.entry;
    this.listeners = undefined;
    this.since = this.activity.workingTimeMs();
    this.from = this.at + 1;
    this.waited = false;
    const message = `did not answer within ${this.entry.limitMs} ms; ${limitAdvice(this.chain.point)}`;
    this.settle(this.failed('timeout', message) ?? this.next());
  }

  private get entry(): HookEntry {
    return this.chain.entries[this.at] as HookEntry;
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
      const { entry } = this;
      if (this.replaced && !entry.gate) {
        if (this.from === this.at) this.from++;
        continue;
      }
      const step = this.call(entry);
      if (step !== undefined) return step;
    }
    return this.pass();
  }

  private call(entry: HookEntry): Step {
    let answer: unknown;
    try {
      const { copyForHook } = this.chain.point;
      const copy = copyForHook === undefined ? this.payload : copyForHook(this.payload);
      answer = entry.method.call(entry.self, copy, this.activity.hookContext);
    } catch (thrown) {
      return this.threw(thrown);
    }
    return this.received(answer);
  }

  private received(answer: unknown): Step {
    if (!isPromise(answer)) return this.takeTimely(answer);
    this.listeners ??= this.listen();
    try {
      whenSettled(answer, this.listeners.onValue, this.listeners.onThrown);
    } catch (thrown) {
      return this.unreadable(thrown);
    }
    const { deadlines } = this.activity;
    this.ticks = deadlines.ticks;
    deadlines.set(this, this.entry.limitMs);
    return waiting;
  }

  private listen(): Listeners {
    const own: Listeners = {
      expired: undefined,
      onValue: (value) => {
        if (own.expired !== undefined || this.activity.isOver) return this.late(own, 'answered');
        this.waited = true;
        // An answer counts only in time. Without one, the next reading of the clock finds a hook that took too long.
        const untimed = value === undefined && !this.chain.timesEach && this.ticks === this.activity.deadlines.ticks;
        this.settle((untimed ? undefined : this.takeTimely(value)) ?? this.next());
      },
      onThrown: (thrown) => {
        if (own.expired !== undefined || this.activity.isOver) return this.late(own, `failed: ${messageOf(thrown)}`);
        this.waited = true;
        this.settle(this.threw(thrown) ?? this.next());
      },
    };
    return own;
  }

  private late({ expired }: Listeners, what: string): void {
    if (expired === undefined) this.activity.deadlines.clear(this);
    this.report('late', `${what} after its time limit; ignored`, expired);
  }

  private settle(step: DispatchResult | typeof waiting): void {
    if (step === waiting) return;
    this.activity.deadlines.clear(this);
    const overrun = this.waited ? this.checkTime() : undefined;
    this.resolve?.(this.ended(typeof overrun === 'object' ? overrun : step));
  }

  private ended(result: DispatchResult): DispatchResult {
    if (this.changed && result.type !== 'passed') refusedPayloads.set(result, this.payload);
    return result;
  }

  /** Ignores an answer that came too late, unless hooks were timed together and another one may have been slow. */
  private takeTimely(answer: unknown): Step {
    const alone = this.from === this.at;
    const overrun = this.checkTime();
    if (overrun === undefined || (overrun === 'late' && !alone)) return this.applyAnswer(answer);
    return overrun === 'late' ? undefined : overrun;
  }

  private threw(thrown: unknown): DispatchResult | undefined {
    const overrun = this.checkTime();
    return typeof overrun === 'object' ? overrun : this.failed('threw', messageOf(thrown));
  }

  /** Reads the clock and reports hooks that took too long; a result if that ends the operation. */
  private checkTime(): DispatchResult | 'late' | undefined {
    if (this.since === undefined) return undefined;
    const { chain, activity, from, waited } = this;
    const now = activity.workingTimeMs();
    const tookMs = now - this.since;
    this.since = now;
    this.waited = false;
    this.from = this.at + 1;
    if (tookMs < (chain.entries[from] as HookEntry).limitMs + (waited ? toleranceMs : 0)) return undefined;
    chain.timesEach = true;
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

  private report(kind: FailureKind, message: string, { hook } = this.entry): void {
    this.activity.reportFailure({ hook, kind, message, point: this.chain.point.name });
  }

  private cut(text: string): string {
    return cutText(text, this.activity.limits.reasonLength);
  }
}
