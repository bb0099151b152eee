import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KeyPress } from './key-press.ts';
import { editWithKey, TextBuffer } from './text-buffer.ts';

function key(name: string, more: Partial<KeyPress> = {}): KeyPress {
  return { name, text: '', ctrl: false, meta: false, ...more };
}

function type(text: string): KeyPress {
  return key('', { text });
}

function press(buffer: TextBuffer, ...keys: readonly KeyPress[]): void {
  for (const each of keys) editWithKey(buffer, each);
}

/** The text as a list of characters, as a person counts them. Slow and simple. */
class NaiveBuffer {
  characters: string[] = [];
  at = 0;
  killed: string[] = [];

  edit(name: string): void {
    const { at, characters } = this;
    const isBreak = (index: number): boolean => characters[index] === '\n';
    let [start, end] = [at, at];
    while (start > 0 && !isBreak(start - 1)) start--;
    while (end < characters.length && !isBreak(end)) end++;
    if (name === 'left') this.at = Math.max(0, at - 1);
    else if (name === 'right') this.at = Math.min(characters.length, at + 1);
    else if (name === 'home') this.at = start;
    else if (name === 'end') this.at = end;
    else if (name === 'backspace') this.cut(Math.max(0, at - 1), at);
    else if (name === 'delete') this.cut(at, at + 1);
    else if (name === 'k') this.kill(at, end === at ? at + 1 : end);
    else if (name === 'u') this.kill(start, at);
    else if (name === 'y') this.insert(this.killed);
  }

  insert(text: readonly string[]): void {
    this.characters.splice(this.at, 0, ...text);
    this.at += text.length;
  }

  private kill(from: number, to: number): void {
    const killed = this.cut(from, to);
    if (killed.length > 0) this.killed = killed;
  }

  private cut(from: number, to: number): string[] {
    this.at = from;
    return this.characters.splice(from, to - from);
  }
}

const plainNames = ['left', 'right', 'home', 'end', 'backspace', 'delete'];
const ctrlNames = ['k', 'u', 'y'];
/** Characters that do not join with each other. */
const character = fc.constantFrom('a', ' ', '\n', '日', '😀', '👩‍👩‍👧', 'e\u0301', '🏳️', '한', '.');
const step = fc.oneof(
  fc.constantFrom(...plainNames, ...ctrlNames),
  fc.array(character, { minLength: 1, maxLength: 5 }),
);

describe('an edited text', () => {
  it('is what a list of characters would be after the same keys', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const buffer = new TextBuffer();
        const naive = new NaiveBuffer();
        for (const each of steps) {
          if (Array.isArray(each)) {
            naive.insert(each);
            press(buffer, type(each.join('')));
          } else {
            naive.edit(each);
            press(buffer, key(each, { ctrl: ctrlNames.includes(each) }));
          }
          expect(buffer.text).toBe(naive.characters.join(''));
          expect(buffer.cursor).toBe(naive.characters.slice(0, naive.at).join('').length);
        }
      }),
    );
  });

  it('never has its cursor inside a character, also if characters join', () => {
    const joining = fc.constantFrom('e', '\u0301', '\u200D', '👩', '👧', '🇩', '🇪', '\n', ' ');
    const keys = fc.oneof(
      joining.map(type),
      fc.constantFrom(...plainNames).map((name) => key(name)),
    );
    fc.assert(
      fc.property(fc.array(keys, { maxLength: 30 }), (pressed) => {
        const buffer = new TextBuffer();
        press(buffer, ...pressed);
        const starts = Array.from(new Intl.Segmenter().segment(buffer.text), ({ index }) => index);
        expect([...starts, buffer.text.length]).toContain(buffer.cursor);
      }),
    );
  });

  it('moves and deletes by words, and by lines', () => {
    const buffer = new TextBuffer();
    buffer.set('run npm test --filter=über');
    press(buffer, key('b', { meta: true }), key('w', { ctrl: true }));
    expect(buffer.text).toBe('run npm test über');
    press(buffer, key('left', { ctrl: true }), key('d', { meta: true }), key('y', { ctrl: true }), type('!'));
    expect(buffer.text).toBe('run npm test! über');
    buffer.set('first\n日本語 line\nx');
    expect([buffer.moveLine(-1), buffer.text.slice(buffer.cursor)]).toEqual([true, '本語 line\nx']);
    expect([buffer.moveLine(-1), buffer.text.slice(0, buffer.cursor)]).toEqual([true, 'f']);
    expect(buffer.moveLine(-1)).toBe(false);
  });

  it('keeps nothing that a terminal would interpret', () => {
    const buffer = new TextBuffer();
    press(buffer, key('paste', { text: 'a\u001B[2Jb\u202Ec\td\n\u0007e' }));
    expect(buffer.text).toBe('a[2Jbc\td\ne');
  });
});
