/** Selections and text fields in the terminal. They return `undefined` if nothing was chosen. */

import type { MaybePromise } from '../../kernel/maybe-promise.ts';
import type { KeyPress } from '../input/key-press.ts';
import { isEnter, LineInput } from '../input/line-input.ts';
import type { Frame } from '../input/live-area.ts';
import { TextBuffer } from '../input/text-buffer.ts';
import type { Paint } from '../output/paint.ts';
import { cardStart } from '../output/call-card.ts';
import { textWidth } from '../output/text-width.ts';
import { wrapLines, wrapSpans } from '../output/wrap-text.ts';
import type { Keyboard } from './keyboard.ts';
import { type DialogChoice, type ListForm, PickList } from './pick-list.ts';

export interface DialogParts {
  readonly keyboard: Keyboard;
  readonly paint: Paint;
  readonly signal: AbortSignal;
  /** Such as `2 of 3`; empty if no other question waits. */
  readonly position: () => string;
}

export interface TextField {
  readonly message: string;
  readonly initial?: string | undefined;
  /** Returns what is wrong with the text; undefined if it is valid. */
  readonly problem?: ((text: string) => MaybePromise<string | undefined>) | undefined;
  /** True if Enter lets a call run. */
  readonly approves?: boolean | undefined;
}

/** The rows of something on a screen with this many columns. */
export type RenderRows = (columns: number) => readonly string[];

export class Dialog {
  /** What is shown above the question. It is rendered again whenever the screen changes its size. */
  private above: readonly RenderRows[] = [];
  /** The width at which it was printed, because it did not fit on the screen with the question. */
  private printedColumns: number | undefined;
  private isFirst = true;

  constructor(private readonly parts: DialogParts) {}

  /** Shows rows above the next question. No row may be wider than the screen. */
  show(render: RenderRows): void {
    this.above = [...this.above, render];
  }

  /** Prints a line that stays. */
  note(text: string): void {
    this.parts.keyboard.area.print([text]);
  }

  /** Draws the open question again, for example because more questions wait. */
  refresh(): void {
    this.parts.keyboard.area.redraw();
  }

  /** Asks for one choice; the cursor starts on `initial`. */
  async select<Value extends string | number>(
    message: string,
    choices: readonly DialogChoice<Value>[],
    initial: Value,
  ): Promise<Value | undefined> {
    const picked = await this.pick(message, { choices, initial });
    return picked?.[0];
  }

  /** Asks for any number of choices. */
  selectMany<Value extends string | number>(
    message: string,
    choices: readonly DialogChoice<Value>[],
  ): Promise<readonly Value[] | undefined> {
    return this.pick(message, { choices, isMultiple: true });
  }

  async text(field: TextField): Promise<string | undefined> {
    const { keyboard } = this.parts;
    const buffer = new TextBuffer();
    buffer.set(field.initial ?? '');
    if (!(await this.present(field.message, field.approves === true))) return undefined;
    let problem: readonly string[] = [];
    let isChecking = false;
    const input = new LineInput({
      area: keyboard.area,
      buffer,
      prompt: '> ',
      above: () => [...this.aboveRows(), ...this.title(field.message)],
      below: () => problem,
    });
    const check = async (finish: (text: string) => void): Promise<void> => {
      isChecking = true;
      const found = await field.problem?.(buffer.text);
      isChecking = false;
      problem = found === undefined ? [] : found.split('\n').map((line) => this.parts.paint('bad', line));
      if (found === undefined) finish(buffer.text);
      else keyboard.area.redraw();
    };
    const text = await this.read<string>((finish) => (key) => {
      if (isChecking) return;
      if (this.leaves(key)) finish(undefined);
      else if (isEnter(key)) void (keyboard.isHeld || check(finish));
      else if (key.name !== 'tab') input.press(key);
    });
    this.close(field.message, text === undefined ? '' : buffer.text);
    return text;
  }

