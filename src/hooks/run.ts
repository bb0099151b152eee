/** One walk along a chain in which something happens: an answer, a failure, a promise, or the hooks are being timed. */

import { Waiting } from '../deadlines.ts';
import { messageOf } from '../errors.ts';
import { cutText, type JsonObject } from '../json.ts';
import { isPromise, type MaybePromise } from '../maybe-promise.ts';
import type { Answer } from './answers.ts';
import type { Frame } from './context.ts';
import {
  closes,
  type Confirmation,
  type Dispatched,
  type Entry,
  type Flowing,
  refusal,
  untouched,
} from './dispatched.ts';
import type { FailureKind } from './events.ts';
import { Problem } from './reading.ts';

const waiting: unique symbol = Symbol('waiting');

/** Undefined: go on with the next hook. */
type Step = Dispatched | typeof waiting | undefined;

/** What is walked along. */
interface Course {
  readonly point: Flowing;
  readonly entries: readonly Entry[];
  /** Every hook was called and timed; this was the slowest. */
  timed(slowestMs: number): void;
}

export class Run extends Waiting {
  private at = 0;
  private replaced = false;
  private changed = false;
  private confirms: Confirmation[] | undefined;
  private hint: JsonObject | undefined;
  private timing = true;
  private slowestMs = 0;
  private expired = false;
  private resolve: ((result: Dispatched) => void) | undefined;

  constructor(
    private readonly chain: Course,
    private payload: unknown,
    private readonly frame: Frame,
  ) {
    super();
  }

  start(): MaybePromise<Dispatched> {
    return this.outcome(this.walk());
  }

  /** Goes on after the hook at `at` gave an answer. */
  startAnswered(at: number, answer: unknown): MaybePromise<Dispatched> {
    this.at = at;
    this.timing = false;
    return this.outcome(this.got(answer) ?? this.next());
  }

  /** Goes on after the hook at `at` threw. */
  startThrown(at: number, thrown: unknown): MaybePromise<Dispatched> {
    this.at = at;
    this.timing = false;
    return this.outcome(this.failed('threw', messageOf(thrown)) ?? this.next());
  }

  override held(): boolean {
    return this.frame.asking();
  }

  /** The hook hangs: its answer no longer counts, and a fresh run goes on after it. */
  override expire(): void {
    this.expired = true;
    const rest = new Run(this.chain, this.payload, this.frame);
    rest.at = this.at;
    rest.replaced = this.replaced;
    rest.changed = this.changed;
    rest.confirms = this.confirms;
    rest.hint = this.hint;
    rest.timing = false;
    rest.resolve = this.resolve;
    rest.settle(rest.failed('timeout', `did not answer within ${rest.entry.limitMs} ms`) ?? rest.next());
  }

  private get entry(): Entry {
    return this.chain.entries[this.at] as Entry;
  }

  private outcome(step: Dispatched | typeof waiting): MaybePromise<Dispatched> {
    if (step !== waiting) return step;
    return new Promise((resolve) => {
      this.resolve = resolve;
    });
  }

  private next(): Dispatched | typeof waiting {
    this.at++;
    return this.walk();
  }

  private walk(): Dispatched | typeof waiting {
    for (; this.at < this.chain.entries.length; this.at++) {
      const { entry } = this;
      if (this.replaced && !entry.gate) continue;
      const step = this.timing ? this.callTimed(entry) : this.call(entry);
      if (step !== undefined) return step;
    }
    if (this.timing) this.chain.timed(this.slowestMs);
    return this.pass();
  }

  private call(entry: Entry): Step {
    let answer: unknown;
    try {
      answer = entry.method.call(entry.self, this.payload, this.frame.ctx);
    } catch (thrown) {
      return this.failed('threw', messageOf(thrown));
    }
    return answer === undefined ? undefined : this.got(answer);
  }

  private callTimed(entry: Entry): Step {
    const { clock } = this.frame;
    const started = clock.now();
    let answer: unknown;
    try {
      answer = entry.method.call(entry.self, this.payload, this.frame.ctx);
    } catch (thrown) {
      return this.failed('threw', messageOf(thrown));
    }
    const tookMs = clock.now() - started;
    this.slowestMs = Math.max(this.slowestMs, tookMs);
    if (tookMs < entry.limitMs) return answer === undefined ? undefined : this.got(answer);
    if (isPromise(answer)) this.ignore(answer);
    return this.failed('timeout', `took ${Math.round(tookMs)} ms, limit ${entry.limitMs} ms`);
  }

