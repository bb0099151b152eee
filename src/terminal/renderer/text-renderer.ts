/** Shows a chat as text: the model's answer on one screen; calls, decisions and notes on the same or another one. */

import { isDeepStrictEqual } from 'node:util';
import { messageOf } from '../../kernel/errors.ts';
import type { BridleEvent } from '../../kernel/hooks/points/events.ts';
import type { JsonValue } from '../../kernel/json.ts';
import { AnswerView } from './answer-view.ts';
import type { ShownFolders } from './call-line.ts';
import { CallView } from './call-view.ts';
import { changedArgsLine, type EventLine, eventLine } from './event-line.ts';
import type { Renderer, TurnOutcome } from './renderer.ts';
import { Waiting } from './waiting.ts';
import type { Screen } from '../output/screen.ts';
import { safeText } from '../output/safe-text.ts';
import { markedLines } from '../output/marked-rows.ts';
import { wrapLines } from '../output/wrap-text.ts';

export interface TextScreens extends ShownFolders {
  /** For the model's answer. */
  readonly answer: Screen;
  /** For tool calls, decisions, notes. */
  readonly notes: Screen;
  /** Events that are shown elsewhere. */
  readonly hiddenEvents?: ReadonlySet<BridleEvent['type']> | undefined;
  /**
   * How much the output can do. `plain` (the default): text for pipes and logs. `wrapped`: Markdown and wrapped lines.
   * `live`: also a spinner and running calls at the bottom, for a terminal that can move its cursor.
   */
  readonly layout?: 'plain' | 'wrapped' | 'live' | undefined;
  /** The first value of {@link TextRenderer.details}. */
  readonly details?: boolean | undefined;
}

export class TextRenderer implements Renderer {
  /** Show every decision with its rule, every argument, and the start and end of each call. */
  details: boolean;
  private readonly lateEvents = new LateEvents();
  private readonly changedArgs = new ChangedArgs();
  private readonly answer: AnswerView;
  private readonly calls: CallView;
  private readonly waiting: Waiting | undefined;
  private readonly isRich: boolean;
  private streamed = '';
  private stoppedCalls: readonly string[] = [];
  /** What the last lines belong to: a blank line separates the answer from calls. */
  private lastBlock: 'none' | 'answer' | 'notes' = 'none';

  constructor(private readonly screens: TextScreens) {
    const { answer, notes, layout = 'plain', details = false, cwd, home } = screens;
    this.details = details;
    this.isRich = layout !== 'plain';
    const beforeWrite = (): void => this.startBlock('answer');
    this.answer = new AnswerView(answer, { format: this.isRich ? 'markdown' : 'stream', beforeWrite });
    const columns = (): number | undefined => (this.isRich ? notes.columns : undefined);
    this.calls = new CallView({ paint: notes.paint, columns, cwd, home });
    if (layout === 'live')
      this.waiting = new Waiting({
        screen: notes,
        calls: (spinner) => this.calls.liveLines(spinner),
        runningSince: () => this.calls.runningSince,
        preview: () => this.answer.preview(),
      });
  }

  showEvent(event: BridleEvent): void {
    if (event.type === 'text_delta') return this.streamText(event);
    if (event.agent.length === 1) this.followTurn(event);
    if (this.lateEvents.holdIfLate(event)) return;
    if ('callId' in event) this.showCallEvent(event);
    else this.writeEventLine(event, eventLine(event));
    if (event.type === 'turn_ended' && event.agent.length === 1) this.showLateEvents();
  }

  showOutcome(outcome: TurnOutcome): void {
    this.endAnswer();
    this.writeOutcome(outcome);
    if (this.isRich) this.screens.notes.line('');
    this.lastBlock = 'none';
  }

  private writeOutcome(outcome: TurnOutcome): void {
    if (outcome.type === 'failed')
      return this.writeNote({ text: `✗ the turn failed: ${safeText(messageOf(outcome.error))}`, tone: 'bad' });
    const { stopReason, text } = outcome.result;
    const isAnswer = stopReason === 'end' || stopReason === 'finished';
    if (!isAnswer) this.writeNote({ text: `! ${this.stopText(stopReason)}`, tone: 'warn' });
    // A hook can change the answer after it was streamed, and a refusal is not streamed at all.
    if (stopReason === 'cancelled' || text.trim() === '' || this.streamed.includes(text.trim())) return;
    if (!isAnswer) return this.writeNote({ text: `  ${safeText(text)}`, tone: 'plain' });
    this.answer.push(text.trimEnd());
    this.endAnswer();
  }

