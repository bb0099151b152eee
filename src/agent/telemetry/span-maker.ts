/** Starts spans at the times given by events, under the right parents. */

import type * as OpenTelemetry from '@opentelemetry/api';
import type { Attributes, Context, Link, Span, Tracer } from '@opentelemetry/api';
import type { Usage } from '../../kernel/hooks/points/payloads.ts';
import { cutText } from '../../kernel/json.ts';
import { attribute } from './span-names.ts';

export type OpenTelemetryApi = typeof OpenTelemetry;

/** Longer error messages are cut. */
const messageLength = 1000;

interface SpanStart {
  readonly at: number;
  readonly attributes: Attributes;
  /** The parent span. Default: the span that was active when the session was opened. */
  readonly parent?: Span | undefined;
  /** True for a call to another process. */
  readonly outgoing?: boolean | undefined;
  readonly links?: Link[] | undefined;
}

interface Failure {
  readonly at: number;
  /** The kind of failure; a low-cardinality value. */
  readonly type: string;
  readonly message: string;
}

export class SpanMaker {
  /** The context that was active when the session was opened. */
  private readonly base: Context;

  constructor(
    private readonly api: OpenTelemetryApi,
    private readonly tracer: Tracer,
  ) {
    this.base = api.context.active();
  }

  start(name: string, { at, attributes, parent, outgoing = false, links = [] }: SpanStart): Span {
    const { trace, SpanKind } = this.api;
    const kind = outgoing ? SpanKind.CLIENT : SpanKind.INTERNAL;
    const context = parent === undefined ? this.base : trace.setSpan(this.base, parent);
    return this.tracer.startSpan(name, { kind, startTime: timeOf(at), attributes, links }, context);
  }

  /** Marks a span as failed. Does not end it. */
  fail(span: Span, failure: Failure): void {
    const message = cutText(failure.message, messageLength);
    span.setAttribute(attribute.errorType, failure.type);
    span.setStatus({ code: this.api.SpanStatusCode.ERROR, message });
    span.recordException({ name: failure.type, message }, timeOf(failure.at));
  }

  /** A link to the caller's active span, if there is one. */
  linkToCaller(): Link[] {
    const { trace, context } = this.api;
    const caller = trace.getSpanContext(context.active());
    return caller !== undefined && trace.isSpanContextValid(caller) ? [{ context: caller }] : [];
  }
}

/** A Date, because OpenTelemetry reads a small number as the time since the start of the process. */
export function timeOf(at: number): Date {
  return new Date(at);
}

export function usageAttributes(usage: Usage): Attributes {
  return {
    [attribute.inputTokens]: usage.inputTokens,
    [attribute.outputTokens]: usage.outputTokens,
    [attribute.cacheReadTokens]: usage.cachedInputTokens,
    [attribute.cacheCreationTokens]: usage.cacheCreationTokens,
  };
}
