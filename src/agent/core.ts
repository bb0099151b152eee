/**
 * A core is the loop of an agent. It gets guarded handles only: whatever it does with model and tools passes every hook,
 * rule and budget, and a turn that has stopped stays stopped.
 */

import type { CallResult } from '../guard/result.ts';
import type {
  Interaction,
  LlmRequest,
  LlmResponse,
  Message,
  Prompt,
  Question,
  RequestedCall,
} from '../hooks/payloads.ts';

export interface CoreHandles {
  /** What the turn is about, after `preTurn`. */
  readonly prompt: Prompt;
  /** The conversation so far, the prompt included. */
  readonly messages: readonly Message[];
  readonly signal: AbortSignal;
  /** Asks the model; the answer is part of the conversation afterwards. Anything given replaces what would be sent. */
  readonly generate: (request?: Partial<LlmRequest>) => Promise<LlmResponse>;
  /** Runs tool calls, each along the one path of the guard; results come in the order of the calls. */
  readonly call: (calls: readonly RequestedCall[]) => Promise<readonly CallResult[]>;
  /** Puts structured questions to a person. */
  readonly ask: (questions: readonly Question[]) => Promise<Interaction>;
}

export interface Core {
  /** The core type hooks see. */
  readonly name: string;
  /** Runs one turn. What it returns is the text of the turn; nothing means the last answer of the model. */
  run(handles: CoreHandles): Promise<string | undefined | void>;
}

/** The loop of an agent: ask the model, run what it asks for, until it asks for nothing more. */
export const loop: Core = Object.freeze({
  name: 'loop',
  async run({ generate, call }: CoreHandles): Promise<void> {
    for (;;) {
      const { toolCalls } = await generate();
      if (toolCalls.length === 0) return;
      await call(toolCalls);
    }
  },
});
