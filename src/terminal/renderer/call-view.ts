/**
 * Shows calls while and after they run: one line each, with the diff of a changed file or the end of a command's output
 * below it. Long blocks are folded; the last folded blocks can be opened.
 */

import type { BridleEvent } from '../../kernel/hooks/points/events.ts';
import type { JsonValue } from '../../kernel/json.ts';
import { pairText } from '../../kernel/names.ts';
import { changeSummary, diffRows, type FileChange, fileChangeOf } from '../output/file-change.ts';
import { chunksOf, markedLines, wrappedOrMarked } from '../output/marked-rows.ts';
import type { Paint } from '../output/paint.ts';
import { escapeControls, safeText } from '../output/safe-text.ts';
import type { LiveLine } from '../output/screen.ts';
import { cutToColumns, textWidth } from '../output/text-width.ts';
import { wrapSpans } from '../output/wrap-text.ts';
import { type CallTitle, callTitle, denialText, durationText, type ShownFolders } from './call-line.ts';

type CallEvent = Extract<BridleEvent, { readonly callId: string }>;
type EventOf<T extends BridleEvent['type']> = Extract<BridleEvent, { readonly type: T }>;

interface ShownCall {
  readonly name: string;
  readonly depth: number;
  title: CallTitle;
  args: JsonValue;
  startedAt: number | undefined;
  approval: string;
  change: FileChange | undefined;
  output: string[];
}

export interface CallViewOptions extends ShownFolders {
  readonly paint: Paint;
  /** The width of the screen now; undefined if lines are not cut or wrapped. */
  readonly columns: () => number | undefined;
}

const maxOutputRows = 5;
const maxDiffRows = 30;
const maxLiveCalls = 3;
/** How many folded blocks can be opened. */
const maxFolded = 10;
const openHint = 'Ctrl-O to open';

export class CallView {
  private readonly calls = new Map<string, ShownCall>();
  private cancelled: string[] = [];
  private folded: readonly (readonly string[])[] = [];

  constructor(private readonly options: CallViewOptions) {}

  /** The lines that an event adds to the screen; only diffs and output if the event has lines of its own. */
  linesFor(event: CallEvent, hasOwnLines: boolean): readonly string[] {
    switch (event.type) {
      case 'tool_requested':
        this.calls.set(keyOf(event), this.newCall(event, event.args));
        return [];
      case 'tool_asked': {
        const questions = event.questions.map(safeText).join('; ');
        return hasOwnLines
          ? []
          : [`${'  '.repeat(event.agent.length - 1)}? ${this.callOf(event).title.text}: ${questions}`];
      }
      case 'tool_approved':
        if (event.by !== 'terminal' || event.remembered)
          this.callOf(event).approval = `approved by ${safeText(event.by)}${event.remembered ? ', remembered' : ''}`;
        return [];
      case 'tool_started':
        this.start(event);
        return [];
      case 'tool_output':
        this.callOf(event).output.push(...event.text.split('\n'));
        return [];
      case 'tool_settled':
        if (event.outcome === 'cancelled') this.cancelled.push(nameOf(event));
        return hasOwnLines ? this.blockOf(this.take(event), event.outcome === 'ok') : this.settledLines(event);
      case 'tool_denied':
        return hasOwnLines ? [] : this.deniedLines(event);
      default:
        return [];
    }
  }

  /** What runs now, for the live lines; empty if nothing does. */
  liveLines(spinner: string): readonly LiveLine[] {
    return this.running().flatMap(({ title, output, depth }) => {
      const indent = '  '.repeat(depth);
      const [first = ''] = title.text.split('\n');
      const place = title.folder === undefined ? '' : `  in ${title.folder}`;
      const tail = output.slice(-maxOutputRows).map((line) => oneLine(line));
      return [
        { text: `${indent}${spinner} ${first}${place}`, tone: 'accent' },
        ...tail.map((line): LiveLine => ({ text: `${indent}  │ ${line}`, tone: 'dim' })),
      ];
    });
  }

  /** When the oldest running call started; undefined if nothing runs. */
  get runningSince(): number | undefined {
    return this.running()[0]?.startedAt;
  }

  /** The whole block that was folded last; the next time, the one before it. */
  takeFolded(): readonly string[] | undefined {
    const last = this.folded.at(-1);
    this.folded = this.folded.slice(0, -1);
    return last;
  }

  /** Ends the turn: returns the names of the calls that a cancellation stopped, and forgets calls that never ended. */
  endTurn(): readonly string[] {
    const running = [...this.calls.values()].filter(({ startedAt }) => startedAt !== undefined);
    const stopped = [...this.cancelled, ...running.map(({ name }) => name)];
    this.calls.clear();
    this.cancelled = [];
    return stopped;
  }

  private running(): readonly ShownCall[] {
    return [...this.calls.values()].filter(({ startedAt }) => startedAt !== undefined).slice(0, maxLiveCalls);
  }

  private start(event: EventOf<'tool_started'>): void {
    const call = this.callOf(event);
    call.args = event.args;
    call.title = callTitle(event, this.options);
    call.startedAt = performance.now();
    // Read now: the file is about to change.
    if (this.options.columns() !== undefined) call.change = fileChangeOf({ ...event, cwd: this.options.cwd });
  }

