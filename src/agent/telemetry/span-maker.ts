/** Making spans and ending them: at the times events tell, under the parents they belong to. */

import type * as OpenTelemetry from '@opentelemetry/api';
import type { Attributes, Context, Link, Span, Tracer } from '@opentelemetry/api';
import type { Usage } from '../../kernel/hooks/points/payloads.ts';
import { cutText } from '../../kernel/json.ts';
import { attribute } from './span-names.ts';

export type OpenTelemetryApi = typeof OpenTelemetry;

/** Longer messages of errors are cut. */
const messageLength = 1000;

interface SpanStart {
  readonly at: number;
  readonly attributes: Attributes;
  /** Where there is none, whatever was under way when the session was opened. */
  readonly parent?: Span | undefined;
  /** True for a call to something outside of this process. */
  readonly outgoing?: boolean | undefined;
  readonly links?: Link[] | undefined;
}

interface Failure {
  readonly at: number;
  /** The kind of failure, one of few. */
  readonly type: string;
  readonly message: string;
}

export class SpanMaker {
  /** What was under way when the session was opened. */
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

  /** Marks a span as failed; it still has to be ended. */
  fail(span: Span, failure: Failure): void {
    const message = cutText(failure.message, messageLength);
    span.setAttribute(attribute.errorType, failure.type);
    span.setStatus({ code: this.api.SpanStatusCode.ERROR, message });
    span.recordException({ name: failure.type, message }, timeOf(failure.at));
  }

  /** A link to the span of whoever is calling now, if there is one. */
  linkToCaller(): Link[] {
    const { trace, context } = this.api;
    const caller = trace.getSpanContext(context.active());
    return caller !== undefined && trace.isSpanContextValid(caller) ? [{ context: caller }] : [];
  }
}

/** A plain number would be taken for time since the start of the process if it is small enough. */
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
