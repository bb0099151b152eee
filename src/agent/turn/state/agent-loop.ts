/**
 * The loop of an agent. It gets guarded handles only: every model call and tool call passes all hooks, rules and
 * budgets, and a stopped turn stays stopped. Its answer is the answer of the turn. Text that did not come from the
 * model passes `postLlmCall` before anyone sees it.
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
  /** The agent's instructions, if it has any. */
  readonly instructions: string | undefined;
  /** The tools that the model can see. */
  readonly tools: readonly ListedTool[];
  /** Calls the model and adds its answer to the conversation. Fields of `request` override the default request. */
  readonly generate: (request?: Partial<Omit<LlmRequest, 'model'>>) => Promise<LlmResponse>;
  /** Runs tool calls through the guard. Results are in the order of the calls. */
  readonly call: (calls: readonly RequestedCall[]) => Promise<readonly CallResult[]>;
  /** Asks a person structured questions. */
  readonly ask: (questions: readonly Question[]) => Promise<Interaction>;
  /** Sends a `custom` event to observers and to readers of the stream. */
  readonly emit: (name: string, data?: unknown) => void;
}

/** The text of the turn, complete or in pieces. Undefined means the last answer of the model. */
export type LoopAnswer = string | undefined | void | AsyncIterable<string>;

/** The argument of a loop's `start` method. */
export interface LoopStart {
  /** The name of the agent. */
  readonly agent: string;
  /** The agent's working folder. */
  readonly cwd: string;
}

export interface AgentLoop {
  /** The name of the loop, which hooks see in their context. */
  readonly name: string;
  /** Called once when the agent starts. An error fails the start. */
  start?(start: LoopStart): unknown;
  /** Called once when the agent stops, or when its start fails after `start` was called. */
  stop?(): unknown;
  /** Runs one turn and returns its answer. The pieces of an async iterable are streamed as they arrive. */
  run(handles: LoopHandles): LoopAnswer | Promise<LoopAnswer>;
  /**
   * Called if a hook or the schema rejected the loop's own text; returns another answer. Without this method, the turn
   * ends with `rejected` or `schema_mismatch`.
   */
  revise?(feedback: string, handles: LoopHandles): LoopAnswer | Promise<LoopAnswer>;
}

/** The built-in loop: calls the model and runs the tool calls it requests, until it requests none. */
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
