/** The spans of a turn's model calls, one for each attempt. */

import type { Span } from '@opentelemetry/api';
import type { BridleEvent } from '../../kernel/hooks/points/events.ts';
import type { EventOf } from './event-of.ts';
import { timeOf, usageAttributes, type SpanMaker } from './span-maker.ts';
import { attribute, otherError, splitModelKey, spanName } from './span-names.ts';

interface OpenAttempt {
  readonly span: Span;
  readonly model: string;
  readonly attempt: number;
  readonly startedAt: number;
  /** True once the first piece of the answer has arrived. */
  answering: boolean;
}

export class ModelSpans {
  private readonly open: OpenAttempt[] = [];
  private modelSetOnTurn = false;

  constructor(
    private readonly maker: SpanMaker,
    private readonly turn: Span,
  ) {}

  handle(event: BridleEvent): void {
    switch (event.type) {
      case 'llm_started':
        return this.start(event);
      case 'text_delta':
      case 'thinking_delta':
        return this.noteFirstChunk(event);
      case 'llm_settled':
        return this.settle(event);
      case 'llm_failed':
        return this.fail(event);
      default:
    }
  }

  end(at: number, outcome: string): void {
    for (const { span } of this.open.splice(0)) {
      span.setAttribute(attribute.outcome, outcome);
      span.end(timeOf(at));
    }
  }

  private start({ at, session, step, agent, model, attempt, purpose }: EventOf<'llm_started'>): void {
    const { provider, id } = splitModelKey(model);
    const modelAttributes = { [attribute.provider]: provider, [attribute.requestModel]: id };
    if (!this.modelSetOnTurn) this.turn.setAttributes(modelAttributes);
    this.modelSetOnTurn = true;
    const attributes = {
      ...modelAttributes,
      [attribute.operation]: spanName.modelCall,
      [attribute.conversation]: session,
      [attribute.agentName]: agent.at(-1),
      [attribute.step]: step,
      [attribute.attempt]: attempt,
      [attribute.purpose]: purpose,
    };
    const name = `${spanName.modelCall} ${id}`;
    const span = this.maker.start(name, { at, attributes, parent: this.turn, outgoing: true });
    this.open.push({ span, model, attempt, startedAt: at, answering: false });
  }

  private noteFirstChunk({ at, attempt }: EventOf<'text_delta' | 'thinking_delta'>): void {
    const found = this.open.find((each) => each.attempt === attempt && !each.answering);
    if (found === undefined) return;
    found.answering = true;
    found.span.setAttribute(attribute.firstChunk, (at - found.startedAt) / 1000);
  }

  private settle(event: EventOf<'llm_settled'>): void {
    const span = this.close(event);
    span?.setAttributes({ ...usageAttributes(event.usage), [attribute.finishReasons]: [event.finishReason] });
    if (event.responseId !== undefined) span?.setAttribute(attribute.responseId, event.responseId);
    span?.end(timeOf(event.at));
  }

  private fail(event: EventOf<'llm_failed'>): void {
    const { at, error: message, next } = event;
    const span = this.close(event);
    if (span === undefined) return;
    span.setAttribute(attribute.next, next);
    this.maker.fail(span, { at, type: otherError, message });
    span.end(timeOf(at));
  }

  private close({ model, attempt }: EventOf<'llm_settled' | 'llm_failed'>): Span | undefined {
    const index = this.open.findIndex((each) => each.model === model && each.attempt === attempt);
    return index === -1 ? undefined : this.open.splice(index, 1)[0]?.span;
  }
}
