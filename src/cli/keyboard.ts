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

export interface KeyboardOwner {
  /** Ctrl-C; at the empty prompt line, `stay` keeps it open. */
  interrupt(): 'stay' | 'leave';
  /** A line typed while a turn runs; true if it was seen to. */
  typed(line: string): boolean;
}

/** Lines that come this close together were pasted together. */
const pasteMs = 30;
/** A dialog opens when nothing was typed for this long: what is being typed was not meant for it. */
const quietMs = 150;
const escapeMs = 50;
const mostQuietings = 20;
const mostQueued = 100;
/** Ctrl-C on a line that was begun: another one is read. */
const dropped = Symbol('dropped');

export class Keyboard {
  private history: string[] = [];
  private readonly queued: string[] = [];
  private begun = '';
  private editing: Interface | undefined;
  private lastKeyAt = Number.NEGATIVE_INFINITY;
  private readonly gone = new AbortController();

  constructor(
    private readonly input: ReadStream,
    private readonly output: WriteStream,
    private readonly owner: KeyboardOwner,
  ) {
    // Whoever asks first says how long a lone Escape waits for the rest of a sequence.
    emitKeypressEvents(input, { escapeCodeTimeout: escapeMs } as unknown as Interface);
    const end = (): void => this.gone.abort();
    input.on('end', end).on('close', end).on('error', end);
  }

  /** Aborted when no key can come any more. */
  get ended(): AbortSignal {
    return this.gone.signal;
  }

  /** One prompt, pasted lines together; `undefined` at the end of input. */
  async readLine(prompt: string, signal: AbortSignal): Promise<string | undefined> {
    const queued = this.queued.shift();
    if (queued !== undefined) {
      this.output.write(`${prompt}${queued}\n`);
      return queued;
    }
    let line: string | undefined | typeof dropped = dropped;
    while (line === dropped) {
      if (signal.aborted || this.ended.aborted) return undefined;
      line = await this.editLine(prompt, signal);
    }
    return line;
  }

  /** Writes above the prompt line, if there is one. */
  aside(write: () => void): void {
    const { editing, output } = this;
    if (editing !== undefined) {
      cursorTo(output, 0);
      clearScreenDown(output);
    }
    write();
    editing?.prompt(true);
  }

  /** Takes the keys while a turn runs, until the returned function is called. */
  watch(): () => void {
    const onKey = (text: string | undefined, key: Key): void => this.take(text, key);
    this.input.on('keypress', onKey);
    this.setRaw(true);
    this.input.resume();
    return () => {
      this.input.off('keypress', onKey);
      this.input.pause();
    };
  }

  /** Resolves when nothing is being typed. */
  async quiet(): Promise<void> {
    for (let round = 0; round < mostQuietings; round++) {
      const left = quietMs - (performance.now() - this.lastKeyAt);
      if (left <= 0) return;
      await delay(left);
    }
  }

  /** Runs a dialog that reads the keyboard; its signal says that there is no answer any more. */
  async lend<T>(signal: AbortSignal, dialog: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const withdrawn = new AbortController();
    const onKey = (_text: string | undefined, key: Key): void => {
      if (key.ctrl !== true) return;
      if (key.name === 'c') this.interrupt();
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

  private editLine(prompt: string, signal: AbortSignal): Promise<string | undefined | typeof dropped> {
    const { input, output } = this;
    const history = { history: [...this.history], historySize: 500, removeHistoryDuplicates: true };
    const line = createInterface({ input, output, terminal: true, prompt, signal, ...history });
    line.on('history', (known) => (this.history = [...known]));
    line.prompt();
    line.write(this.begun);
    this.begun = '';
    this.editing = line;
    return this.lineOf(line);
  }

  private lineOf(line: Interface): Promise<string | undefined | typeof dropped> {
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
        if (!isEmpty) resolve(dropped);
        if (!isEmpty || this.owner.interrupt() === 'leave') line.close();
        else line.prompt();
      });
      line.on('close', () => {
        clearTimeout(timer);
        this.editing = undefined;
        if (line.line !== '' || lines.length === 0) this.output.write('\n');
        resolve(lines.length === 0 ? undefined : lines.join('\n'));
      });
    });
  }

  private take(text: string | undefined, key: Key): void {
    this.lastKeyAt = performance.now();
    if (key.ctrl === true && key.name === 'c') this.interrupt();
    else if (key.name === 'return' || key.name === 'enter') this.takeLine();
    else if (key.name === 'backspace') this.begun = this.begun.slice(0, -1);
    else if (key.ctrl !== true && key.meta !== true && text !== undefined && !/\p{C}/u.test(text)) this.begun += text;
  }

  /** Who stops what runs does not want what was to come after it. */
  private interrupt(): void {
    this.queued.length = 0;
    this.begun = '';
    this.owner.interrupt();
  }

  private takeLine(): void {
    const line = this.begun;
    this.begun = '';
    if (line.trim() === '' || this.owner.typed(line)) return;
    if (this.queued.length < mostQueued) this.queued.push(line);
  }

  private setRaw(raw: boolean): void {
    if (!this.input.destroyed && !this.ended.aborted) this.input.setRawMode(raw);
  }
}
