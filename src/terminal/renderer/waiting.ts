/** The live lines of a turn: a spinner with the elapsed time, running calls, and the answer that is being written. */

import type { LiveLine, Screen } from '../output/screen.ts';
import { secondsText } from './call-view.ts';

const frames = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';
const tickMs = 100;

export interface WaitingParts {
  readonly screen: Screen;
  /** The running calls, each with a spinner. */
  readonly calls: (spinner: string) => readonly LiveLine[];
  /** When the oldest running call started; undefined if nothing runs. */
  readonly runningSince: () => number | undefined;
  /** The part of the answer that is not complete yet. */
  readonly preview: () => readonly LiveLine[];
}

export class Waiting {
  private timer: NodeJS.Timeout | undefined;
  private startedAt = 0;
  private tick = 0;

  constructor(private readonly parts: WaitingParts) {}

  start(): void {
    if (this.timer !== undefined) return;
    this.startedAt = performance.now();
    this.tick = 0;
    this.timer = setInterval(() => this.draw(), tickMs);
    // A spinner must not keep the process alive.
    this.timer.unref();
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    this.parts.screen.showLive([]);
  }

  /** Draws again if a turn is running, for example because text has arrived. */
  refresh(): void {
    if (this.timer !== undefined && this.tick > 0) this.draw();
  }

  private draw(): void {
    this.tick++;
    const spinner = frames.charAt(this.tick % frames.length);
    const preview = this.parts.preview();
    const since = this.parts.runningSince();
    const elapsed = secondsText(performance.now() - (since ?? this.startedAt));
    const verb = preview.length > 0 ? 'Writing' : 'Thinking';
    const status = since === undefined ? `${spinner} ${verb}… ${elapsed}` : `  ${elapsed}`;
    const last: LiveLine = { text: `${status} · Ctrl-C to cancel`, tone: 'dim' };
    this.parts.screen.showLive([...preview, ...this.parts.calls(spinner), last]);
  }
}
