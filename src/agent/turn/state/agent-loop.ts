/**
 * A core is the loop of an agent. It gets guarded handles only: everything it does with model and tools passes every
 * hook, rule and budget, and a turn that has stopped stays stopped. Its answer is the turn's answer: text that did not
 * come from the model handle passes `postLlmCall` before anybody sees it.
 */

import type { CallResult } from '../../../kernel/guard/calls/call-result.ts';
import type {
  Interaction,
  ListedTool,
  LlmRequest,
  LlmResponse,
  Message,
  Prompt,
  Question,
  RequestedCall,
} from '../../../kernel/hooks/points/payloads.ts';

export interface LoopHandles {
  /** The prompt of the turn, after `preTurn`. */
  readonly prompt: Prompt;
  /** The conversation so far, the prompt included. */
  readonly messages: readonly Message[];
  /** Aborted when the turn is cancelled. */
  readonly signal: AbortSignal;
  readonly sessionId: string;
  readonly turnNumber: number;
  /** Agent names from the root to this one. */
  readonly agent: readonly string[];
  /** The instructions of the agent, if it has any. */
  readonly instructions: string | undefined;
  /** The tools that the model may see. */
  readonly tools: readonly ListedTool[];
  /** Asks the model; its answer is then part of the conversation. Fields that are given replace those of the request. */
  readonly generate: (request?: Partial<Omit<LlmRequest, 'model'>>) => Promise<LlmResponse>;
  /** Runs tool calls, each along the one path of the guard; results come in the order of the calls. */
  readonly call: (calls: readonly RequestedCall[]) => Promise<readonly CallResult[]>;
  /** Puts structured questions to a person. */
  readonly ask: (questions: readonly Question[]) => Promise<Interaction>;
  /** Sends a `custom` event to observers and to readers of the stream. */
  readonly emit: (name: string, data?: unknown) => void;
}

/** Text of the turn, whole or in pieces; nothing means the last answer of the model. */
export type LoopAnswer = string | undefined | void | AsyncIterable<string>;

/** What a core is told when it starts. */
export interface LoopStart {
  /** The name of the agent. */
  readonly agent: string;
  /** The folder of the agent. */
  readonly cwd: string;
}

export interface AgentLoop {
  /** The core type that hooks see. */
  readonly name: string;
  /** Called once, when the agent starts; an error fails the start. */
  start?(start: LoopStart): unknown;
  /** Called once when the agent stops, or when its start fails after `start` was called. */
  stop?(): unknown;
  /** Runs one turn and gives its answer. Pieces of an async iterable are streamed as they come. */
  run(handles: LoopHandles): LoopAnswer | Promise<LoopAnswer>;
  /**
   * Answers again after a hook or a schema did not accept the core's own text. Without it, such text ends the turn:
   * with `rejected`, or with `schema_mismatch`.
   */
  revise?(feedback: string, handles: LoopHandles): LoopAnswer | Promise<LoopAnswer>;
}

/** The built-in loop: ask the model, run the calls it asks for, until it asks for none. */
export const defaultLoop: AgentLoop = Object.freeze({
  name: 'loop',
  async run({ generate, call }: LoopHandles): Promise<void> {
    for (;;) {
      const { toolCalls } = await generate();
      if (toolCalls.length === 0) return;
      await call(toolCalls);
    }
  },
});
