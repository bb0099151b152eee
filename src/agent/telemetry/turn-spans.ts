/** The spans of one turn: itself, its model calls, its tool calls and their approvals. Gone when the turn has ended. */

import type { Span } from '@opentelemetry/api';
import type { BridleEvent } from '../../kernel/hooks/points/events.ts';
import type { EventOf } from './event-of.ts';
import { ModelSpans } from './model-spans.ts';
import { timeOf, usageAttributes, type SpanMaker } from './span-maker.ts';
import { attribute, otherError } from './span-names.ts';
import { ToolSpans } from './tool-spans.ts';

export class TurnSpans {
  private readonly models: ModelSpans;
  private readonly tools: ToolSpans;

  constructor(
    private readonly maker: SpanMaker,
    readonly span: Span,
  ) {
    this.models = new ModelSpans(maker, span);
    this.tools = new ToolSpans(maker, span);
  }

  /** The call that ran last: what it starts, it starts at once. */
  get runningCall(): Span | undefined {
    return this.tools.runningCall;
  }

  handle(event: BridleEvent): void {
    this.models.handle(event);
    this.tools.handle(event);
  }

  settle(event: EventOf<'turn_ended'>): void {
    const { at, stopReason, error, usage, step } = event;
    const { span } = this;
    span.setAttribute(attribute.steps, step);
    if (stopReason !== undefined) span.setAttribute(attribute.stopReason, stopReason);
    if (usage !== undefined) span.setAttributes(usageAttributes(usage));
    if (error !== undefined) this.maker.fail(span, { at, type: otherError, message: error });
    this.end(at, stopReason === 'cancelled' ? 'cancelled' : 'interrupted');
  }

  /** Ends everything that is open; `outcome` says how what had not ended by itself came to its end. */
  end(at: number, outcome: 'cancelled' | 'interrupted'): void {
    this.models.end(at, outcome);
    this.tools.end(at, outcome);
    this.span.end(timeOf(at));
  }
}
