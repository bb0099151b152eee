/**
 * A list to pick from: with one key, or with the arrow keys and Enter. An entry that approves something is picked only by
 * a key on its own: keys of pasted text, of a held key and of quick typing do not count.
 */

import type { Paint } from '../output/paint.ts';
import { textWidth } from '../output/text-width.ts';
import { wrapHanging, wrapLines } from '../output/wrap-text.ts';
import type { KeyPress } from '../input/key-press.ts';
import { isEnter } from '../input/line-input.ts';

export interface DialogChoice<Value extends string | number> {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string | undefined;
  /** The key that picks it. */
  readonly key?: string | undefined;
  /** True if it lets a call run, or leads to that: only a key on its own picks it. */
  readonly approves?: boolean | undefined;
}

export interface PickListParts<Value extends string | number> {
  readonly choices: readonly DialogChoice<Value>[];
  readonly initial?: Value | undefined;
  /** True if any number of entries can be picked: Space marks them, Enter is done. */
  readonly isMultiple?: boolean | undefined;
  readonly paint: Paint;
  readonly finish: (picked: readonly Value[]) => void;
  readonly redraw: () => void;
}

/** How much a list shows of its entries: a small screen needs its rows for what is asked. */
export type ListForm = 'full' | 'short' | 'keys';

/** No other key may arrive this long after a key that approves: a held key repeats faster. */
const aloneMs = 120;

export class PickList<Value extends string | number> {
  private readonly start: number;
  private current: number;
  private readonly marked = new Set<Value>();
  private approving: NodeJS.Timeout | undefined;
  private isDone = false;
  private lastTypedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly parts: PickListParts<Value>) {
    const { choices, initial } = parts;
    this.start = Math.max(
      0,
      choices.findIndex(({ value }) => value === initial),
    );
    this.current = this.start;
  }

  press(key: KeyPress): void {
    const { choices } = this.parts;
    const wasApproving = this.approving !== undefined;
    this.stop();
    if (wasApproving) this.current = this.start;
    const now = performance.now();
    const isAlone = !wasApproving && now - this.lastTypedAt >= aloneMs;
    const move = moves[key.ctrl ? `ctrl-${key.name}` : key.name];
    if (move === undefined) this.lastTypedAt = now;
    if (move !== undefined) this.current = move(this.current, choices.length);
    else if (isEnter(key)) this.pick(this.current, isAlone);
    else if (this.parts.isMultiple === true && key.text === ' ') this.mark(choices[this.current]?.value);
    else if (key.name !== 'paste' && key.text !== '') this.pickByKey(key.text, isAlone);
    if (!this.isDone) this.parts.redraw();
  }

  /** Forgets a key whose pick has not taken effect yet. */
  stop(): void {
    clearTimeout(this.approving);
    this.approving = undefined;
  }

  lines(columns: number, form: ListForm = 'full'): readonly string[] {
    const { choices, paint, isMultiple = false } = this.parts;
    if (form !== 'full') return this.shortLines(columns, form === 'short');
    const keyWidth = Math.max(0, ...choices.map(({ key = '' }) => (key === '' ? 0 : textWidth(key) + 2)));
    const lines = choices.flatMap(({ value, label, hint, key = '' }, at) => {
      const mark = isMultiple ? (this.marked.has(value) ? '[x] ' : '[ ] ') : '';
      const start = `${at === this.current ? '› ' : '  '}${mark}${key.padEnd(keyWidth)}`;
      const text = hint === undefined ? label : `${label} (${hint})`;
      return wrapHanging(start, text, { columns, paint, tone: at === this.current ? 'strong' : 'plain' });
    });
    return [...lines, ...wrapLines(this.help(), paint, { columns, tone: 'dim' })];
  }

  /** The keys in as few rows as possible. */
  private shortLines(columns: number, hasLabels: boolean): readonly string[] {
    const { choices, paint } = this.parts;
    const entries = choices.map(({ key = '', label }, at) => {
      return `${at === this.current ? '› ' : ''}${key}${hasLabels ? ` ${label}` : ''}`;
    });
    return wrapLines([...entries, 'Esc means no'].join(' · '), paint, { columns, tone: 'plain' });
  }

  private help(): string {
    if (this.parts.isMultiple === true) return '↑↓ to move, Space to mark, Enter when done, Esc to cancel';
    return this.parts.choices.some(({ key }) => key !== undefined)
      ? 'Press a key, or ↑↓ and Enter. Esc means no.'
      : '↑↓ to move, Enter to choose, Esc to cancel';
  }

  private pickByKey(text: string, isAlone: boolean): void {
    const at = this.parts.choices.findIndex(({ key }) => key === text);
    if (at >= 0) this.pick(at, isAlone);
  }

  private pick(at: number, isAlone: boolean): void {
    const { choices, isMultiple } = this.parts;
    const choice = choices[at];
    if (choice === undefined) return;
    if (isMultiple === true) this.finish(choices.map(({ value }) => value).filter((value) => this.marked.has(value)));
    else if (choice.approves !== true) this.finish([choice.value]);
    else if (isAlone) {
      this.current = at;
      this.approving = setTimeout(() => this.finish([choice.value]), aloneMs);
    }
  }

  private finish(picked: readonly Value[]): void {
    this.isDone = true;
    this.parts.finish(picked);
  }

  private mark(value: Value | undefined): void {
    if (value === undefined) return;
    if (!this.marked.delete(value)) this.marked.add(value);
  }
}

const moves: Readonly<Record<string, (at: number, count: number) => number>> = {
  up: (at, count) => (at + count - 1) % count,
  down: (at, count) => (at + 1) % count,
  'ctrl-p': (at, count) => (at + count - 1) % count,
  'ctrl-n': (at, count) => (at + 1) % count,
  home: () => 0,
  end: (_at, count) => count - 1,
};
