import { describe, expect, it } from 'vitest';
import { wrapLines } from './wrap-text.ts';

const plain = (_tone: unknown, text: string): string => text;

describe('a line that is too wide', () => {
  it('keeps the spaces inside it, which may be columns or part of a file', () => {
    const line = `a = 1;${' '.repeat(9)}// a comment that is wider than the screen`;
    const rows = wrapLines(line, plain, { columns: 40, tone: 'plain' });
    expect(rows[0]).toContain(`a = 1;${' '.repeat(9)}// a`);
    expect(rows.every((row) => row.length <= 40)).toBe(true);
    const inside = wrapLines(`1  ab   cd ${'x'.repeat(60)}`, plain, { columns: 40, tone: 'plain' });
    expect(inside.join('\n')).toContain('ab   cd');
  });

  it('breaks between words, and drops the spaces at the break', () => {
    expect(wrapLines('one two    three', plain, { columns: 9, tone: 'plain' })).toEqual(['one two', 'three']);
  });
});
