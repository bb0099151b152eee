/**
 * The hooks of one point, and calling them. It stays synchronous until a hook returns a promise, and never asks which
 * point it serves. Synchronous answers are timed hook by hook until the chain has proven quick; from then on whoever
 * dispatches times the chain as a whole and hands the figure to `checkOverrun`.
 */

import { isPromise, type MaybePromise } from '../maybe-promise.ts';
import type { Frame } from './context.ts';
import { closes, type Dispatched, type Entry, type Flowing, refusal, untouched } from './dispatched.ts';
import { Run } from './run.ts';

/** After this many rounds in which every hook was quick, a chain is timed as a whole. */
const roundsToTrust = 8;
const quickMs = 1;

/** A snapshot: its hooks never change. */
export class Chain {
  private readonly shortestMs: number;
  private quickRounds = 0;

  constructor(
    readonly point: Flowing,
    readonly entries: readonly Entry[],
    /** Hooks that run beside the work, a chain each. */
    private readonly detached: readonly Chain[],
  ) {
    this.shortestMs = Math.min(...entries.map((entry) => entry.limitMs));
  }

  get isEmpty(): boolean {
    return this.entries.length === 0 && this.detached.length === 0;
  }

  dispatch(payload: unknown, frame: Frame): MaybePromise<Dispatched> {
    if (this.detached.length === 0) return this.walk(payload, frame);
    const result = this.walk(payload, frame);
    if (isPromise(result)) return result.then((settled) => this.startDetached(payload, frame, settled));
    return this.startDetached(payload, frame, result);
  }

  /** A chain proven quick took this long as a whole: as much as a limit counts as a timeout of its hooks. */
  checkOverrun(elapsedMs: number, frame: Frame): Dispatched | undefined {
    if (elapsedMs < this.shortestMs || this.quickRounds < roundsToTrust) return undefined;
    this.quickRounds = 0;
    const hook = this.entries.map((entry) => entry.hook).join(', ');
    const message = `took ${Math.round(elapsedMs)} ms, limit ${this.shortestMs} ms`;
    frame.report({ hook, point: this.point.name, kind: 'timeout', message });
    return this.entries.some((entry) => closes(this.point, entry, 'timeout'))
      ? refusal(this.point, hook, message)
      : undefined;
  }

  /** A round in which each hook was timed has ended. */
  timed(slowestMs: number): void {
    this.quickRounds = slowestMs < quickMs ? this.quickRounds + 1 : 0;
  }

  private walk(payload: unknown, frame: Frame): MaybePromise<Dispatched> {
    if (this.quickRounds < roundsToTrust) return new Run(this, payload, frame).start();
    const { entries } = this;
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i] as Entry;
      let answer: unknown;
      try {
        answer = entry.method.call(entry.self, payload, frame.ctx);
      } catch (thrown) {
        return new Run(this, payload, frame).startThrown(i, thrown);
      }
      if (answer !== undefined) return new Run(this, payload, frame).startAnswered(i, answer);
    }
    return untouched;
  }

  private startDetached(payload: unknown, frame: Frame, result: Dispatched): Dispatched {
    const final = result.type === 'passed' ? (result.payload ?? payload) : payload;
    for (const chain of this.detached) {
      const work = chain.walk(final, frame);
      if (isPromise(work)) frame.background(work);
    }
    return result;
  }
}
