/** Shows a conversation as text: the model's words on one screen, everything about calls on the same or another. */

import { messageOf } from '../errors.ts';
import type { BridleEvent } from '../hooks/events.ts';
import { ChangedArgs } from './changed-args.ts';
import { changedArgsLine, type EventLine, eventLine } from './event-line.ts';
import { LateNews } from './late-news.ts';
import type { Renderer, TurnOutcome } from './renderer.ts';
import type { Screen } from './screen.ts';
import { inset, spellOut, VisibleText } from './visible-text.ts';

export interface TextScreens {
  /** For the answer. */
  readonly words: Screen;
  /** For tool calls, decisions, notes. */
  readonly notes: Screen;
  /** Events that something else shows. */
  readonly leaveOut?: ReadonlySet<BridleEvent['type']> | undefined;
}

export class TextRenderer implements Renderer {
  private readonly visible = new VisibleText();
  private readonly late = new LateNews();
  private readonly changedArgs = new ChangedArgs();
  private streamed = '';

  constructor(private readonly screens: TextScreens) {}

  event(event: BridleEvent): void {
    if (event.type === 'text_delta') return this.stream(event);
    if (event.type === 'turn_started' && event.agent.length === 1) this.streamed = '';
    if (this.late.take(event)) return;
    if (!this.screens.leaveOut?.has(event.type)) this.put(event, eventLine(event));
    const isChanged = this.changedArgs.at(event) !== undefined;
    if (isChanged && event.type === 'tool_started') this.put(event, changedArgsLine(event));
    if (event.type === 'turn_ended' && event.agent.length === 1) this.tellLate();
  }

  outcome(outcome: TurnOutcome): void {
    this.endWords();
    const { words, notes } = this.screens;
    if (outcome.type === 'failed') return notes.line(`✗ the turn failed: ${inset(messageOf(outcome.error))}`, 'bad');
    const { stopReason, text } = outcome.result;
    const isAnswer = stopReason === 'end' || stopReason === 'finished';
    if (!isAnswer) notes.line(`! the turn stopped: ${inset(stopReason)}`, 'warn');
    // Hooks can change the answer after it was streamed, and a refusal was never streamed.
    if (stopReason === 'cancelled' || text.trim() === '' || this.streamed.includes(text.trim())) return;
    if (isAnswer) words.line(spellOut(text).trimEnd());
    else notes.line(`  ${inset(text)}`);
  }

  say(text: string): void {
    this.endWords();
    this.screens.words.line(text);
  }

  note(text: string): void {
    this.endWords();
    this.screens.notes.line(text, 'dim');
  }

  finish(): void {
    this.endWords();
    this.tellLate();
  }

  private put({ agent }: BridleEvent, line: EventLine | undefined): void {
    if (line === undefined) return;
    this.endWords();
    this.screens.notes.line('  '.repeat(agent.length - 1) + line.text, line.tone);
  }

  private tellLate(): void {
    for (const event of this.late.release()) this.put(event, eventLine(event));
  }

  private stream(event: Extract<BridleEvent, { readonly text: string; readonly attempt: number }>): void {
    if (event.agent.length > 1) return;
    this.streamed += event.text;
    this.screens.words.write(this.visible.push(event.text));
  }

  private endWords(): void {
    const { words } = this.screens;
    words.write(this.visible.flush());
    words.startLine();
  }
}