  private async pick<Value extends string | number>(
    message: string,
    list: { choices: readonly DialogChoice<Value>[]; initial?: Value; isMultiple?: boolean },
  ): Promise<readonly Value[] | undefined> {
    const { keyboard, paint } = this.parts;
    const { area } = keyboard;
    const approves = list.choices.some((choice) => choice.approves === true);
    if (!(await this.present(message, approves))) return undefined;
    let pickList: PickList<Value> | undefined;
    let notice: readonly string[] = [];
    const picked = await this.read<readonly Value[]>((finish) => {
      const open = new PickList({ ...list, paint, finish, redraw: () => area.redraw() });
      pickList = open;
      area.open(() => this.frame(message, (form) => [...open.lines(area.columns, form), ...notice]));
      return (key) => {
        notice = keyboard.isHeld ? wrapLines(heldNotice, paint, { columns: area.columns, tone: 'warn' }) : [];
        if (this.leaves(key)) finish(undefined);
        else if (keyboard.isHeld) area.redraw();
        else open.press(key);
      };
    });
    pickList?.stop();
    const chosen = list.choices.filter(({ value }) => picked?.includes(value));
    if (chosen.some((choice) => choice.approves === true)) keyboard.ignoreHeldKey();
    this.close(message, chosen.map(({ label }) => label).join(', '));
    return picked;
  }

  /** Shows what is asked. Keys count only after a person could have seen it. Returns false if it was withdrawn. */
  private async present(message: string, approves: boolean): Promise<boolean> {
    const { keyboard, signal } = this.parts;
    if (signal.aborted) return false;
    keyboard.area.open(() => this.frame(message, () => []));
    if (this.isFirst || approves) await keyboard.untilSeen(signal);
    this.isFirst = false;
    if (signal.aborted) this.close(message, '');
    return !signal.aborted;
  }

  /** If a call does not fit on the screen, it is printed above, and its start stays next to the question. */
  private frame(message: string, choices: (form: ListForm) => readonly string[]): Frame {
    const { keyboard, paint } = this.parts;
    const { columns, rows } = keyboard.area;
    const [above, title] = [this.aboveRows(), this.title(message)];
    if (above.length === 0) return { lines: [...title, ...choices('full'), cursorLine] };
    const withForm = (start: readonly string[], form: ListForm): readonly string[] => {
      return [...start, ...title, ...choices(form), cursorLine];
    };
    const fits = (lines: readonly string[]): boolean => lines.length < rows;
    const whole = (['full', 'short'] as const).map((form) => withForm(above, form)).find(fits);
    if (whole !== undefined) return { lines: whole };
    // A terminal that became narrower has wrapped the printed rows without marks.
    const isPrinted = this.printedColumns !== undefined && this.printedColumns <= columns;
    if (!isPrinted) this.printedColumns = columns;
    const start = cardStart(above, { paint, columns, where: 'above' });
    const cut = (['full', 'short'] as const).map((form) => withForm(start, form)).find(fits);
    return { lines: cut ?? withForm(start, 'keys'), printed: isPrinted ? [] : above };
  }

  private aboveRows(): readonly string[] {
    return this.above.flatMap((render) => render(this.parts.keyboard.area.columns));
  }

  private title(message: string): readonly string[] {
    const { keyboard, paint, position } = this.parts;
    const where = position();
    const text = where === '' ? message : `${message} (${where})`;
    return wrapLines(text, paint, { columns: keyboard.area.columns, tone: 'strong' });
  }

  private close(message: string, answer: string): void {
    const { keyboard, paint } = this.parts;
    const above = this.printedColumns === undefined ? this.aboveRows() : [];
    const { columns } = keyboard.area;
    const whole = paint('strong', answer === '' ? message : `${message} `) + answer;
    const spans = [
      { text: `${message} `, tone: 'strong' },
      { text: answer, tone: 'plain' },
    ] as const;
    keyboard.area.close([...above, ...(textWidth(whole) <= columns ? [whole] : wrapSpans(spans, paint, { columns }))]);
    this.above = [];
    this.printedColumns = undefined;
  }

  private read<T>(start: (finish: (result: T | undefined) => void) => (key: KeyPress) => void): Promise<T | undefined> {
    const { keyboard, signal } = this.parts;
    return keyboard.read<T | undefined>(signal, (finish) =>
      start((result) => {
        keyboard.endAnswer();
        finish(result);
      }),
    );
  }

  /** Escape and Ctrl-D leave the question; Ctrl-C cancels what runs. */
  private leaves({ name, ctrl }: KeyPress): boolean {
    if (ctrl && name === 'c') this.parts.keyboard.interrupt();
    return name === 'escape' || (ctrl && (name === 'c' || name === 'd'));
  }
}

/** Some terminals do not wrap the line of the cursor again when they become narrower, so it is an empty one. */
const cursorLine = '';
const heldNotice = 'This key approved the call before. Release it for a second, then press it again.';
