/**
 * Reads the keyboard for one reader at a time: the prompt line, a dialog, or, while a turn runs, this class itself. The
 * terminal stays in raw mode, so Ctrl-C is a key press and not a signal to every foreground process.
 */

import type { ReadStream, WriteStream } from 'node:tty';
import type { Completer } from '../input/completion.ts';
import { InputHistory } from '../input/input-history.ts';
import { type KeyPress, markPastes, readKeys, stopMarkingPastes } from '../input/key-press.ts';
import { isEnter, LineInput } from '../input/line-input.ts';
import { LiveArea } from '../input/live-area.ts';
import { editWithKey, TextBuffer } from '../input/text-buffer.ts';

export interface KeyboardOptions {
  /** Called on Ctrl-C. At an empty prompt line, `stay` keeps the prompt open. */
  onInterrupt(): 'stay' | 'leave';
  /** Called for a line typed while a turn runs; returns true if it was handled. */
  onLine(line: string): boolean;
  /** Called on Ctrl-O, at any time. */
  onShortcut?(shortcut: 'details'): void;
  /** Completes the prompt line at Tab. */
  readonly completer?: Completer | undefined;
  /** Where prompts are kept for later sessions; undefined keeps them for this session only. */
  readonly historyFile?: string | undefined;
}

/** Lines that arrive within this time were pasted together, if the terminal does not mark pasted text. */
const pasteMs = 30;
/** A dialog accepts keys only after this long without typing, so that keys meant for something else don't answer it. */
const quietMs = 150;
/** And only after it was visible for this long. */
const seenMs = 250;
/** Keys that follow the answer to a dialog without a longer pause than this belong to the answer. */
const answerEndMs = 150;
/** A key that approved something is released after this long without a key press: held keys repeat faster. */
const releasedMs = 1000;
const maxQueued = 100;

export class Keyboard {
  readonly area: LiveArea;
  private readonly history: InputHistory;
  private readonly queued: string[] = [];
  /** The prompt that is being typed, also while a turn runs. */
  private readonly typed = new TextBuffer();
  private reader: ((key: KeyPress) => void) | undefined;
  private lastKeyAt = Number.NEGATIVE_INFINITY;
  private lastKey = '';
  /** The key that approved something, until it was released. */
  private heldKey: string | undefined;
  private isAnswerEnding = false;
  private isOpen = false;
  private hasListened = false;
  private readonly inputEnd = new AbortController();
  private readonly restore = (): void => void (this.isOpen && this.output.write(stopMarkingPastes));

  constructor(
    private readonly input: ReadStream,
    private readonly output: WriteStream,
    private readonly options: KeyboardOptions,
  ) {
    this.area = new LiveArea(output);
    this.history = new InputHistory(options.historyFile);
    const end = (): void => this.inputEnd.abort();
    input.on('end', end).on('close', end).on('error', end);
  }

  /** True if the key that is being handled may be a repetition of the one that approved something. */
  get isHeld(): boolean {
    return this.heldKey !== undefined;
  }

  /** Aborted when the input has ended. */
  get ended(): AbortSignal {
    return this.inputEnd.signal;
  }

  /** Starts reading; returns false if it was open. What is typed while no reader is set is kept for the next prompt. */
  open(): boolean {
    if (this.isOpen || this.ended.aborted) return false;
    this.isOpen = true;
    this.setRaw(true);
    this.output.write(markPastes);
    process.on('exit', this.restore);
    // Listening for keys starts the input, so it must not happen earlier.
    if (!this.hasListened) readKeys(this.input, (key) => this.handleKey(key));
    this.hasListened = true;
    this.input.resume();
    return true;
  }

  /** Returns the terminal to how it was. */
  close(): void {
    if (!this.isOpen) return;
    this.restore();
    this.isOpen = false;
    process.off('exit', this.restore);
    this.setRaw(false);
    this.input.pause();
  }

  /** Reads one prompt; it may have several lines. `undefined` at the end of input. */
  async readLine(prompt: string, signal: AbortSignal): Promise<string | undefined> {
    const queued = this.queued.shift();
    if (queued === undefined) return this.editPrompt(prompt, signal);
    this.output.write(`${prompt}${queued}\n`);
    this.history.add(queued);
    return queued;
  }

  /** Writes above the prompt line or dialog, if one is open. */
  writeAbove(write: () => void): void {
    this.area.writeAbove(write);
  }

