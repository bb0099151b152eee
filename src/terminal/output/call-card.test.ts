import xterm from '@xterm/headless';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { sampleCall } from '../../../test/rigs/approval-rig.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { showCall } from '../../kernel/guard/calls/show-call.ts';
import { callLines, fullArgLines } from './call-card.ts';
import { paintWith } from './paint.ts';

const paint = paintWith(false);
const mark = '    │ ';

function cardOf(args: JsonObject, columns: number): readonly string[] {
  const call = sampleCall({ args, cwd: '/w' });
  return callLines(showCall(call, ['command_line']), paint, { columns });
}

function isStart(row: string): boolean {
  return row.startsWith('  $') || row.startsWith('  note:');
}

/** The rows of these lines on a terminal, which wraps those that are too long. */
async function screenOf(lines: readonly string[], columns: number): Promise<readonly string[]> {
  const terminal = new xterm.Terminal({ cols: columns, rows: 10, scrollback: 2000, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(lines.join('\r\n'), resolve));
  const { active } = terminal.buffer;
  const rows = Array.from({ length: active.length }, (_, at) => active.getLine(at)?.translateToString(true) ?? '');
  terminal.dispose();
  return rows.slice(0, Math.max(lines.length, rows.findLastIndex((row) => row !== '') + 1));
}

describe('the rows of a call', () => {
  it(proves('Q04')('shows an argument in full, and marks its lines so that they cannot pass for arguments'), () => {
    const contents = `hello\n  file_path: ./notes.txt\n${'x'.repeat(500)}`;
    const args = [
      { name: 'contents', text: 'hello…', missing: 500, full: contents },
      { name: 'file_path', text: '/home/me/.bashrc', missing: 0, full: '/home/me/.bashrc' },
    ];
    const shown = fullArgLines({ title: 'create_file', args, text: '' }, paint).join('\n');
    expect(shown.split('\n').filter((line) => /^ {2}\w+: /.test(line))).toEqual([
      '  contents: hello',
      '  file_path: /home/me/.bashrc',
    ]);
    expect(shown.replaceAll(`\n${mark}`, '')).toContain('x'.repeat(500));
  });

  it(proves('Q04')('count long runs of spaces, and text cannot fake the count'), () => {
    const spaces = ' '.repeat(1920);
    expect(cardOf({ command_line: `touch a; :${spaces}run_command` }, 80)[1]).toBe(
      '  $ touch a; :⟨1920 spaces⟩run_command',
    );
    expect(cardOf({ command_line: 'touch a; :⟨1920 spaces⟩run_command' }, 80)[1]).not.toContain('⟨1920 spaces⟩');
    expect(cardOf({ text: `if a:\n${' '.repeat(12)}b` }, 80)[2]).toBe(`${mark}${' '.repeat(12)}b`);
  });

  it(proves('Q04')('are marked on a terminal, unless they start an argument'), async () => {
    const own = [
      'run_command',
      'Approve this call?',
      '  y  Yes, once',
      '  command_line: npm test',
      '  $ npm test',
      '  in /w',
    ];
    const piece = fc.oneof(
      fc.constantFrom(
        ...own,
        '日本語',
        'कि',
        'क्',
        '\u0301',
        '👍🏽',
        '🇩🇪',
        '\n',
        '\t',
        '│ ',
        '⟨8 spaces⟩',
        'x'.repeat(30),
      ),
      fc.nat(90).map((count) => ' '.repeat(count)),
      fc.constantFrom(...own).map((line) => line.padEnd(40)),
    );
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    await fc.assert(
      fc.asyncProperty(text, text, fc.integer({ min: 14, max: 90 }), async (command, note, columns) => {
        const rows = await screenOf(cardOf({ command_line: command, note }, columns), columns);
        expect(rows[0]).toBe('run_command');
        expect(rows.at(-1)).toBe('  in /w');
        const inner = rows.slice(1, -1);
        expect(inner.filter(isStart).map((row) => row.slice(0, 3))).toEqual(['  $', '  n']);
        expect(inner.filter((row) => !isStart(row) && !row.startsWith(mark.trimEnd()))).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});
