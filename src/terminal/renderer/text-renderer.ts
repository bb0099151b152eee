/** Shows a chat as text: the model's answer on one screen; calls, decisions and notes on the same or another one. */

import { isDeepStrictEqual } from 'node:util';
import { messageOf } from '../../kernel/errors.ts';
import type { BridleEvent } from '../../kernel/hooks/points/events.ts';
import type { JsonValue } from '../../kernel/json.ts';
import { changedArgsLine, type EventLine, eventLine } from './event-line.ts';
import type { Renderer, TurnOutcome } from './renderer.ts';
import type { Screen } from '../output/screen.ts';
import { safeText, escapeControls, ControlEscaper } from '../output/safe-text.ts';

export interface TextScreens {
  /** For the model's answer. */
  readonly answer: Screen;
  /** For tool calls, decisions, notes. */
  readonly notes: Screen;
  /** Events that are shown elsewhere. */
  readonly hiddenEvents?: ReadonlySet<BridleEvent['type']> | undefined;
}

export class TextRenderer implements Renderer {
  private readonly visible = new ControlEscaper();
  private readonly lateEvents = new LateEvents();
  private readonly changedArgs = new ChangedArgs();
  private streamed = '';

  constructor(private readonly screens: TextScreens) {}

  showEvent(event: BridleEvent): void {
    if (event.type === 'text_delta') return this.streamText(event);
    if (event.type === 'turn_started' && event.agent.length === 1) this.streamed = '';
    if (this.lateEvents.holdIfLate(event)) return;
    if (!this.screens.hiddenEvents?.has(event.type)) this.writeEventLine(event, eventLine(event));
    const isChanged = this.changedArgs.changedArgs(event) !== undefined;
    if (isChanged && event.type === 'tool_started') this.writeEventLine(event, changedArgsLine(event));
    if (event.type === 'turn_ended' && event.agent.length === 1) this.showLateEvents();
  }

  showOutcome(outcome: TurnOutcome): void {
    this.endAnswer();
    const { answer, notes } = this.screens;
    if (outcome.type === 'failed') return notes.line(`✗ the turn failed: ${safeText(messageOf(outcome.error))}`, 'bad');
    const { stopReason, text } = outcome.result;
    const isAnswer = stopReason === 'end' || stopReason === 'finished';
    if (!isAnswer) notes.line(`! the turn stopped: ${safeText(stopReason)}`, 'warn');
    // A hook can change the answer after it was streamed, and a refusal is not streamed at all.
    if (stopReason === 'cancelled' || text.trim() === '' || this.streamed.includes(text.trim())) return;
    if (isAnswer) answer.line(escapeControls(text).trimEnd());
    else notes.line(`  ${safeText(text)}`);
  }

  showReply(text: string): void {
    this.endAnswer();
    this.screens.answer.line(text);
  }

  showNote(text: string): void {
    this.endAnswer();
    this.screens.notes.line(text, 'dim');
  }

  finish(): void {
    this.endAnswer();
    this.showLateEvents();
  }

  private writeEventLine({ agent }: BridleEvent, line: EventLine | undefined): void {
    if (line === undefined) return;
    this.endAnswer();
    this.screens.notes.line('  '.repeat(agent.length - 1) + line.text, line.tone);
  }

  private showLateEvents(): void {
    for (const event of this.lateEvents.release()) this.writeEventLine(event, eventLine(event));
  }

  private streamText(event: Extract<BridleEvent, { readonly text: string; readonly attempt: number }>): void {
    if (event.agent.length > 1) return;
    this.streamed += event.text;
    this.screens.answer.write(this.visible.push(event.text));
  }

  private endAnswer(): void {
    const { answer } = this.screens;
    answer.write(this.visible.flush());
    answer.startLine();
  }
}

/**
 * Events of calls and hooks that finish after their timeout. They are shown at the end of a turn, never while somebody is
 * typing; those of a cancelled turn are not shown at all.
 */
class LateEvents {
  private readonly cancelled = new Set<string>();
  private held: BridleEvent[] = [];

  /** Returns true if the event is held until {@link release}. */
  holdIfLate(event: BridleEvent): boolean {
    if (event.type === 'turn_ended' && event.stopReason === 'cancelled') this.cancelled.add(turnOf(event));
    const isLate = event.type === 'tool_late' || (event.type === 'hook_failed' && event.kind === 'late');
    if (isLate) this.held.push(event);
    return isLate;
  }

  /** The held events, without those of cancelled turns. */
  release(): readonly BridleEvent[] {
    const shown = this.held.filter((event) => !this.cancelled.has(turnOf(event)));
    this.held = [];
    return shown;
  }
}

function turnOf({ session, agent, turn }: BridleEvent): string {
  return JSON.stringify([session, agent, turn]);
}

/** Finds calls that run with other args than the model requested, because a person or a hook changed them. */
class ChangedArgs {
  private readonly requested = new Map<string, JsonValue>();

  /** The args a call starts with, if they differ from the requested ones. */
  changedArgs(event: BridleEvent): JsonValue | undefined {
    if (event.type === 'tool_requested') this.requested.set(keyOf(event), event.args);
    else if (event.type === 'tool_started') return this.changed(keyOf(event), event.args);
    else if (event.type === 'tool_denied') this.requested.delete(keyOf(event));
    return undefined;
  }

  private changed(key: string, args: JsonValue): JsonValue | undefined {
    const requested = this.requested.get(key);
    this.requested.delete(key);
    return requested === undefined || isDeepStrictEqual(requested, args) ? undefined : args;
  }
}

function keyOf({ session, callId }: Pick<BridleEvent, 'session'> & { readonly callId: string }): string {
  return `${session} ${callId}`;
}
