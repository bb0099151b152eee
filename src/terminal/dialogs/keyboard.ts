/**
 * Reads the keyboard for one reader at a time: the prompt line, a dialog, or, while a turn runs, this class itself. The
 * terminal stays in raw mode, so Ctrl-C is a key press and not a signal to every foreground process.
 */

import {
  clearScreenDown,
  createInterface,
  cursorTo,
  emitKeypressEvents,
  type Interface,
  type Key,
} from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { ReadStream, WriteStream } from 'node:tty';

export interface KeyboardListener {
  /** Called on Ctrl-C. At an empty prompt line, `stay` keeps the prompt open. */
  onInterrupt(): 'stay' | 'leave';
  /** Called for a line typed while a turn runs; returns true if it was handled. */
  onLine(line: string): boolean;
}

/** Lines that arrive within this time were pasted together. */
const pasteMs = 30;
/** A dialog opens only after this long without typing, so that keys meant for something else don't answer it. */
const quietMs = 150;
const escapeMs = 50;
const maxQuietRounds = 20;
const maxQueued = 100;
/** Ctrl-C discarded a line: read another one. */
const discarded = Symbol('discarded');

export class Keyboard {
  private history: string[] = [];
  private readonly queued: string[] = [];
  private unfinished = '';
  private editor: Interface | undefined;
  private lastKeyAt = Number.NEGATIVE_INFINITY;
  private readonly inputEnd = new AbortController();

  constructor(
    private readonly input: ReadStream,
    private readonly output: WriteStream,
    private readonly listener: KeyboardListener,
  ) {
    // The first call sets how long a lone Escape waits for the rest of a sequence.
    emitKeypressEvents(input, { escapeCodeTimeout: escapeMs } as unknown as Interface);
    const end = (): void => this.inputEnd.abort();
    input.on('end', end).on('close', end).on('error', end);
  }

  /** Aborted when the input has ended. */
  get ended(): AbortSignal {
    return this.inputEnd.signal;
  }

  /** Reads one prompt; lines pasted together are one prompt. `undefined` at the end of input. */
  async readLine(prompt: string, signal: AbortSignal): Promise<string | undefined> {
    const queued = this.queued.shift();
    if (queued !== undefined) {
      this.output.write(`${prompt}${queued}\n`);
      return queued;
    }
    let line: string | undefined | typeof discarded = discarded;
    while (line === discarded) {
      if (signal.aborted || this.ended.aborted) return undefined;
      line = await this.editLine(prompt, signal);
    }
    return line;
  }

  /** Writes above the prompt line, if one is open. */
  writeAbove(write: () => void): void {
    const { editor, output } = this;
    if (editor !== undefined) {
      cursorTo(output, 0);
      clearScreenDown(output);
    }
    write();
    editor?.prompt(true);
  }

  /** Handles keys while a turn runs, until the returned function is called. */
  watchKeys(): () => void {
    const onKey = (text: string | undefined, key: Key): void => this.handleKey(text, key);
    this.input.on('keypress', onKey);
    this.setRaw(true);
    this.input.resume();
    return () => {
      this.input.off('keypress', onKey);
      this.input.pause();
    };
  }

  /** Resolves when nobody is typing. */
  async untilQuiet(): Promise<void> {
    for (let round = 0; round < maxQuietRounds; round++) {
      const left = quietMs - (performance.now() - this.lastKeyAt);
      if (left <= 0) return;
      await delay(left);
    }
  }

  /** Runs a dialog that reads the keyboard. The dialog's signal is aborted when no answer can come. */
  async runDialog<T>(signal: AbortSignal, dialog: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const withdrawn = new AbortController();
    const onKey = (_text: string | undefined, key: Key): void => {
      if (key.ctrl !== true) return;
      if (key.name === 'c') this.handleInterrupt();
      // The dialog library does not handle Ctrl-D, which means end of input.
      if (key.name === 'd') withdrawn.abort();
    };
    this.input.on('keypress', onKey);
    try {
      return await dialog(AbortSignal.any([signal, this.ended, withdrawn.signal]));
    } finally {
      this.input.off('keypress', onKey);
    }
  }

  close(): void {
    this.setRaw(false);
    this.input.pause();
  }

  private editLine(prompt: string, signal: AbortSignal): Promise<string | undefined | typeof discarded> {
    const { input, output } = this;
    const history = { history: [...this.history], historySize: 500, removeHistoryDuplicates: true };
    const line = createInterface({ input, output, terminal: true, prompt, signal, ...history });
    line.on('history', (known) => (this.history = [...known]));
    line.prompt();
    line.write(this.unfinished);
    this.unfinished = '';
    this.editor = line;
    return this.lineOf(line);
  }

  private lineOf(line: Interface): Promise<string | undefined | typeof discarded> {
    const lines: string[] = [];
    let timer: NodeJS.Timeout | undefined;
    return new Promise((resolve) => {
      // Text left on the line belongs to the paste: wait until it is sent too.
      const finish = (): void => {
        if (line.line === '') line.close();
      };
      line.on('line', (text) => {
        lines.push(text);
        clearTimeout(timer);
        timer = setTimeout(finish, pasteMs);
      });
      line.on('SIGINT', () => {
        const isEmpty = line.line === '' && lines.length === 0;
        if (!isEmpty) resolve(discarded);
        if (!isEmpty || this.listener.onInterrupt() === 'leave') line.close();
        else line.prompt();
      });
      line.on('close', () => {
        clearTimeout(timer);
        this.editor = undefined;
        if (line.line !== '' || lines.length === 0) this.output.write('\n');
        resolve(lines.length === 0 ? undefined : lines.join('\n'));
      });
    });
  }

  private handleKey(text: string | undefined, key: Key): void {
    this.lastKeyAt = performance.now();
    if (key.ctrl === true && key.name === 'c') this.handleInterrupt();
    else if (key.name === 'return' || key.name === 'enter') this.handleEnter();
    else if (key.name === 'backspace') this.unfinished = this.unfinished.slice(0, -1);
    else if (key.ctrl !== true && key.meta !== true && text !== undefined && !/\p{C}/u.test(text))
      this.unfinished += text;
  }

  /** Ctrl-C also discards lines that were typed ahead. */
  private handleInterrupt(): void {
    this.queued.length = 0;
    this.unfinished = '';
    this.listener.onInterrupt();
  }

  private handleEnter(): void {
    const line = this.unfinished;
    this.unfinished = '';
    if (line.trim() === '' || this.listener.onLine(line)) return;
    if (this.queued.length < maxQueued) this.queued.push(line);
  }

  private setRaw(raw: boolean): void {
    if (!this.input.destroyed && !this.ended.aborted) this.input.setRawMode(raw);
  }
}
