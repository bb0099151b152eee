/**
 * Triggers send prompts when something happens. They stop with the agent, and one that fails does not affect the
 * others.
 */

import { type FSWatcher, statSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import type { PromptInput } from '../turn/prompt-input.ts';

export interface TriggerHandles {
  /** Sends a prompt. It runs as its own turn, after the turns that are already queued. */
  readonly send: (prompt: PromptInput) => Promise<void>;
  /** Reports a failure as a `trigger_failed` event. The trigger keeps running. */
  readonly fail: (error: unknown) => void;
  /** Aborted when the agent stops. */
  readonly signal: AbortSignal;
}

export interface Trigger {
  readonly name: string;
  /** Starts the trigger. The returned function stops it. */
  start(handles: TriggerHandles): (() => void) | void | Promise<(() => void) | void>;
}

type TriggerPrompt = PromptInput | (() => PromptInput | undefined);

/** The longest interval of `setInterval`. A longer one fires immediately and continuously. */
const maxTimerMs = 2 ** 31 - 1;

/** Sends the prompt every `ms` milliseconds, unless the previous one is still queued or running. */
export function every(ms: number, prompt: TriggerPrompt, name = `every ${ms} ms`): Trigger {
  if (!Number.isFinite(ms) || ms < 1 || ms > maxTimerMs) {
    throw new BridleError('OPTION_INVALID', `every: "ms" must be a number from 1 to ${maxTimerMs}`);
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

/** Sends the prompt when a file, or a file in a folder, changes. Changes within 100 ms send one prompt. */
export function onFileChange(path: string, prompt: (changed: string) => PromptInput | undefined): Trigger {
  return {
    name: `file change ${path}`,
    start(handles) {
      const sendPrompt = createPromptSender(handles);
      let debounce: NodeJS.Timeout | undefined;
      // Editors often replace a file instead of writing to it. Only a watcher on the folder sees that.
      const watchedFile = statSync(path).isDirectory() ? undefined : basename(path);
      const options = { signal: handles.signal, persistent: false };
      const watcher: FSWatcher = watch(watchedFile === undefined ? path : dirname(path), options, (_event, file) => {
        if (watchedFile !== undefined && file !== null && file !== watchedFile) return;
        // Ignores changes made by this trigger's own turn.
        if (sendPrompt.isBusy()) return;
        clearTimeout(debounce);
        debounce = setTimeout(() => sendPrompt(() => prompt(file ?? path)), debounceMs);
      });
      // Deleting the watched folder stops this trigger only.
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
  /** True while a prompt of this trigger is queued or running. */
  isBusy(): boolean;
}

/** Sends one prompt at a time: what happens meanwhile is dropped. */
function createPromptSender({ send, fail }: TriggerHandles): PromptSender {
  let waiting = false;
  const sendNow = async (prompt: TriggerPrompt): Promise<void> => {
    waiting = true;
    try {
      const input = typeof prompt === 'function' ? prompt() : prompt;
      if (input !== undefined) await send(input);
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

/** The triggers of a started agent. */
export class RunningTriggers {
  private readonly controller = new AbortController();
  private readonly stops: (() => void)[] = [];

  constructor(private readonly callbacks: TriggerCallbacks) {}

  /** Starts all triggers without waiting, so a trigger that hangs cannot block the start or stop of the agent. */
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
