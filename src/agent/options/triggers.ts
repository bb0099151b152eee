/** Triggers send prompts when something happens. They can do nothing else, stop with the agent, and fail alone. */

import { type FSWatcher, statSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import type { PromptInput } from '../turn/state/prompt-input.ts';

export interface TriggerHandles {
  /** Sends a prompt: a turn of its own, after those that wait already. */
  readonly send: (prompt: PromptInput) => Promise<void>;
  /** Tells of something that went wrong; a `trigger_failed` event is all that comes of it. */
  readonly fail: (error: unknown) => void;
  /** Aborted when the agent stops. */
  readonly signal: AbortSignal;
}

export interface Trigger {
  readonly name: string;
  /** Begins to watch; the returned function ends it. */
  start(handles: TriggerHandles): (() => void) | void | Promise<(() => void) | void>;
}

type TriggerPrompt = PromptInput | (() => PromptInput | undefined);

/** A timer of more than that fires at once, again and again. */
const maxTimerMs = 2 ** 31 - 1;

/** Sends the prompt every `ms` milliseconds. A prompt that is still waiting is not sent twice. */
export function every(ms: number, prompt: TriggerPrompt, name = `every ${ms} ms`): Trigger {
  if (!Number.isFinite(ms) || ms < 1 || ms > maxTimerMs) {
    throw new BridleError('OPTION_INVALID', `every: ms is not a number from 1 to ${maxTimerMs}`);
  }
  return {
    name,
    start(handles) {
      const sendPrompt = createPromptSender(handles);
      const timer = setInterval(() => sendPrompt(prompt), ms);
      return () => clearInterval(timer);
    },
  };
}

const debounceMs = 100;

/** Sends the prompt when a file, or something in a folder, changes; several changes at once are one. */
export function onFileChange(path: string, prompt: (changed: string) => PromptInput | undefined): Trigger {
  return {
    name: `file change ${path}`,
    start(handles) {
      const sendPrompt = createPromptSender(handles);
      let debounce: NodeJS.Timeout | undefined;
      // A file is often replaced by another of its name, which only its folder sees.
      const only = statSync(path).isDirectory() ? undefined : basename(path);
      const options = { signal: handles.signal, persistent: false };
      const watcher: FSWatcher = watch(only === undefined ? path : dirname(path), options, (_event, file) => {
        if (only !== undefined && file !== null && file !== only) return;
        // What its own turn has written is no news.
        if (sendPrompt.isBusy()) return;
        clearTimeout(debounce);
        debounce = setTimeout(() => sendPrompt(() => prompt(file ?? path)), debounceMs);
      });
      // A folder that goes away while it is watched ends the watching, nothing else.
      watcher.on('error', (error) => {
        watcher.close();
        handles.fail(error);
      });
      return () => {
        clearTimeout(debounce);
        watcher.close();
      };
    },
  };
}

interface PromptSender {
  (prompt: TriggerPrompt): void;
  /** True while a prompt of this trigger waits or runs. */
  isBusy(): boolean;
}

/** What happens while a prompt of this trigger waits is covered by it. */
function createPromptSender({ send, fail }: TriggerHandles): PromptSender {
  let waiting = false;
  const sendNow = async (prompt: TriggerPrompt): Promise<void> => {
    waiting = true;
    try {
      const wanted = typeof prompt === 'function' ? prompt() : prompt;
      if (wanted !== undefined) await send(wanted);
    } catch (error) {
      fail(error);
    } finally {
      waiting = false;
    }
  };
  const sendPrompt = (prompt: TriggerPrompt): void => {
    if (!waiting) void sendNow(prompt);
  };
  return Object.assign(sendPrompt, { isBusy: () => waiting });
}

export interface TriggerCallbacks {
  readonly fired: (trigger: string) => void;
  readonly failed: (trigger: string, message: string) => void;
  readonly send: (prompt: PromptInput) => Promise<unknown>;
}

/** All triggers of an agent while it runs. */
export class RunningTriggers {
  private readonly controller = new AbortController();
  private readonly stops: (() => void)[] = [];

  constructor(private readonly callbacks: TriggerCallbacks) {}

  /** Begins all of them and waits for none: one that never gets ready keeps nobody from starting or stopping. */
  start(triggers: readonly Trigger[]): void {
    for (const trigger of triggers) void this.startOne(trigger);
  }

  stop(): void {
    this.controller.abort();
    for (const stop of this.stops.splice(0)) stop();
  }

  private async startOne(trigger: Trigger): Promise<void> {
    const { name } = trigger;
    const { signal } = this.controller;
    try {
      const stop = await trigger.start({
        send: (prompt) => this.send(name, prompt),
        fail: (error) => this.callbacks.failed(name, messageOf(error)),
        signal,
      });
      if (typeof stop !== 'function') return;
      if (signal.aborted) await this.stopSafely(name, stop);
      else this.stops.push(() => void this.stopSafely(name, stop));
    } catch (error) {
      this.callbacks.failed(name, messageOf(error));
    }
  }

  private async send(trigger: string, prompt: PromptInput): Promise<void> {
    if (this.controller.signal.aborted) return;
    this.callbacks.fired(trigger);
    try {
      await this.callbacks.send(prompt);
    } catch (error) {
      this.callbacks.failed(trigger, messageOf(error));
    }
  }

  private async stopSafely(trigger: string, stop: () => unknown): Promise<void> {
    try {
      await stop();
    } catch (error) {
      this.callbacks.failed(trigger, messageOf(error));
    }
  }
}
