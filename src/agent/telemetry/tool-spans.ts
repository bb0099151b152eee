/** The spans of a turn's tool calls and of their approvals. */

import type { Span } from '@opentelemetry/api';
import type { BridleEvent } from '../../kernel/hooks/points/events.ts';
import type { EventOf } from './event-of.ts';
import { timeOf, type SpanMaker } from './span-maker.ts';
import { attribute, spanName } from './span-names.ts';

interface OpenCall {
  readonly span: Span;
  approval: Span | undefined;
  approved: boolean;
}

export class ToolSpans {
  private readonly open = new Map<string, OpenCall>();
  private lastStarted: Span | undefined;

  constructor(
    private readonly maker: SpanMaker,
    private readonly turn: Span,
  ) {}

  /** The call that was started last. */
  get runningCall(): Span | undefined {
    return this.lastStarted;
  }

  handle(event: BridleEvent): void {
    switch (event.type) {
      case 'tool_requested':
        return this.request(event);
      case 'tool_asked':
        return this.ask(event);
      case 'tool_approved':
        return this.approve(event);
      case 'tool_denied':
        return this.deny(event);
      case 'tool_started':
        return this.start(event);
      case 'tool_settled':
        return this.settle(event);
      default:
    }
  }

  end(at: number, outcome: string): void {
    for (const callId of this.open.keys()) this.interrupt(callId, at, outcome);
  }

  private interrupt(callId: string, at: number, outcome: string): void {
    this.open.get(callId)?.span.setAttribute(attribute.outcome, outcome);
    this.close(callId, at, outcome);
  }

  private request({ at, callId, tool, server, step }: EventOf<'tool_requested'>): void {
    // A second call with the same id ends the first span, because later events could not be assigned.
    this.interrupt(callId, at, 'interrupted');
    const attributes = {
      ...callAttributes(callId, tool),
      [attribute.operation]: spanName.toolCall,
      [attribute.toolType]: 'function',
      [attribute.server]: server,
      [attribute.step]: step,
    };
    const span = this.maker.start(`${spanName.toolCall} ${tool}`, { at, attributes, parent: this.turn });
    this.open.set(callId, { span, approval: undefined, approved: false });
  }

  private ask({ at, callId, tool, approvalId }: EventOf<'tool_asked'>): void {
    const call = this.open.get(callId);
    if (call === undefined) return;
    this.endApproval(call, at, 'interrupted');
    const attributes = { ...callAttributes(callId, tool), [attribute.approvalId]: approvalId };
    call.approval = this.maker.start(`${spanName.approval} ${tool}`, { at, attributes, parent: call.span });
  }

  private approve({ at, callId, remembered }: EventOf<'tool_approved'>): void {
    const call = this.open.get(callId);
    if (call === undefined) return;
    call.approved = true;
    if (remembered) call.span.setAttribute(attribute.remembered, true);
    this.endApproval(call, at, 'approved');
  }

  /** A denied call is not an error: the policy works as intended. */
  private deny({ at, callId, rule, hook }: EventOf<'tool_denied'>): void {
    const decided = { [attribute.decision]: 'denied', [attribute.rule]: rule?.name, [attribute.hook]: hook };
    this.open.get(callId)?.span.setAttributes(decided);
    this.close(callId, at, 'denied');
  }

  private start({ callId, rule }: EventOf<'tool_started'>): void {
    const call = this.open.get(callId);
    if (call === undefined) return;
    const decision = call.approved ? 'approved' : 'allowed';
    call.span.setAttributes({ [attribute.decision]: decision, [attribute.rule]: rule?.name });
    this.lastStarted = call.span;
  }

  private settle({ at, callId, outcome, error }: EventOf<'tool_settled'>): void {
    const span = this.open.get(callId)?.span;
    if (span === undefined) return;
    span.setAttribute(attribute.outcome, outcome);
    if (outcome === 'error' || outcome === 'timeout' || outcome === 'interrupted') {
      this.maker.fail(span, { at, type: outcome, message: error ?? outcome });
    }
    this.close(callId, at, outcome);
  }

  private close(callId: string, at: number, outcome: string): void {
    const call = this.open.get(callId);
    if (call === undefined) return;
    this.open.delete(callId);
    if (this.lastStarted === call.span) this.lastStarted = undefined;
    this.endApproval(call, at, outcome);
    call.span.end(timeOf(at));
  }

  private endApproval(call: OpenCall, at: number, outcome: string): void {
    const { approval } = call;
    call.approval = undefined;
    approval?.setAttribute(attribute.outcome, outcome);
    approval?.end(timeOf(at));
  }
}

function callAttributes(callId: string, tool: string): Record<string, string> {
  return { [attribute.toolName]: tool, [attribute.toolCallId]: callId };
}