  private settledLines(event: EventOf<'tool_settled'>): readonly string[] {
    const call = this.take(event);
    const { outcome, error, elapsedMs } = event;
    const isOk = outcome === 'ok';
    const notes = [
      ...(call.title.folder === undefined ? [] : [`in ${call.title.folder}`]),
      ...(isOk && call.change !== undefined ? [changeSummary(call.change)] : []),
      durationText(elapsedMs),
      ...(call.approval === '' ? [] : [call.approval]),
    ];
    const head = this.headLines(call, isOk ? 'good' : 'bad', notes);
    const failure = isOk ? [] : this.sentence(call, `${outcome}${error === undefined ? '' : `: ${safeText(error)}`}`);
    return [...head, ...failure, ...this.blockOf(call, isOk)];
  }

  private deniedLines(event: EventOf<'tool_denied'>): readonly string[] {
    const call = this.take(event);
    const { folder } = call.title;
    return [
      ...this.headLines(call, 'bad', folder === undefined ? [] : [`in ${folder}`]),
      ...this.sentence(call, denialText(event)),
    ];
  }

  /** What a call was, and how it ended. Every further row of a command is marked: none can pass for another call. */
  private headLines({ title, depth }: ShownCall, tone: 'good' | 'bad', notes: readonly string[]): readonly string[] {
    const { paint } = this.options;
    const columns = this.options.columns();
    const indent = '  '.repeat(depth);
    const sign = tone === 'good' ? '✓' : '✗';
    const rest = notes.length === 0 ? '' : `  ${notes.join('  ')}`;
    if (columns === undefined) return [`${indent}${paint(tone, `${sign} `)}${title.text}${paint('dim', rest)}`];
    const width = columns - indent.length;
    const room = Math.max(10, width - textWidth(rest) - 2);
    // Commands are never cut, and other titles only if a row is too short: what does not fit is shown below.
    const isWhole = title.isCommand || textWidth(title.text) <= width - 2;
    const text = isWhole ? title.text : cutToColumns(title.text, room);
    const rows = markedLines(`${sign} ${text}`, width).map((row, at) =>
      at === 0 ? paint(tone, row.slice(0, 2)) + row.slice(2) : row,
    );
    const last = rows.at(-1) ?? '';
    const isFitting = textWidth(last + rest) <= width;
    const below = isFitting ? [] : markedLines(rest, width).map((row) => paint('dim', row));
    const shown = isFitting ? [...rows.slice(0, -1), last + paint('dim', rest)] : [...rows, ...below];
    return shown.map((row) => indent + row);
  }

  private sentence({ depth }: ShownCall, text: string): readonly string[] {
    const { paint } = this.options;
    const indent = '  '.repeat(depth + 1);
    const columns = this.options.columns();
    if (columns === undefined) return [`${indent}${text}`];
    return text.split('\n').flatMap((line) => {
      const rows = wrapSpans([{ text: line, tone: 'bad' }], (_, each) => each, { columns, first: indent });
      return wrappedOrMarked(indent + line, rows, { columns, indent }).map((row) => paint('bad', row));
    });
  }

  /** The diff of a changed file, or the output of a command. */
  private blockOf({ change, output, depth }: ShownCall, isOk: boolean): readonly string[] {
    const { paint } = this.options;
    const columns = this.options.columns();
    if (columns === undefined) return [];
    const indent = '  '.repeat(depth);
    if (change !== undefined && isOk)
      return this.fold(
        diffRows(change, { paint, columns: columns - indent.length }).map((row) => indent + row),
        { most: maxDiffRows, keeps: 'start' },
      );
    const mark = `${indent}  │ `;
    const rows = output
      .flatMap((line) => chunksOf(escapeControls(line), columns - mark.length))
      .map((row) => paint('dim', mark + row));
    return this.fold(rows, { most: maxOutputRows, keeps: 'end' });
  }

  private fold(rows: readonly string[], { most, keeps }: { most: number; keeps: 'start' | 'end' }): readonly string[] {
    // A line about one missing line would take as much room as that line.
    if (rows.length <= most + 1) return rows;
    this.folded = [...this.folded, rows].slice(-maxFolded);
    const note = this.options.paint('dim', `  … ${rows.length - most} more lines, ${openHint}`);
    return keeps === 'start' ? [...rows.slice(0, most), note] : [note, ...rows.slice(-most)];
  }

  private callOf(event: CallEvent): ShownCall {
    const key = keyOf(event);
    const known = this.calls.get(key) ?? this.newCall(event, null);
    this.calls.set(key, known);
    return known;
  }

  private take(event: CallEvent): ShownCall {
    const call = this.callOf(event);
    this.calls.delete(keyOf(event));
    return call;
  }

  private newCall(event: CallEvent, args: JsonValue): ShownCall {
    const title = callTitle({ ...event, args: args ?? {} }, this.options);
    const depth = event.agent.length - 1;
    return {
      name: nameOf(event),
      depth,
      title,
      args,
      startedAt: undefined,
      approval: '',
      change: undefined,
      output: [],
    };
  }
}

function keyOf({ session, callId }: CallEvent): string {
  return `${session} ${callId}`;
}

function nameOf({ server, tool }: CallEvent): string {
  return safeText(pairText(server, tool));
}

function oneLine(text: string): string {
  return escapeControls(text).replaceAll('\t', '    ').replaceAll('\n', ' ');
}

export function secondsText(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
