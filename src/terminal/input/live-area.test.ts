/** What the area draws is compared with a terminal emulator, which has its own idea of widths, wrapping and the cursor. */

import { EventEmitter } from 'node:events';
import type { WriteStream } from 'node:tty';
import xterm from '@xterm/headless';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { positionAfter, textWidth } from '../output/text-width.ts';
import { type Frame, LiveArea } from './live-area.ts';

/** A terminal with an area at its bottom. */
class EmulatedTerminal extends EventEmitter {
  readonly emulator: xterm.Terminal;
  readonly area: LiveArea;

  constructor(
    public columns: number,
    public rows: number,
  ) {
    super();
    this.emulator = new xterm.Terminal({ cols: columns, rows, scrollback: 100, allowProposedApi: true });
    this.area = new LiveArea(this as unknown as WriteStream);
  }

  write(text: string): boolean {
    // The terminal's driver starts a new line at its first column.
    this.emulator.write(text.replaceAll('\n', '\r\n'));
    return true;
  }

  async resize(columns: number): Promise<void> {
    await this.drawn();
    this.emulator.resize(columns, this.rows);
    this.columns = columns;
    this.emit('resize');
    await this.drawn();
  }

  drawn(): Promise<void> {
    return new Promise((resolve) => this.emulator.write('', resolve));
  }

  /** Everything that was ever on the screen, up to the last row with text, and the cursor counted from its first row. */
  async screen(): Promise<{ readonly rows: readonly string[]; readonly cursor: readonly [number, number] }> {
    await this.drawn();
    const { active } = this.emulator.buffer;
    const rows = Array.from({ length: active.length }, (_, at) => active.getLine(at)?.translateToString(true) ?? '');
    const last = rows.findLastIndex((row) => row !== '');
    return { rows: rows.slice(0, last + 1), cursor: [active.baseY + active.cursorY, active.cursorX] };
  }
}

/** The screen of the same lines on a terminal that has this width from the beginning. */
async function fresh(columns: number, lines: readonly string[]): Promise<readonly string[]> {
  const terminal = new EmulatedTerminal(columns, 60);
  terminal.write(lines.join('\n'));
  return (await terminal.screen()).rows;
}

const pieces = fc.constantFrom('a', 'word ', '日本', 'é', '\u001B[1mbold\u001B[22m', '%', 'x'.repeat(13), ' ');
const line = fc.array(pieces, { maxLength: 12 }).map((each) => each.join(''));
const lines = fc.array(line, { minLength: 1, maxLength: 6 });
const columns = fc.integer({ min: 12, max: 50 });

describe('the area at the bottom of a terminal', () => {
  it('shows what a terminal would show of the same lines, after every change of its width', async () => {
    await fc.assert(
      fc.asyncProperty(lines, lines, fc.array(columns, { minLength: 1, maxLength: 4 }), async (first, then, widths) => {
        const terminal = new EmulatedTerminal(80, 50);
        let shown = first;
        terminal.write('above\n');
        // The cursor is in an empty last line: that of a dialog.
        terminal.area.open(() => ({ lines: ['start', ...shown, ''] }));
        for (const width of widths) {
          await terminal.resize(width);
          shown = shown === first ? then : first;
          terminal.area.redraw();
          expect((await terminal.screen()).rows).toEqual(await fresh(width, ['above', 'start', ...shown]));
        }
        terminal.area.close(['end']);
        expect((await terminal.screen()).rows).toEqual(['above', 'end']);
      }),
      { numRuns: 40 },
    );
  });

  it('puts the cursor where the text before it ends', async () => {
    await fc.assert(
      fc.asyncProperty(fc.record({ width: columns, above: lines, before: line, after: line }), async (parts) => {
        const { width, above, before, after } = parts;
        const terminal = new EmulatedTerminal(width, 60);
        const frame: Frame = { lines: [...above, before + after], cursor: { line: above.length, before } };
        terminal.area.open(() => frame);
        const { cursor } = await terminal.screen();
        const alone = new EmulatedTerminal(width, 60);
        // One more character shows where the terminal would write.
        alone.write([...above, `${before}|`].join('\n'));
        const { cursor: behind } = await alone.screen();
        expect(cursor).toEqual([behind[0], behind[1] - 1]);
      }),
      { numRuns: 100 },
    );
  });

  it('keeps what is printed above it', async () => {
    const terminal = new EmulatedTerminal(20, 10);
    terminal.area.open(() => ({ lines: ['question', ''] }));
    for (let at = 0; at < 30; at++) terminal.area.print([`line ${at}`]);
    const printed = Array.from({ length: 30 }, (_, at) => `line ${at}`);
    expect((await terminal.screen()).rows).toEqual([...printed, 'question']);
  });

  it('shows the part around the cursor if the lines are higher than the screen', async () => {
    const terminal = new EmulatedTerminal(20, 8);
    const all = Array.from({ length: 30 }, (_, at) => `line ${at}`);
    let at = 0;
    terminal.area.open(() => ({ lines: all, cursor: { line: at, before: '' } }));
    for (at of [0, 29, 15]) {
      terminal.area.redraw();
      const { rows } = await terminal.screen();
      expect(rows).toContain(`line ${at}`);
      expect(rows.length).toBeLessThan(8);
    }
  });
});

describe('the width of text', () => {
  it('is that of a terminal emulator', async () => {
    await fc.assert(
      fc.asyncProperty(columns, line, async (width, text) => {
        const wide = new EmulatedTerminal(400, 5);
        wide.write(text);
        expect((await wide.screen()).cursor).toEqual([0, textWidth(text)]);
        const narrow = new EmulatedTerminal(width, 60);
        narrow.write(text);
        const { row, column } = positionAfter(text, width);
        // The cursor of a full row stays in its last cell.
        expect((await narrow.screen()).cursor).toEqual([row, Math.min(column, width)]);
      }),
      { numRuns: 200 },
    );
  });
});
