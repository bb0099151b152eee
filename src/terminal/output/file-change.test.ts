import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { runs } from '../../../test/property-runs.ts';
import { callLines, fullArgLines, isCut } from './call-card.ts';
import { changeSummary, diffRows, fileChangeOf } from './file-change.ts';
import { diffLines } from './line-diff.ts';
import { paintWith } from './paint.ts';

let cwd: string;
const paint = paintWith(false);

beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'bridle-diff-'));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

function change(tool: string, args: Record<string, string | boolean>): readonly string[] | undefined {
  const found = fileChangeOf({ tool, server: undefined, args, cwd });
  return found && [changeSummary(found), ...diffRows(found, { paint, columns: 40 })];
}

describe('the change that a call makes', () => {
  it('is a diff with line numbers of the file as it is now', () => {
    writeFileSync(join(cwd, 'a.txt'), Array.from({ length: 12 }, (_, at) => `line ${at + 1}\n`).join(''));
    expect(change('edit_file', { file_path: 'a.txt', old_text: 'line 7', new_text: 'seven\nand a half' })).toEqual([
      '+2 −1',
      '   4   line 4',
      '   5   line 5',
      '   6   line 6',
      '   7 - line 7',
      '   7 + seven',
      '   8 + and a half',
      '   9   line 8',
      '  10   line 9',
      '  11   line 10',
    ]);
    expect(change('create_file', { file_path: 'new.txt', contents: 'one\ntwo' })).toEqual([
      'new file, 2 lines',
      '  1 + one',
      '  2 + two ⟨no newline at the end⟩',
    ]);
  });

  it(proves('Q04')('shows invisible characters, and marks wrapped lines'), () => {
    const contents = `a\u202Eb\tc \n${'x'.repeat(60)}\n`;
    expect(change('create_file', { file_path: 'odd.txt', contents })).toEqual([
      'new file, 2 lines',
      '  1 + a⟨U+202E⟩b→   c⟨U+0020⟩',
      `  2 + ${'x'.repeat(34)}`,
      `    ┊ ${'x'.repeat(26)}`,
    ]);
  });

  it(proves('R10')('masks secrets'), () => {
    const shown = change('create_file', { file_path: 'env', contents: 'API_TOKEN=hunter2hunter2\n' })?.join('\n');
    expect(shown).not.toContain('hunter2');
    expect(shown).toContain('[masked:');
  });

  it('is unknown for other tools, for edits that would fail, and for files that are not text', () => {
    writeFileSync(join(cwd, 'binary'), Buffer.from([0xff, 0xfe, 0, 0xc3]));
    expect(change('run_command', { command_line: 'ls' })).toBeUndefined();
    expect(change('edit_file', { file_path: 'a.txt', old_text: 'not there', new_text: 'x' })).toBeUndefined();
    expect(change('edit_file', { file_path: 'missing.txt', old_text: 'a', new_text: 'x' })).toBeUndefined();
    expect(change('create_file', { file_path: 'binary', contents: 'x' })).toBeUndefined();
  });
});

describe('the card of a call', () => {
  it(proves('Q04')('folds a long diff, says how much is missing, and shows all of it on demand'), () => {
    const contents = Array.from({ length: 100 }, (_, at) => `row ${at}\n`).join('');
    const args = { file_path: 'long.txt', contents };
    const found = fileChangeOf({ tool: 'create_file', server: undefined, args, cwd });
    const shownArgs = Object.entries(args).map(([name, text]) => ({ name, text, missing: 0, full: text }));
    const text = `create_file\n  file_path: long.txt\n  contents: ${contents.replaceAll('\n', '\n    │ ')}\n  in /x`;
    const shown = { title: 'create_file', args: shownArgs, text };
    const card = callLines(shown, paint, { change: found });
    expect(card.slice(0, 3)).toEqual(['create_file', '  file_path: long.txt', '  new file, 100 lines']);
    expect(card.slice(-2)).toEqual(['  … 62 more lines, see "Show everything"', '  in /x']);
    expect(isCut(shown, { change: found })).toBe(true);
    expect(fullArgLines(shown, paint, { change: found }).at(-1)).toBe('  100 + row 99');
  });
});

describe('a diff', () => {
  it('has every line of both texts, and no more changes than a naive comparison', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 14 })
      .map((all) => all.map((line) => `${line}\n`));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { hunks, added, removed } = diffLines(before.join(''), after.join(''));
        const common = longestCommon(before, after);
        expect([removed, added]).toEqual([before.length - common, after.length - common]);
        for (const { type, text: line, number } of hunks.flat()) {
          expect((type === 'removed' ? before : after)[number - 1]).toBe(`${line}\n`);
        }
      }),
      { numRuns: runs(300) },
    );
  });
});

function longestCommon(a: readonly string[], b: readonly string[]): number {
  const table = Array.from({ length: a.length + 1 }, () => Array<number>(b.length + 1).fill(0));
  for (let x = a.length - 1; x >= 0; x--)
    for (let y = b.length - 1; y >= 0; y--)
      table[x]![y] = a[x] === b[y] ? table[x + 1]![y + 1]! + 1 : Math.max(table[x + 1]![y]!, table[x]![y + 1]!);
  return table[0]![0]!;
}
