/** The spans of one turn: the turn, its model calls, its tool calls and their approvals. */

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

  /** The call that started last. A subagent's turn starts immediately after its call, so this is its parent. */
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

  /** Ends all open spans. `outcome` is recorded on those that had not ended by themselves. */
  end(at: number, outcome: 'cancelled' | 'interrupted'): void {
    this.models.end(at, outcome);
    this.tools.end(at, outcome);
    this.span.end(timeOf(at));
  }
}
