/**
 * The screen that a person sees: the command runs in a pseudo-terminal, and a terminal emulator draws its output. A test
 * compares screens with fixtures: `test/cli/screens/<name>.txt`. `SCREENS=write` rewrites them.
 */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import xterm from '@xterm/headless';
import { expect } from 'vitest';
import { Terminal, type TerminalOptions } from '../terminal-rig.ts';

/** Cells next to each other that look the same. Colours are of the 256-colour palette; undefined is the default. */
export interface StyledText {
  readonly text: string;
  readonly foreground: number | undefined;
  readonly background: number | undefined;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
}

export interface ScreenOptions extends Omit<TerminalOptions, 'cwd' | 'onData'> {
  /** Files of the project, by path. */
  readonly files?: Readonly<Record<string, string>>;
}

const patienceMs = 15_000;
const isWriting = process.env['SCREENS'] === 'write';

/** A chat in the folder `~/project`, on a screen of 80 columns and 24 rows if not said otherwise. */
export class ScreenSession {
  readonly terminal: Terminal;
  readonly project: string;
  private readonly home: string;
  private readonly emulator: xterm.Terminal;

  constructor({ files = {}, columns = 80, rows = 24, env, ...options }: ScreenOptions = {}) {
    this.home = mkdtempSync(join(tmpdir(), 'bridle-screen-'));
    this.project = join(this.home, 'project');
    mkdirSync(this.project);
    for (const [path, text] of Object.entries(files)) writeFileSync(join(this.project, path), text);
    this.emulator = new xterm.Terminal({ cols: columns, rows, scrollback: 5000, allowProposedApi: true });
    this.terminal = new Terminal({
      ...options,
      cwd: this.project,
      columns,
      rows,
      env: { HOME: this.home, ...env },
      onData: (data) => this.emulator.write(data),
    });
  }

  /** Changes the size in the middle of a session. */
  resize(columns: number, rows: number): void {
    this.emulator.resize(columns, rows);
    this.terminal.resize(columns, rows);
  }

  /** The rows on the screen, with those that were scrolled out above them if `all` is true. */
  async rows(all = false): Promise<readonly string[]> {
    await this.isDrawn();
    const { active } = this.emulator.buffer;
    const first = all ? 0 : active.baseY;
    return Array.from({ length: active.length - first }, (_, at) => {
      return active.getLine(first + at)?.translateToString(false, 0, this.emulator.cols) ?? '';
    });
  }

  /** The rows on the screen with their colours, for a picture. */
  async styledRows(): Promise<readonly (readonly StyledText[])[]> {
    await this.isDrawn();
    const { active } = this.emulator.buffer;
    return Array.from({ length: this.emulator.rows }, (_, at) => styledRow(active.getLine(active.baseY + at)));
  }

  /** Waits until the text is anywhere on the screen or above it; line ends count as spaces. */
  async until(wanted: string): Promise<void> {
    const isThere = (rows: readonly string[]): boolean => words(rows.join(' ')).includes(words(wanted));
    const rows = await this.untilRows(() => this.rows(true), isThere);
    if (!isThere(rows)) expect(framed(rows), `never on the screen: ${wanted}`).toContain(wanted);
  }

  /** Compares the screen with `test/cli/screens/<name>.txt`, once it has settled. */
  async expectFixture(name: string): Promise<void> {
    const path = join(import.meta.dirname, `${name}.txt`);
    if (isWriting) {
      await this.isQuiet();
      writeFileSync(path, this.stable(await this.rows()));
    }
    const expected = existsSync(path) ? readFileSync(path, 'utf8') : 'no fixture yet: run with SCREENS=write\n';
    const rows = await this.untilRows(
      () => this.rows(),
      (shown) => this.stable(shown) === expected,
    );
    expect(this.stable(rows), `${name}.txt (SCREENS=write rewrites it)`).toBe(expected);
  }

  async close(): Promise<void> {
    await this.terminal.close();
    this.emulator.dispose();
    rmSync(this.home, { recursive: true, force: true });
  }

  private isDrawn(): Promise<void> {
    return new Promise((resolve) => this.emulator.write('', resolve));
  }

  private async isQuiet(): Promise<void> {
    let before: string | undefined;
    let now = this.stable(await this.rows());
    while (now !== before) {
      before = now;
      await delay(1000);
      now = this.stable(await this.rows());
    }
  }

  private async untilRows(
    read: () => Promise<readonly string[]>,
    isRight: (rows: readonly string[]) => boolean,
  ): Promise<readonly string[]> {
    const until = Date.now() + patienceMs;
    for (;;) {
      const rows = await read();
      if (isRight(rows) || Date.now() > until) return rows;
      await delay(50);
    }
  }

  /** Times, versions and folders differ between runs and machines. */
  private stable(rows: readonly string[]): string {
    const stableRows = rows.map((row) =>
      row
        .replaceAll(this.home, '~')
        .replaceAll(/\/tmp\/bridle-\w{6}\b/g, '/tmp/bridle-XXXXXX')
        .replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, '<id>')
        .replaceAll(/\b(?:\d+ min )?\d+(?:\.\d+)? (?:ms|s)(?!\w)/g, '… ms')
        .replaceAll(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/g, '⠋')
        .replaceAll(/\bBridle \d+\.\d+\.\d+\S*/g, 'Bridle 0.0.0'),
    );
    return framed(stableRows);
  }
}

/** The frame shows where the screen ends; empty rows at the end are left out. */
function framed(rows: readonly string[]): string {
  const last = rows.findLastIndex((row) => row.trim() !== '');
  return [...rows.slice(0, last + 1).map((row) => `│${row.trimEnd()}`), ''].join('\n');
}

function words(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

function styledRow(line: xterm.IBufferLine | undefined): readonly StyledText[] {
  const runs: StyledText[] = [];
  const { length = 0 } = line ?? {};
  for (let at = 0; at < length; at++) {
    const cell = line?.getCell(at);
    // The second half of a wide character.
    if (cell === undefined || cell.getWidth() === 0) continue;
    const style = {
      foreground: cell.isFgDefault() ? undefined : cell.getFgColor(),
      background: cell.isBgDefault() ? undefined : cell.getBgColor(),
      bold: cell.isBold() !== 0,
      dim: cell.isDim() !== 0,
      italic: cell.isItalic() !== 0,
      underline: cell.isUnderline() !== 0,
    };
    const before = runs.at(-1);
    const text = cell.getChars() || ' ';
    if (before !== undefined && isSame(before, style)) runs.splice(-1, 1, { ...style, text: before.text + text });
    else runs.push({ ...style, text });
  }
  return runs;
}

function isSame(run: StyledText, style: Omit<StyledText, 'text'>): boolean {
  return Object.entries(style).every(([name, value]) => run[name as keyof StyledText] === value);
}
