/** Asks people at the terminal: one dialog at a time, with other output held back meanwhile. */

import { Dialog } from './dialog.ts';
import type { Keyboard } from './keyboard.ts';
import type { Screen } from '../output/screen.ts';

export interface TerminalParts {
  readonly keyboard: Keyboard;
  readonly screen: Screen;
}

export class Terminal {
  private lastDialog: Promise<unknown> = Promise.resolve();
  private current: Dialog | undefined;
  /** Questions since nothing was asked: all of them, and those that were opened or withdrawn. */
  private asked = 0;
  private begun = 0;

  constructor(private readonly parts: TerminalParts) {}

  /** True if the keyboard input has ended. */
  get isInputClosed(): boolean {
    return this.parts.keyboard.ended.aborted;
  }

  /** Reads the keyboard while `work` runs: what is typed is kept for the next prompt. */
  async whileRunning<T>(work: () => Promise<T>): Promise<T> {
    this.parts.keyboard.open();
    try {
      return await work();
    } finally {
      // A dialog that is being withdrawn still uses the keyboard.
      await this.lastDialog;
    }
  }

  /** Opens a dialog after the earlier ones have closed; `undefined` if its signal is aborted first. */
  ask<T>(signal: AbortSignal, run: (dialog: Dialog) => Promise<T>): Promise<T | undefined> {
    this.asked++;
    this.current?.refresh();
    const next = this.lastDialog.then(() => this.open(signal, run)).finally(() => this.countOff());
    this.lastDialog = next.catch(() => undefined);
    return next;
  }

  private async open<T>(signal: AbortSignal, run: (dialog: Dialog) => Promise<T>): Promise<T | undefined> {
    const { keyboard, screen } = this.parts;
    this.begun++;
    if (signal.aborted || keyboard.ended.aborted) return undefined;
    const isOwner = keyboard.open();
    screen.holdBack();
    const position = (): string => (this.asked > 1 ? `${this.begun} of ${this.asked}` : '');
    this.current = new Dialog({ keyboard, paint: screen.paint, signal, position });
    try {
      return await run(this.current);
    } finally {
      this.current = undefined;
      screen.release();
      if (isOwner) keyboard.close();
    }
  }

  private countOff(): void {
    if (this.begun === this.asked) [this.begun, this.asked] = [0, 0];
  }
}
