/** Asks people at the terminal: one dialog at a time, with other output held back meanwhile. */

import type { ReadStream, WriteStream } from 'node:tty';
import { Dialog } from './dialog.ts';
import type { Keyboard } from './keyboard.ts';
import { ColourlessTerminal } from '../output/paint.ts';
import type { Screen } from '../output/screen.ts';

export interface TerminalParts {
  readonly keyboard: Keyboard;
  readonly screen: Screen;
  readonly input: ReadStream;
  readonly output: WriteStream;
  readonly colours: boolean;
}

export class Terminal {
  private lastDialog: Promise<unknown> = Promise.resolve();
  private stopWatching: (() => void) | undefined;

  constructor(private readonly parts: TerminalParts) {}

  /** True if the keyboard input has ended. */
  get isInputClosed(): boolean {
    return this.parts.keyboard.ended.aborted;
  }

  /** Handles the keyboard while `work` runs, except during dialogs. */
  async whileRunning<T>(work: () => Promise<T>): Promise<T> {
    this.stopWatching = this.parts.keyboard.watchKeys();
    try {
      return await work();
    } finally {
      // A dialog that is being withdrawn still uses the keyboard.
      await this.lastDialog;
      this.releaseKeyboard();
    }
  }

  /** Opens a dialog after the earlier ones have closed; `undefined` if its signal is aborted first. */
  ask<T>(signal: AbortSignal, run: (dialog: Dialog) => Promise<T>): Promise<T | undefined> {
    const next = this.lastDialog.then(() => (signal.aborted ? undefined : this.open(signal, run)));
    this.lastDialog = next.catch(() => undefined);
    return next;
  }

  private async open<T>(signal: AbortSignal, run: (dialog: Dialog) => Promise<T>): Promise<T | undefined> {
    const { keyboard, screen } = this.parts;
    const [prompts] = await Promise.all([import('@clack/prompts'), keyboard.untilQuiet()]);
    if (signal.aborted || keyboard.ended.aborted) return undefined;
    // Letters must not move the cursor: typing "no" at a question must never select a yes.
    for (const letter of 'hjkl') prompts.settings.aliases.delete(letter);
    const watched = this.stopWatching !== undefined;
    this.releaseKeyboard();
    screen.holdBack();
    try {
      return await keyboard.runDialog(signal, (either) =>
        run(new Dialog({ prompts, ...this.dialogStreams(), signal: either })),
      );
    } finally {
      screen.release();
      if (watched) this.stopWatching = keyboard.watchKeys();
    }
  }

  private dialogStreams(): {
    input: ReadStream;
    output: WriteStream | ColourlessTerminal;
    show: (text: string) => void;
  } {
    const { input, output, colours, screen } = this.parts;
    return { input, output: colours ? output : new ColourlessTerminal(output), show: (text) => screen.writeNow(text) };
  }

  private releaseKeyboard(): void {
    this.stopWatching?.();
    this.stopWatching = undefined;
  }
}
