/**
 * The keyboard of a terminal, read by one reader at a time: the prompt line, a dialog, or, while a turn runs, this class
 * itself. It stays in raw mode, so that Ctrl-C is a key for us alone and no signal for everything in the foreground.
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
  /** Ctrl-C; at the empty prompt line, `stay` keeps it open. */
  onInterrupt(): 'stay' | 'leave';
  /** A line typed while a turn runs; true if it was seen to. */
  onLine(line: string): boolean;
}

/** Lines that come this close together were pasted together. */
const pasteMs = 30;
/** A dialog opens when nothing was typed for this long: what is being typed was not meant for it. */
const quietMs = 150;
const escapeMs = 50;
const maxQuietRounds = 20;
const maxQueued = 100;
/** Ctrl-C on a line that was begun: another one is read. */
const discarded = Symbol('dropped');

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
    // Whoever asks first says how long a lone Escape waits for the rest of a sequence.
    emitKeypressEvents(input, { escapeCodeTimeout: escapeMs } as unknown as Interface);
    const end = (): void => this.inputEnd.abort();
    input.on('end', end).on('close', end).on('error', end);
  }

  /** Aborted when no key can come any more. */
  get ended(): AbortSignal {
    return this.inputEnd.signal;
  }

  /** One prompt, pasted lines together; `undefined` at the end of input. */
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

  /** Writes above the prompt line, if there is one. */
  writeAbove(write: () => void): void {
    const { editor: editing, output } = this;
    if (editing !== undefined) {
      cursorTo(output, 0);
      clearScreenDown(output);
    }
    write();
    editing?.prompt(true);
  }

  /** Takes the keys while a turn runs, until the returned function is called. */
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

  /** Resolves when nothing is being typed. */
  async untilQuiet(): Promise<void> {
    for (let round = 0; round < maxQuietRounds; round++) {
      const left = quietMs - (performance.now() - this.lastKeyAt);
      if (left <= 0) return;
      await delay(left);
    }
  }

  /** Runs a dialog that reads the keyboard; its signal says that there is no answer any more. */
  async runDialog<T>(signal: AbortSignal, dialog: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const withdrawn = new AbortController();
    const onKey = (_text: string | undefined, key: Key): void => {
      if (key.ctrl !== true) return;
      if (key.name === 'c') this.handleInterrupt();
      // The dialog does not know it, and it means: no more input.
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
      // What is left on the line belongs to what was pasted, until it is sent too.
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

  /** Who stops what runs does not want what was to come after it. */
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
