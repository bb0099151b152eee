/** Triggers send prompts when something happens. They can do nothing else, stop with the agent, and fail alone. */

import { type FSWatcher, watch } from 'node:fs';
import { BridleError, messageOf } from '../errors.ts';
import type { PromptInput } from './prompt-input.ts';

export interface TriggerHandles {
  /** Sends a prompt: a turn of its own, after those that wait already. */
  readonly send: (prompt: PromptInput) => Promise<void>;
  /** Aborted when the agent stops. */
  readonly signal: AbortSignal;
}

export interface Trigger {
  readonly name: string;
  /** Begins to watch; the returned function ends it. */
  start(handles: TriggerHandles): (() => void) | void | Promise<(() => void) | void>;
}

type Prompted = PromptInput | (() => PromptInput | undefined);

/** Sends the prompt every `ms` milliseconds. A prompt that is still waiting is not sent twice. */
export function every(ms: number, prompt: Prompted, name = `every ${ms} ms`): Trigger {
  if (!Number.isFinite(ms) || ms < 1) throw new BridleError('OPTION_INVALID', 'every: ms is not a number from 1 up');
  return {
    name,
    start({ send }) {
      const once = oneAtATime(send);
      const timer = setInterval(() => once(prompt), ms);
      return () => clearInterval(timer);
    },
  };
}

const quietMs = 100;

/** Sends the prompt when a file, or something in a folder, changes; several changes at once are one. */
export function onFileChange(path: string, prompt: (changed: string) => PromptInput | undefined): Trigger {
  return {
    name: `file change ${path}`,
    start({ send, signal }) {
      const once = oneAtATime(send);
      let quiet: NodeJS.Timeout | undefined;
      const watcher: FSWatcher = watch(path, { signal, persistent: false }, (_event, file) => {
        clearTimeout(quiet);
        quiet = setTimeout(() => once(() => prompt(file ?? path)), quietMs);
      });
      // A folder that goes away while it is watched ends the watching, nothing else.
      watcher.on('error', () => watcher.close());
      return () => {
        clearTimeout(quiet);
        watcher.close();
      };
    },
  };
}

/** What happens while a prompt of this trigger waits is covered by it. */
function oneAtATime(send: TriggerHandles['send']): (prompt: Prompted) => void {
  let waiting = false;
  return (prompt) => {
    if (waiting) return;
    const wanted = typeof prompt === 'function' ? prompt() : prompt;
    if (wanted === undefined) return;
    waiting = true;
    const done = (): void => {
      waiting = false;
    };
    send(wanted).then(done, done);
  };
}

export interface TriggerReports {
  readonly fired: (trigger: string) => void;
  readonly failed: (trigger: string, message: string) => void;
  readonly send: (prompt: PromptInput) => Promise<unknown>;
}

/** All triggers of an agent while it runs. */
export class RunningTriggers {
  private readonly controller = new AbortController();
  private readonly stops: (() => void)[] = [];

  constructor(private readonly reports: TriggerReports) {}

  async start(triggers: readonly Trigger[]): Promise<void> {
    for (const trigger of triggers) {
      try {
        const stop = await trigger.start({
          send: (prompt) => this.send(trigger.name, prompt),
          signal: this.controller.signal,
        });
        if (typeof stop === 'function') this.stops.push(() => this.alone(trigger.name, stop));
      } catch (error) {
        this.reports.failed(trigger.name, messageOf(error));
      }
    }
  }

  stop(): void {
    this.controller.abort();
    for (const stop of this.stops.splice(0)) stop();
  }

  private async send(trigger: string, prompt: PromptInput): Promise<void> {
    if (this.controller.signal.aborted) return;
    this.reports.fired(trigger);
    try {
      await this.reports.send(prompt);
    } catch (error) {
      this.reports.failed(trigger, messageOf(error));
    }
  }

  private alone(trigger: string, stop: () => void): void {
    try {
      stop();
    } catch (error) {
      this.reports.failed(trigger, messageOf(error));
    }
  }
}
