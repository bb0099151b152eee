/** A line, or several, that a person edits: with history, search in it (Ctrl-R) and completion (Tab). */

import { isPromise } from '../../kernel/maybe-promise.ts';
import { graphemesOf, textWidth } from '../output/text-width.ts';
import { commonStart, type Completer, type Completion } from './completion.ts';
import type { KeyPress } from './key-press.ts';
import type { Frame, LiveArea } from './live-area.ts';
import { editWithKey, type TextBuffer } from './text-buffer.ts';

export interface LineInputParts {
  readonly area: LiveArea;
  readonly buffer: TextBuffer;
  /** Shown before the first line; further lines are indented by as much. */
  readonly prompt: string;
  /** Lines above and below the input. */
  readonly above?: (() => readonly string[]) | undefined;
  readonly below?: (() => readonly string[]) | undefined;
  /** Earlier inputs, the newest last. */
  readonly history?: (() => readonly string[]) | undefined;
  readonly completer?: Completer | undefined;
}

interface Search {
  readonly text: string;
  /** The number of the found input in the history; -1 if there is none. */
  readonly found: number;
}

const maxListRows = 8;

export class LineInput {
  /** Set while a person looks through the history: the number of the input that is shown. */
  private recalled: number | undefined;
  private draft = '';
  private search: Search | undefined;
  private candidates: readonly string[] = [];

  constructor(private readonly parts: LineInputParts) {
    parts.area.open(() => this.frame());
  }

  /** Edits at this key; returns true if the input is complete. */
  press(key: KeyPress): boolean {
    const isComplete = this.search === undefined ? this.edit(key) : this.searchWith(key);
    if (!isComplete) this.parts.area.redraw();
    return isComplete;
  }

  /** Leaves the input on the screen and starts an empty one. */
  discard(): void {
    this.search = undefined;
    this.recalled = undefined;
    const lines = this.inputLines();
    this.parts.buffer.set('');
    this.parts.area.print(lines);
  }

  /** Closes the area. The input stays visible, unless it was left empty. */
  close(isSent: boolean): void {
    this.search = undefined;
    const isLeftEmpty = !isSent && this.parts.buffer.text === '';
    this.parts.area.close(isLeftEmpty ? [] : this.inputLines());
  }

  private edit(key: KeyPress): boolean {
    const { buffer, area } = this.parts;
    const hadList = this.candidates.length > 0;
    this.candidates = [];
    if (isEnter(key)) return !this.continueLine();
    if (key.name === 'tab' && !key.meta) this.complete(hadList);
    else if (key.name === 'up' || (key.ctrl && key.name === 'p')) this.recall(-1);
    else if (key.name === 'down' || (key.ctrl && key.name === 'n')) this.recall(1);
    else if (key.ctrl && key.name === 'r') this.startSearch();
    else if (key.ctrl && key.name === 'l') area.clearScreen();
    else editWithKey(buffer, key);
    return false;
  }

  /** A `\` at the end of the line continues it on the next one. */
  private continueLine(): boolean {
    const { buffer } = this.parts;
    const before = buffer.text.slice(0, buffer.cursor);
    const isContinued = buffer.cursor === buffer.text.length && /(?<!\\)(?:\\\\)*\\$/u.test(before);
    if (isContinued) buffer.replace(buffer.cursor - 1, '\n');
    return isContinued;
  }

  private recall(by: -1 | 1): void {
    const { buffer, history = () => [] } = this.parts;
    if (buffer.moveLine(by)) return;
    const inputs = history();
    const at = (this.recalled ?? inputs.length) + by;
    if (at < 0 || at > inputs.length) return;
    if (this.recalled === undefined) this.draft = buffer.text;
    this.recalled = at === inputs.length ? undefined : at;
    buffer.set(inputs[at] ?? this.draft);
  }

  private startSearch(): void {
    const { buffer, history } = this.parts;
    if (history === undefined) return;
    this.draft = buffer.text;
    this.search = { text: '', found: history().length };
  }

  /** Enter sends what was found, Escape and Ctrl-G go back, other keys edit what was found. */
  private searchWith(key: KeyPress): boolean {
    const { buffer } = this.parts;
    const { text, found } = this.search ?? { text: '', found: -1 };
    if (key.ctrl && key.name === 'r') this.findBefore(text, found);
    else if (key.name === 'backspace') this.findBefore(graphemesOf(text).slice(0, -1).join(''));
    else if (key.text !== '' && key.name !== 'paste' && !isEnter(key)) this.findBefore(text + key.text, found + 1);
    else {
      this.search = undefined;
      if (key.name === 'escape' || (key.ctrl && key.name === 'g')) buffer.set(this.draft);
      else return this.edit(key);
    }
    return false;
  }

