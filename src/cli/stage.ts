/** The terminal as the place where people are asked: one dialog at a time, and nothing else is written meanwhile. */

import type { ReadStream, WriteStream } from 'node:tty';
import { Dialog } from './dialog.ts';
import type { Keyboard } from './keyboard.ts';
import { ColourlessTerminal } from './paint.ts';
import type { Screen } from './screen.ts';

export interface StageParts {
  readonly keyboard: Keyboard;
  readonly screen: Screen;
  readonly input: ReadStream;
  readonly output: WriteStream;
  readonly colours: boolean;
}

export class Stage {
  private tail: Promise<unknown> = Promise.resolve();
  private unwatch: (() => void) | undefined;

  constructor(private readonly parts: StageParts) {}

  /** True if no key can come any more. */
  get isDeserted(): boolean {
    return this.parts.keyboard.ended.aborted;
  }

  /** The keyboard is ours for as long as `work` takes, except for dialogs. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.unwatch = this.parts.keyboard.watch();
    try {
      return await work();
    } finally {
      // A dialog that is being taken back still has the keyboard.
      await this.tail;
      this.rest();
    }
  }

  /** Puts up a dialog when those before it are over; `undefined` if its signal came first. */
  ask<T>(signal: AbortSignal, run: (dialog: Dialog) => Promise<T>): Promise<T | undefined> {
    const next = this.tail.then(() => (signal.aborted ? undefined : this.open(signal, run)));
    this.tail = next.catch(() => undefined);
    return next;
  }

  private async open<T>(signal: AbortSignal, run: (dialog: Dialog) => Promise<T>): Promise<T | undefined> {
    const { keyboard, screen } = this.parts;
    const [prompts] = await Promise.all([import('@clack/prompts'), keyboard.quiet()]);
    if (signal.aborted || keyboard.ended.aborted) return undefined;
    // Letters move nothing: whoever types words at a question, a no say, must not end up at a yes.
    for (const letter of 'hjkl') prompts.settings.aliases.delete(letter);
    const watched = this.unwatch !== undefined;
    this.rest();
    screen.hold();
    try {
      return await keyboard.lend(signal, (either) => run(new Dialog({ prompts, ...this.surface(), signal: either })));
    } finally {
      screen.release();
      if (watched) this.unwatch = keyboard.watch();
    }
  }

  private surface(): { input: ReadStream; output: WriteStream | ColourlessTerminal; show: (text: string) => void } {
    const { input, output, colours, screen } = this.parts;
    return { input, output: colours ? output : new ColourlessTerminal(output), show: (text) => screen.show(text) };
  }

  private rest(): void {
    this.unwatch?.();
    this.unwatch = undefined;
  }
}
