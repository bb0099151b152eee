/** Shows a conversation as JSON lines: every event, and a `result` after each turn, or after everything. */

import type { Writable } from 'node:stream';
import { BridleError, messageOf } from '../errors.ts';
import type { BridleEvent } from '../hooks/events.ts';
import type { Renderer, TurnOutcome } from './renderer.ts';
import { safeJson } from './visible-text.ts';

export interface JsonOutputs {
  readonly lines: Writable;
  readonly notes: Writable;
  /** There is one turn, and its result is the last line of all. */
  readonly resultLast: boolean;
}

export class JsonRenderer implements Renderer {
  private held: object | undefined;

  constructor(private readonly outputs: JsonOutputs) {}

  event(event: BridleEvent): void {
    this.put(event);
  }

  outcome(outcome: TurnOutcome): void {
    const result = resultLine(outcome);
    if (this.outputs.resultLast) this.held = result;
    else this.put(result);
  }

  finish(): void {
    if (this.held !== undefined) this.put(this.held);
    this.held = undefined;
  }

  say(text: string): void {
    this.put({ type: 'said', text });
  }

  note(text: string): void {
    this.outputs.notes.write(`${text}\n`);
  }

  private put(value: object): void {
    this.outputs.lines.write(`${safeJson(value)}\n`);
  }
}

function resultLine(outcome: TurnOutcome): object {
  if (outcome.type === 'result') return { type: 'result', ...outcome.result };
  const { error } = outcome;
  const code = error instanceof BridleError ? error.code : undefined;
  return { type: 'result', stopReason: 'error', error: messageOf(error), code };
}