  /** What a cancellation stopped, or why the turn ended without an answer. */
  private stopText(stopReason: string): string {
    if (stopReason !== 'cancelled') return `the turn stopped: ${safeText(stopReason)}`;
    const { stoppedCalls: names } = this;
    if (names.length > 0) return `Cancelled: ${names.join(', ')} ${names.length === 1 ? 'was' : 'were'} stopped.`;
    return this.streamed === '' ? 'Cancelled before an answer.' : 'Cancelled: the answer is not complete.';
  }

  showReply(text: string): void {
    this.endAnswer();
    this.startBlock('answer');
    const { answer } = this.screens;
    const { paint, columns } = answer;
    for (const row of this.isRich ? wrapLines(text, paint, { columns, tone: 'plain' }) : [text]) answer.line(row);
  }

  showNote(text: string): void {
    this.writeNote({ text, tone: 'dim' });
  }

  /** Shows the block that was folded last in full; false if there is none. */
  openFolded(): boolean {
    const rows = this.calls.takeFolded();
    if (rows === undefined) return false;
    for (const text of rows) this.writeNote({ text, tone: 'plain' });
    return true;
  }

  finish(): void {
    this.endAnswer();
    this.waiting?.stop();
    this.showLateEvents();
  }

  private followTurn(event: BridleEvent): void {
    if (event.type === 'turn_started') {
      this.streamed = '';
      this.stoppedCalls = [];
      this.lastBlock = 'none';
      if (this.isRich) this.screens.notes.line('');
      this.waiting?.start();
    }
    if (event.type !== 'turn_ended') return;
    this.endAnswer();
    this.stoppedCalls = this.calls.endTurn();
    this.waiting?.stop();
  }

  private showCallEvent(event: Extract<BridleEvent, { readonly callId: string }>): void {
    const isHidden = this.screens.hiddenEvents?.has(event.type) === true;
    const rows = this.calls.linesFor(event, this.details || isHidden);
    if (!isHidden && (this.details || !summarised.has(event.type))) this.writeEventLine(event, eventLine(event));
    const isChanged = this.changedArgs.changedArgs(event) !== undefined;
    if (isChanged && event.type === 'tool_started') this.writeEventLine(event, changedArgsLine(event));
    for (const text of rows) this.writeNote({ text, tone: 'plain' });
  }

  private writeEventLine({ agent }: BridleEvent, line: EventLine | undefined): void {
    if (line === undefined) return;
    const text = '  '.repeat(agent.length - 1) + line.text;
    const { paint, columns } = this.screens.notes;
    // Most events have text of models, tools or servers.
    if (!this.isRich) this.writeNote({ ...line, text });
    else for (const row of markedLines(text, columns)) this.writeNote({ text: paint(line.tone, row), tone: 'plain' });
  }

  private writeNote({ text, tone }: EventLine): void {
    this.endAnswer();
    this.startBlock('notes');
    const { notes } = this.screens;
    // Lines of calls are fitted to the screen and painted already.
    const rows =
      this.isRich && tone !== 'plain'
        ? wrapLines(text, notes.paint, { columns: notes.columns, tone })
        : [notes.paint(tone, text)];
    for (const row of rows) notes.line(row);
  }

  private showLateEvents(): void {
    for (const event of this.lateEvents.release()) this.writeEventLine(event, eventLine(event));
  }

  private streamText(event: Extract<BridleEvent, { readonly text: string; readonly attempt: number }>): void {
    if (event.agent.length > 1) return;
    this.streamed += event.text;
    this.answer.push(event.text);
  }

  private endAnswer(): void {
    this.answer.end();
  }

  /** Called before lines are written. */
  private startBlock(block: 'answer' | 'notes'): void {
    if (!this.isRich) return;
    this.waiting?.refresh();
    if (this.lastBlock !== 'none' && this.lastBlock !== block) this.screens.notes.line('');
    this.lastBlock = block;
  }
}

/** Without details, one line at the end of a call stands for all of these. */
const summarised: ReadonlySet<BridleEvent['type']> = new Set([
  'tool_requested',
  'tool_asked',
  'tool_approved',
  'tool_denied',
  'tool_started',
  'tool_settled',
]);

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