  private got(answer: unknown): Step {
    try {
      if (!isPromise(answer)) return this.take(answer);
      const promise = answer instanceof Promise ? answer : Promise.resolve(answer);
      this.frame.deadlines.set(this, this.entry.limitMs);
      promise.then(
        (value: unknown) => this.resume(value),
        (thrown: unknown) => this.resumeThrown(thrown),
      );
      return waiting;
    } catch (thrown) {
      return this.failed('malformed', `the answer cannot be read: ${messageOf(thrown)}`);
    }
  }

  private resume(value: unknown): void {
    if (this.expired) return this.late('answered');
    let step: Step;
    try {
      step = value === undefined ? undefined : this.take(value);
    } catch (thrown) {
      step = this.failed('malformed', `the answer cannot be read: ${messageOf(thrown)}`);
    }
    this.settle(step ?? this.next());
  }

  private resumeThrown(thrown: unknown): void {
    if (this.expired) return this.late(`failed: ${messageOf(thrown)}`);
    this.settle(this.failed('threw', messageOf(thrown)) ?? this.next());
  }

  private settle(step: Dispatched | typeof waiting): void {
    if (step === waiting) return;
    this.frame.deadlines.clear(this);
    this.resolve?.(step);
  }

  private late(what: string): void {
    this.report('late', `${what} after its time limit; ignored`);
  }

  private ignore(promise: PromiseLike<unknown>): void {
    promise.then(
      () => this.late('answered'),
      (thrown: unknown) => this.late(`failed: ${messageOf(thrown)}`),
    );
  }

  private take(answer: unknown): Step {
    const { point } = this.chain;
    const kind = this.kindOf(answer);
    if (kind instanceof Problem) return this.failed('malformed', kind.text);
    const action = kind.read(answer as object, this.frame.limits);
    if (action instanceof Problem) return this.failed('malformed', `the answer's ${action.text}`);
    return this.apply(kind, action, point.write);
  }

  private kindOf(answer: unknown): Answer<unknown> | Problem {
    const { answers } = this.chain.point;
    if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) {
      return new Problem(`answered ${answer === null ? 'null' : `a ${typeof answer}`}, not an action`);
    }
    const { type } = answer as { type?: unknown };
    if (typeof type !== 'string') return new Problem('answered an object without a type');
    const kind = Object.hasOwn(answers, type) ? answers[type] : undefined;
    const accepted = Object.keys(answers).join(', ') || 'nothing';
    if (kind === undefined) return new Problem(`answered "${cutText(type, 40)}"; this point accepts ${accepted}`);
    if (this.replaced && kind.flow !== 'stop' && kind.flow !== 'note') {
      return new Problem(`answered "${type}"; after a replace a gate may only reject or confirm`);
    }
    return kind;
  }

  private apply(kind: Answer<unknown>, action: unknown, write: Flowing['write']): Step {
    const { flow } = kind;
    const hook = this.entry.hook;
    switch (flow) {
      case 'settle':
      case 'thread':
        this.payload = Object.freeze(write(this.payload, (action as { value: unknown }).value));
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

  private pass(): Dispatched {
    if (!this.changed && this.confirms === undefined && this.hint === undefined) return untouched;
    const payload = this.changed ? this.payload : undefined;
    return { type: 'passed', payload, confirms: this.confirms ?? [], hint: this.hint };
  }

  private failed(kind: FailureKind, message: string): Dispatched | undefined {
    const { point } = this.chain;
    const text = this.cut(message);
    this.report(kind, text);
    return closes(point, this.entry, kind) ? refusal(point, this.entry.hook, text) : undefined;
  }

  private report(kind: FailureKind, message: string): void {
    this.frame.report({ hook: this.entry.hook, point: this.chain.point.name, kind, message });
  }

  private cut(text: string): string {
    return cutText(text, this.frame.limits.reasonLength);
  }
}
