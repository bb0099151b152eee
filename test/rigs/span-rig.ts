/** OpenTelemetry with a real SDK that keeps spans in memory, to test how an agent reports its events. */

import { context, propagation, trace, type HrTime } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
  type ReadableSpan,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import type { BridleEvent, Clock } from 'bridle';
import { systemClock } from '../../src/kernel/clock.ts';

export interface SpanRig {
  readonly spans: () => readonly ReadableSpan[];
  /** The names of all ended spans, indented below their parents, in start order. */
  readonly tree: () => string[];
  /** The only span with that name. */
  readonly span: (name: string) => ReadableSpan;
  readonly named: (name: string) => readonly ReadableSpan[];
  readonly stop: () => Promise<void>;
}

/** Registers an SDK for the whole process, until it is stopped. */
export function spanRig(...more: readonly SpanProcessor[]): SpanRig {
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter), ...more] });
  provider.register();
  const spans = (): ReadableSpan[] => exporter.getFinishedSpans();
  const named = (name: string): ReadableSpan[] =>
    spans()
      .filter((span) => span.name === name)
      .toSorted(byStart);
  return {
    spans,
    named,
    tree: () => branches(spans(), undefined, ''),
    span(name) {
      const [found, ...others] = named(name);
      if (found === undefined || others.length > 0) throw new RangeError(`${others.length} more spans "${name}"`);
      return found;
    },
    async stop() {
      await provider.shutdown();
      trace.disable();
      context.disable();
      propagation.disable();
    },
  };
}

function branches(spans: readonly ReadableSpan[], parent: string | undefined, indent: string): string[] {
  const children = spans.filter((span) => span.parentSpanContext?.spanId === parent).toSorted(byStart);
  return children.flatMap((span) => [
    `${indent}${span.name}`,
    ...branches(spans, span.spanContext().spanId, `${indent}  `),
  ]);
}

function byStart(a: ReadableSpan, b: ReadableSpan): number {
  return millisecondsOf(a.startTime) - millisecondsOf(b.startTime);
}

function millisecondsOf([seconds, nanoseconds]: HrTime): number {
  return seconds * 1000 + nanoseconds / 1_000_000;
}

export function timesOf({ startTime, endTime }: ReadableSpan): { from: number; to: number } {
  return { from: millisecondsOf(startTime), to: millisecondsOf(endTime) };
}

/** A clock on which no two events happen at the same time. */
export function steppingClock(): Clock {
  let wall = Date.UTC(2026, 0, 1);
  return { ...systemClock, wall: () => wall++ };
}

/** The time of the only matching event. */
export function timeOf<T extends BridleEvent['type']>(
  events: readonly BridleEvent[],
  type: T,
  fits: (event: Extract<BridleEvent, { readonly type: T }>) => boolean = () => true,
): number {
  const found = events.filter(
    (event): event is Extract<BridleEvent, { readonly type: T }> =>
      event.type === type && fits(event as Extract<BridleEvent, { readonly type: T }>),
  );
  if (found.length !== 1) throw new RangeError(`${found.length} events "${type}"`);
  return (found[0] as BridleEvent).at;
}
