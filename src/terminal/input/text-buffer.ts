/** The text that a person edits, and the cursor in it. The cursor is never inside a character. */

import { dropControls } from '../output/safe-text.ts';
import { graphemesOf } from '../output/text-width.ts';
import type { KeyPress } from './key-press.ts';

type Move = 'left' | 'right' | 'wordLeft' | 'wordRight' | 'lineStart' | 'lineEnd';

export class TextBuffer {
  private content = '';
  private at = 0;
  private killed = '';

  get text(): string {
    return this.content;
  }

  get cursor(): number {
    return this.at;
  }

  /** Replaces the text; the cursor moves to its end. */
  set(text: string): void {
    this.content = dropControls(text);
    this.at = this.content.length;
  }

  /** Empties the buffer and returns what was in it. */
  take(): string {
    const { content } = this;
    this.set('');
    return content;
  }

  insert(text: string): void {
    this.replace(this.at, dropControls(text));
  }

  /** Replaces what is between `from` and the cursor. */
  replace(from: number, text: string): void {
    const end = from + text.length;
    this.content = this.content.slice(0, from) + text + this.content.slice(this.at);
    // Inserted text may join with the character behind it.
    this.at = this.boundaries(end).find((boundary) => boundary >= end) ?? this.content.length;
  }

  move(move: Move): void {
    this.at = this.target(move);
  }

  /** Moves a line up or down; returns false if there is none. */
  moveLine(by: -1 | 1): boolean {
    const lines = this.content.split('\n');
    const before = this.content.slice(0, this.at).split('\n');
    const row = before.length - 1 + by;
    const line = lines[row];
    if (line === undefined) return false;
    const column = graphemesOf(before.at(-1) ?? '').length;
    const start = lines.slice(0, row).reduce((sum, each) => sum + each.length + 1, 0);
    this.at = start + graphemesOf(line).slice(0, column).join('').length;
    return true;
  }

  delete(move: Move): void {
    this.cut(this.target(move));
  }

  /** Deletes and keeps what was deleted for {@link yank}. */
  kill(move: Move): void {
    let target = this.target(move);
    // At the end of a line, its line break is deleted.
    if (target === this.at && move === 'lineEnd') target = this.target('right');
    const killed = this.cut(target);
    if (killed !== '') this.killed = killed;
  }

  /** Deletes back to the last white space, as a shell does at Ctrl-W. */
  killToSpace(): void {
    const before = this.content.slice(0, this.at);
    this.killed = this.cut(before.search(/\S*\s*$/u));
  }

  yank(): void {
    this.insert(this.killed);
  }

  private cut(target: number): string {
    const [from, to] = target < this.at ? [target, this.at] : [this.at, target];
    const cut = this.content.slice(from, to);
    this.at = to;
    this.replace(from, '');
    return cut;
  }

  private target(move: Move): number {
    const { content, at } = this;
    switch (move) {
      case 'left':
        return this.boundaries().findLast((boundary) => boundary < at) ?? 0;
      case 'right':
        return this.boundaries().find((boundary) => boundary > at) ?? content.length;
      case 'wordLeft':
        return content.slice(0, at).search(/(?:[\p{L}\p{M}\p{N}_]+|^)[^\p{L}\p{M}\p{N}_]*$/u);
      case 'wordRight':
        return at + (/^[^\p{L}\p{M}\p{N}_]*[\p{L}\p{M}\p{N}_]*/u.exec(content.slice(at))?.[0].length ?? 0);
      case 'lineStart':
        return at === 0 ? 0 : content.lastIndexOf('\n', at - 1) + 1;
      case 'lineEnd': {
        const end = content.indexOf('\n', at);
        return end < 0 ? content.length : end;
      }
      default:
        return move satisfies never;
    }
  }

  /** Where characters start and end, in the line around `at` and its line breaks. */
  private boundaries(at = this.at): readonly number[] {
    const { content } = this;
    const start = Math.max(0, at === 0 ? 0 : content.lastIndexOf('\n', at - 1));
    const lineEnd = content.indexOf('\n', at);
    let end = start;
    const around = content.slice(start, lineEnd < 0 ? content.length : lineEnd + 1);
    return [start, ...graphemesOf(around).map((grapheme) => (end += grapheme.length))];
  }
}

const plainKeys: Readonly<Record<string, (buffer: TextBuffer) => void>> = {
  left: (buffer) => buffer.move('left'),
  right: (buffer) => buffer.move('right'),
  home: (buffer) => buffer.move('lineStart'),
  end: (buffer) => buffer.move('lineEnd'),
  backspace: (buffer) => buffer.delete('left'),
  delete: (buffer) => buffer.delete('right'),
};
const ctrlKeys: Readonly<Record<string, (buffer: TextBuffer) => void>> = {
  a: (buffer) => buffer.move('lineStart'),
  e: (buffer) => buffer.move('lineEnd'),
  b: (buffer) => buffer.move('left'),
  f: (buffer) => buffer.move('right'),
  h: (buffer) => buffer.delete('left'),
  d: (buffer) => buffer.delete('right'),
  k: (buffer) => buffer.kill('lineEnd'),
  u: (buffer) => buffer.kill('lineStart'),
  w: (buffer) => buffer.killToSpace(),
  y: (buffer) => buffer.yank(),
  left: (buffer) => buffer.move('wordLeft'),
  right: (buffer) => buffer.move('wordRight'),
  backspace: (buffer) => buffer.kill('wordLeft'),
  delete: (buffer) => buffer.kill('wordRight'),
};
const metaKeys: Readonly<Record<string, (buffer: TextBuffer) => void>> = {
  b: (buffer) => buffer.move('wordLeft'),
  f: (buffer) => buffer.move('wordRight'),
  d: (buffer) => buffer.kill('wordRight'),
  left: (buffer) => buffer.move('wordLeft'),
  right: (buffer) => buffer.move('wordRight'),
  backspace: (buffer) => buffer.kill('wordLeft'),
  return: (buffer) => buffer.insert('\n'),
  enter: (buffer) => buffer.insert('\n'),
};

/** Edits the text as a shell would at this key; returns false if the key means nothing here. */
export function editWithKey(buffer: TextBuffer, key: KeyPress): boolean {
  const commands = key.ctrl ? ctrlKeys : key.meta ? metaKeys : plainKeys;
  const command = Object.hasOwn(commands, key.name) ? commands[key.name] : undefined;
  if (command !== undefined) command(buffer);
  else if (key.text !== '') buffer.insert(key.text);
  else return false;
  return true;
}