  /** Finds the newest input before number `end` that contains the text. */
  private findBefore(text: string, end = Number.POSITIVE_INFINITY): void {
    const { buffer, history = () => [] } = this.parts;
    const inputs = history();
    const found = text === '' ? -1 : inputs.findLastIndex((each, at) => at < end && each.includes(text));
    const isOld = found < 0 && text === this.search?.text;
    this.search = { text, found: isOld ? (this.search?.found ?? -1) : found };
    if (found >= 0) buffer.set(inputs[found] ?? '');
  }

  private complete(showsList: boolean): void {
    const { buffer, completer } = this.parts;
    const { text, cursor } = buffer;
    const completion = completer?.(text, cursor);
    if (!isPromise(completion)) this.useCompletion(completion, showsList);
    else
      void completion.then(
        (found) => this.useLate(found, { text, cursor, showsList }),
        () => undefined,
      );
  }

  /** Candidates that arrive after the next key are out of date. */
  private useLate(
    found: Completion | undefined,
    asked: { readonly text: string; readonly cursor: number; readonly showsList: boolean },
  ): void {
    const { buffer, area } = this.parts;
    if (buffer.text !== asked.text || buffer.cursor !== asked.cursor || this.search !== undefined) return;
    this.useCompletion(found, asked.showsList);
    area.redraw();
  }

  /** Inserts what all candidates have in common, and lists them if that is nothing new. */
  private useCompletion(completion: Completion | undefined, hadList: boolean): void {
    const { buffer } = this.parts;
    const { from = 0, candidates = [] } = completion ?? {};
    const typed = buffer.text.slice(from, buffer.cursor);
    const [only] = candidates;
    if (only === undefined) return;
    if (candidates.length === 1) {
      buffer.replace(from, only.endsWith('/') ? only : `${only} `);
      return;
    }
    const common = commonStart(candidates);
    if (common.length > typed.length && common.startsWith(typed)) buffer.replace(from, common);
    // A search may find names that share no start with what was typed: the second Tab takes the best one.
    else if (hadList && !common.startsWith(typed)) buffer.replace(from, only);
    else this.candidates = candidates;
  }

  private frame(): Frame {
    const { above = () => [], below = () => [], buffer } = this.parts;
    const top = above();
    const before = buffer.text.slice(0, buffer.cursor).split('\n');
    const line = before.length - 1;
    const lines = [...top, ...this.inputLines(), ...this.searchLine(), ...below(), ...this.candidateLines()];
    return { lines, cursor: { line: top.length + line, before: this.prefix(line) + (before.at(-1) ?? '') } };
  }

  private inputLines(): readonly string[] {
    return this.parts.buffer.text.split('\n').map((line, at) => this.prefix(at) + line);
  }

  private prefix(line: number): string {
    const { prompt } = this.parts;
    return line === 0 ? prompt : ' '.repeat(textWidth(prompt));
  }

  private searchLine(): readonly string[] {
    if (this.search === undefined) return [];
    const { text, found } = this.search;
    return [`${found < 0 && text !== '' ? 'not found' : 'search history'}: ${text}`];
  }

  /** The candidates in columns, as many as fit. */
  private candidateLines(): readonly string[] {
    const { candidates } = this;
    if (candidates.length === 0) return [];
    const width = Math.max(...candidates.map(textWidth)) + 2;
    const perRow = Math.max(1, Math.floor((this.parts.area.columns - 1) / width));
    const shown = candidates.slice(0, perRow * maxListRows);
    const rows = Array.from({ length: Math.ceil(shown.length / perRow) }, (_, row) =>
      shown
        .slice(row * perRow, (row + 1) * perRow)
        .map((each) => each + ' '.repeat(width - textWidth(each)))
        .join('')
        .trimEnd(),
    );
    const missing = candidates.length - shown.length;
    return missing > 0 ? [...rows, `… ${missing} more`] : rows;
  }
}

/** Alt-Enter starts a new line instead. */
export function isEnter({ name, meta }: KeyPress): boolean {
  return !meta && (name === 'return' || name === 'enter');
}
