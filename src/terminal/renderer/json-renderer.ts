/** Shows a chat as JSON lines: every event, and a `result` after each turn or at the end. */

import type { Writable } from 'node:stream';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import type { BridleEvent } from '../../kernel/hooks/points/events.ts';
import type { Renderer, TurnOutcome } from './renderer.ts';
import { safeJson } from '../output/safe-text.ts';

export interface JsonOutputs {
  readonly lines: Writable;
  readonly notes: Writable;
  /** True for a single turn: its result is the last line. */
  readonly resultLast: boolean;
}

export class JsonRenderer implements Renderer {
  private heldResult: object | undefined;

  constructor(private readonly outputs: JsonOutputs) {}

  showEvent(event: BridleEvent): void {
    this.writeLine(event);
  }

  showOutcome(outcome: TurnOutcome): void {
    const result = resultLine(outcome);
    if (this.outputs.resultLast) this.heldResult = result;
    else this.writeLine(result);
  }

  finish(): void {
    if (this.heldResult !== undefined) this.writeLine(this.heldResult);
    this.heldResult = undefined;
  }

  showReply(text: string): void {
    this.writeLine({ type: 'said', text });
  }

  showNote(text: string): void {
    this.outputs.notes.write(`${text}\n`);
  }

  private writeLine(value: object): void {
    this.outputs.lines.write(`${safeJson(value)}\n`);
  }
}

function resultLine(outcome: TurnOutcome): object {
  if (outcome.type === 'result') return { type: 'result', ...outcome.result };
  const { error } = outcome;
  const code = error instanceof BridleError ? error.code : undefined;
  return { type: 'result', stopReason: 'error', error: messageOf(error), code };
}