  /** Gives all keys to `onKey` until `result` is settled or the signal is aborted, which means undefined. */
  async read<T>(
    signal: AbortSignal,
    start: (finish: (result: T) => void) => (key: KeyPress) => void,
  ): Promise<T | undefined> {
    const ended = AbortSignal.any([signal, this.ended]);
    const outer = this.reader;
    try {
      return await new Promise<T | undefined>((resolve) => {
        if (ended.aborted) resolve(undefined);
        ended.addEventListener('abort', () => resolve(undefined), { once: true });
        const finish = (result: T): void => {
          // The rest of a chunk of keys must not reach this reader again.
          this.reader = outer;
          resolve(result);
        };
        this.reader = start(finish);
      });
    } finally {
      this.reader = outer;
    }
  }

  /** Resolves when a question that is drawn now has been visible for a moment and nobody is typing. */
  async untilSeen(signal: AbortSignal): Promise<void> {
    const seenAt = performance.now() + seenMs;
    for (;;) {
      const left = Math.max(seenAt, this.lastKeyAt + quietMs) - performance.now();
      if (left <= 0 || signal.aborted) return;
      await new Promise<void>((resolve) => {
        const stop = (): void => {
          signal.removeEventListener('abort', stop);
          clearTimeout(timer);
          resolve();
        };
        const timer = setTimeout(stop, left);
        signal.addEventListener('abort', stop);
      });
    }
  }

  /** Keys that follow without a pause, such as the rest of "yes", are not kept for the next prompt. */
  endAnswer(): void {
    this.isAnswerEnding = true;
  }

  /** Call it when the last key approved something: a held key must not approve the next call, too. */
  ignoreHeldKey(): void {
    this.heldKey = this.lastKey;
  }

  /** Ctrl-C: also discards what was typed ahead. */
  interrupt(): void {
    this.queued.length = 0;
    this.typed.set('');
    this.options.onInterrupt();
  }

  private handleKey(key: KeyPress): void {
    const now = performance.now();
    const isLate = now - this.lastKeyAt >= answerEndMs;
    this.lastKey = `${key.ctrl} ${key.meta} ${key.name} ${key.text}`;
    if (this.lastKey !== this.heldKey || now - this.lastKeyAt >= releasedMs) this.heldKey = undefined;
    this.lastKeyAt = now;
    if (key.ctrl && key.name === 'o') this.options.onShortcut?.('details');
    else if (this.reader !== undefined) this.reader(key);
    else if (key.ctrl && key.name === 'c') this.interrupt();
    else if (isLate || !this.isAnswerEnding) this.typeAhead(key);
  }

  private typeAhead(key: KeyPress): void {
    this.isAnswerEnding = false;
    if (!isEnter(key)) {
      editWithKey(this.typed, key);
      return;
    }
    const line = this.typed.take();
    if (line.trim() === '' || this.options.onLine(line)) return;
    if (this.queued.length < maxQueued) this.queued.push(line);
  }

  private async editPrompt(prompt: string, signal: AbortSignal): Promise<string | undefined> {
    const { area, typed, history, options } = this;
    this.open();
    if (signal.aborted || this.ended.aborted) return undefined;
    const input = new LineInput({
      area,
      buffer: typed,
      prompt,
      history: () => history.prompts,
      completer: options.completer,
    });
    const sent = await this.read<'sent' | 'left'>(signal, (finish) => this.promptReader(input, finish));
    input.close(sent === 'sent');
    const line = typed.take();
    if (sent !== 'sent') return undefined;
    history.add(line);
    return line;
  }

  private promptReader(input: LineInput, finish: (result: 'sent' | 'left') => void): (key: KeyPress) => void {
    const { typed } = this;
    let sending: NodeJS.Timeout | undefined;
    const press = (key: KeyPress): void => {
      if (input.press(key)) sending = setTimeout(() => finish('sent'), pasteMs);
    };
    return (key) => {
      if (sending !== undefined) {
        clearTimeout(sending);
        sending = undefined;
        if (!(key.ctrl && key.name === 'c')) input.press({ name: 'paste', text: '\n', ctrl: false, meta: false });
      }
      const isEmpty = typed.text === '';
      if (key.ctrl && key.name === 'd' && isEmpty) finish('left');
      else if (key.ctrl && key.name === 'z') this.suspend();
      else if (!(key.ctrl && key.name === 'c')) press(key);
      else if (!isEmpty) input.discard();
      else if (this.options.onInterrupt() === 'leave') finish('left');
    };
  }

  /** Ctrl-Z: the shell continues this process later. */
  private suspend(): void {
    this.close();
    process.once('SIGCONT', () => {
      this.open();
      this.area.writeAbove(() => undefined);
    });
    process.kill(process.pid, 'SIGTSTP');
  }

  private setRaw(raw: boolean): void {
    if (!this.input.destroyed && !this.ended.aborted) this.input.setRawMode(raw);
  }
}
