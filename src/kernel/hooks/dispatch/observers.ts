/**
 * Sends events to `onEvent` hooks. Each observer gets every event in order and cannot change it. A slow observer has its
 * own bounded queue; events that do not fit are counted and reported to it. A failing observer is recorded once.
 */

import { timedOut, withTimeout } from '../../deadlines.ts';
import { messageOf } from '../../errors.ts';
import { isPromise } from '../../maybe-promise.ts';
import type { Activity, HookFailure } from '../points/hook-context.ts';
import type { HookEntry } from './dispatch-result.ts';
import type { BridleEvent } from '../points/events.ts';

/** Stops observers that react to events with events, which cause further events, and so on. */
const maxObserverDepth = 8;

interface PublishedEvent {
  readonly event: BridleEvent;
  readonly activity: Activity;
}

export class Observers {
  private readonly observers: readonly Observer[];
  private readonly backlog: PublishedEvent[] = [];
  private publishing = false;

  constructor(
    entries: readonly HookEntry[],
    private readonly queueLength: number,
  ) {
    this.observers = entries.map((entry) => new Observer(entry, queueLength));
  }

  /** False if no observer would get the event. Then it need not be created. */
  wants(activity: Activity): boolean {
    if (activity.observerDepth <= maxObserverDepth) return this.observers.length > 0;
    for (const observer of this.observers) observer.skipped++;
    return false;
  }

  /** An event that an observer sends while it handles another one is queued, so all observers see the same order. */
  publish(event: BridleEvent, activity: Activity): void {
    this.backlog.push({ event, activity });
    if (this.publishing) return;
    this.publishing = true;
    // Bounded, so the loop ends even if every event causes new ones.
    for (let delivered = 0; delivered <= this.queueLength && this.backlog.length > 0; delivered++) {
      const published = this.backlog.shift() as PublishedEvent;
      for (const observer of this.observers) observer.receive(published);
    }
    for (const observer of this.observers) observer.dropped += this.backlog.length;
    this.backlog.length = 0;
    this.publishing = false;
  }

  /** From now on, an observer with queued events has its time limit to catch up. */
  close(now: number): void {
    for (const observer of this.observers) observer.closedAt = now;
  }
}

class Observer {
  private readonly queue: PublishedEvent[] = [];
  private busy = false;
  private failed = false;
  dropped = 0;
  /** Dropped as well, but reported only with the next regular event, because the report itself might cause events. */
  skipped = 0;
  closedAt = Number.POSITIVE_INFINITY;

  constructor(
    private readonly entry: HookEntry,
    private readonly queueLength: number,
  ) {}

  receive(published: PublishedEvent): void {
    if (published.activity.observerDepth === 0) {
      this.dropped += this.skipped;
      this.skipped = 0;
    }
    if (this.busy) {
      if (this.queue.length < this.queueLength) this.queue.push(published);
      else this.dropped++;
      return;
    }
    const report = this.dropReport(published);
    if (report !== undefined) this.deliver(report);
    if (this.busy) this.queue.push(published);
    else this.deliver(published);
  }

  private deliver(published: PublishedEvent): void {
    const { event, activity } = published;
    const { forObservers: observed } = activity;
    const startedAt = observed.workingTimeMs();
    let done: unknown;
    // An event that the observer sends meanwhile is queued.
    this.busy = true;
    try {
      done = this.entry.method.call(this.entry.self, event, observed.hookContext);
    } catch (thrown) {
      this.record(activity, 'threw', messageOf(thrown));
    }
    // An observer that blocks delays the work itself.
    const tookMs = observed.workingTimeMs() - startedAt;
    const { limitMs } = this.entry;
    if (tookMs >= limitMs) this.record(activity, 'timeout', `took ${Math.round(tookMs)} ms, limit ${limitMs} ms`);
    if (isPromise(done)) return activity.runInBackground(this.settle(done, published));
    this.busy = false;
    if (done !== undefined) this.record(activity, 'malformed', 'returned a value; an observer cannot answer');
  }

  private async settle(done: PromiseLike<unknown>, published: PublishedEvent): Promise<void> {
    const { activity } = published;
    const { deadlines, forObservers: observed } = activity;
    const { limitMs } = this.entry;
    try {
      const ended = await withTimeout(done, limitMs, { deadlines, held: () => observed.isAsking() });
      if (ended === timedOut) this.record(activity, 'timeout', `did not settle within ${limitMs} ms`);
    } catch (thrown) {
      this.record(activity, 'threw', messageOf(thrown));
    }
    this.busy = false;
    this.drain(published);
  }

  private drain(last: PublishedEvent): void {
    while (!this.busy) {
      if (last.activity.clock.now() - this.closedAt >= this.entry.limitMs) return this.giveUp(last);
      const next = this.queue.shift() ?? this.dropReport(last);
      if (next === undefined) return;
      this.deliver(next);
    }
  }

  /** The session has ended and no longer waits. */
  private giveUp({ activity }: PublishedEvent): void {
    const left = this.dropped + this.queue.length;
    this.queue.length = 0;
    this.dropped = 0;
    if (left > 0) this.record(activity, 'timeout', `was behind at the end; ${left} events were dropped`);
  }

  private dropReport(last: PublishedEvent): PublishedEvent | undefined {
    if (this.dropped === 0) return undefined;
    const { seq, at, session, turn, step, agent } = last.event;
    const count = this.dropped;
    this.dropped = 0;
    const event = Object.freeze({ seq, at, session, turn, step, agent, type: 'events_dropped' as const, count });
    return { activity: last.activity, event };
  }

  private record(activity: Activity, kind: HookFailure['kind'], message: string): void {
    if (this.failed) return;
    this.failed = true;
    activity.reportObserverFailure({ hook: this.entry.hook, kind, message, point: 'onEvent' });
  }
}
