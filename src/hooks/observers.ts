/**
 * Sending events to `onEvent` hooks. Each observer sees every event in order and can change nothing. A slow one gets a
 * bounded queue of its own; what does not fit is counted and reported to it. A failing one is recorded once.
 */

import { timedOut, within } from '../deadlines.ts';
import { messageOf } from '../errors.ts';
import { isPromise } from '../maybe-promise.ts';
import type { Frame } from './context.ts';
import type { Entry } from './dispatched.ts';
import type { BridleEvent } from './events.ts';

interface Published {
  readonly event: BridleEvent;
  readonly frame: Frame;
}

export class Observers {
  private readonly observers: readonly Observer[];
  private readonly backlog: Published[] = [];
  private publishing = false;

  constructor(
    entries: readonly Entry[],
    private readonly queueLength: number,
  ) {
    this.observers = entries.map((entry) => new Observer(entry, queueLength));
  }

  /** False if an event would reach nobody; then it need not be made. */
  get active(): boolean {
    return this.observers.length > 0;
  }

  /** An event sent by an observer while it is being told of another one waits its turn, so order holds for all. */
  publish(event: BridleEvent, frame: Frame): void {
    this.backlog.push({ event, frame });
    if (this.publishing) return;
    this.publishing = true;
    // Observers that answer every event with another one would never end.
    for (let told = 0; told <= this.queueLength && this.backlog.length > 0; told++) {
      this.tell(this.backlog.shift() as Published);
    }
    for (const observer of this.observers) observer.miss(this.backlog.length);
    this.backlog.length = 0;
    this.publishing = false;
  }

  private tell(published: Published): void {
    for (const observer of this.observers) observer.take(published);
  }
}

class Observer {
  private readonly queue: Published[] = [];
  private busy = false;
  private failed = false;
  private dropped = 0;

  constructor(
    private readonly entry: Entry,
    private readonly queueLength: number,
  ) {}

  take(published: Published): void {
    if (this.busy) {
      if (this.queue.length < this.queueLength) this.queue.push(published);
      else this.dropped++;
      return;
    }
    const report = this.dropReport(published);
    if (report !== undefined) this.tell(report);
    if (this.busy) this.queue.push(published);
    else this.tell(published);
  }

  miss(count: number): void {
    this.dropped += count;
  }

  private tell(published: Published): void {
    const { event, frame } = published;
    let done: unknown;
    try {
      done = this.entry.method.call(this.entry.self, event, frame.ctx);
    } catch (thrown) {
      return this.record(frame, messageOf(thrown));
    }
    if (done === undefined) return;
    if (!isPromise(done)) return this.record(frame, 'answered something; an observer cannot answer');
    this.busy = true;
    frame.background(this.settle(done, published));
  }

  private async settle(done: PromiseLike<unknown>, published: Published): Promise<void> {
    const { frame } = published;
    try {
      const ended = await within(done, this.entry.limitMs, { deadlines: frame.deadlines, held: () => frame.asking() });
      if (ended === timedOut) this.record(frame, `did not settle within ${this.entry.limitMs} ms`);
    } catch (thrown) {
      this.record(frame, messageOf(thrown));
    }
    this.busy = false;
    this.drain(published);
  }

  private drain(last: Published): void {
    while (!this.busy) {
      const next = this.queue.shift() ?? this.dropReport(last);
      if (next === undefined) return;
      this.tell(next);
    }
  }

  private dropReport(last: Published): Published | undefined {
    if (this.dropped === 0) return undefined;
    const { seq, at, session, turn, step, agent } = last.event;
    const count = this.dropped;
    this.dropped = 0;
    return { frame: last.frame, event: { seq, at, session, turn, step, agent, type: 'events_dropped', count } };
  }

  private record(frame: Frame, message: string): void {
    if (this.failed) return;
    this.failed = true;
    frame.reportObserver({ hook: this.entry.hook, point: 'onEvent', kind: 'threw', message });
  }
}
