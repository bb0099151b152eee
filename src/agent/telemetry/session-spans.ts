/**
 * The spans of one session, created from its events: the session contains turns, and turns contain model calls and tool
 * calls. A subagent's turn is a child of the tool call that started it. Open spans end with the session.
 */

import type { Span } from '@opentelemetry/api';
import type { BridleEvent } from '../../kernel/hooks/points/events.ts';
import type { EventOf } from './event-of.ts';
import { type SpanMaker, timeOf } from './span-maker.ts';
import { attribute, spanName } from './span-names.ts';
import { spanEventOf } from './span-events.ts';
import { TurnSpans } from './turn-spans.ts';

/** The facts known about a session before its first event. */
interface SessionStart {
  readonly at: number;
  readonly id: string;
  readonly agent: string;
}

export class SessionSpans {
  private readonly span: Span;
  private readonly turns = new Map<number, TurnSpans>();
  /** The tool call that starts the subagent of the next turn. */
  private delegatingCall: Span | undefined;
  private ended = false;

  constructor(
    private readonly maker: SpanMaker,
    { at, id, agent }: SessionStart,
  ) {
    const attributes = { [attribute.conversation]: id, [attribute.agentName]: agent };
    this.span = maker.start(`${spanName.session} ${agent}`, { at, attributes });
  }

  handle(event: BridleEvent): void {
    if (this.ended) return;
    switch (event.type) {
      case 'turn_started':
        return this.startTurn(event);
      case 'turn_ended':
        return this.endTurn(event);
      case 'subagent_started':
        this.delegatingCall = this.turns.get(event.turn)?.runningCall;
        return;
      case 'session_ended':
        return this.end(event);
      default:
        this.turns.get(event.turn)?.handle(event);
        this.addEvent(event);
    }
  }

  private startTurn({ at, session, turn, agent, origin }: EventOf<'turn_started'>): void {
    const name = agent.at(-1) ?? '';
    const delegated = origin === 'subagent';
    const parent = (delegated ? this.delegatingCall : undefined) ?? this.span;
    this.delegatingCall = undefined;
    const attributes = {
      [attribute.operation]: spanName.turn,
      [attribute.conversation]: session,
      [attribute.agentName]: name,
      [attribute.agentPath]: [...agent],
      [attribute.turn]: turn,
      [attribute.origin]: origin,
    };
    const links = delegated ? [] : this.maker.linkToCaller();
    const span = this.maker.start(`${spanName.turn} ${name}`, { at, attributes, parent, links });
    this.turns.set(turn, new TurnSpans(this.maker, span));
  }

  private endTurn(event: EventOf<'turn_ended'>): void {
    const turn = this.turns.get(event.turn);
    this.turns.delete(event.turn);
    turn?.settle(event);
  }

  private end({ at, reason }: EventOf<'session_ended'>): void {
    this.ended = true;
    for (const turn of [...this.turns.values()].toReversed()) turn.end(at, 'interrupted');
    this.turns.clear();
    this.span.setAttribute(attribute.endReason, reason);
    this.span.end(timeOf(at));
  }

  private addEvent(event: BridleEvent): void {
    const spanEvent = spanEventOf(event);
    if (spanEvent === undefined) return;
    const span = this.turns.get(event.turn)?.span ?? this.span;
    span.addEvent(spanEvent.name, spanEvent.attributes, timeOf(event.at));
  }
}
