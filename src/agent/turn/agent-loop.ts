/**
 * The loop of an agent. It gets guarded handles only: every model call and tool call passes all hooks, rules and
 * budgets, and a stopped turn stays stopped. Its answer is the answer of the turn. Text that did not come from the
 * model passes `postLlmCall` before anyone sees it.
 */

import { type Deadlines, timedOut, withTimeout } from '../../kernel/deadlines.ts';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import type { CallResult } from '../../kernel/guard/calls/call-result.ts';
import type {
  Interaction,
  ListedTool,
  LlmRequest,
  LlmResponse,
  Message,
  Prompt,
  Question,
  RequestedCall,
} from '../../kernel/hooks/points/payloads.ts';

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

/** Calls the model and runs the tool calls it requests, until it requests none. */
export async function runDefaultLoop({ generate, call }: Pick<LoopHandles, 'generate' | 'call'>): Promise<void> {
  for (;;) {
    const { toolCalls } = await generate();
    if (toolCalls.length === 0) return;
    await call(toolCalls);
  }
}

/** The built-in loop. */
export const defaultLoop: AgentLoop = Object.freeze({ name: 'loop', run: runDefaultLoop });

const startTimeoutMs = 60_000;
const stopTimeoutMs = 10_000;

/** Starts a custom loop once with its agent, and stops it once, even if the agent's start fails. */
export class LoopLifecycle {
  private started = false;
  private stopping: Promise<void> | undefined;

  constructor(
    private readonly loop: AgentLoop,
    private readonly deadlines: Deadlines,
  ) {}

  async start(start: LoopStart): Promise<void> {
    // Set before the call: a start that fails halfway may have opened something.
    this.started = true;
    await this.attempt('start', startTimeoutMs, () => this.loop.start?.(start));
  }

  /** Does nothing if the loop was not started. Safe to call twice. */
  stop(): Promise<void> {
    if (!this.started) return Promise.resolve();
    return (this.stopping ??= this.attempt('stop', stopTimeoutMs, () => this.loop.stop?.()));
  }

  private async attempt(what: 'start' | 'stop', ms: number, act: () => unknown): Promise<void> {
    const failed = (problem: string, cause?: unknown): BridleError =>
      new BridleError('LOOP_FAILED', `the loop "${this.loop.name}" did not ${what}: ${problem}`, { cause });
    let result: unknown;
    try {
      result = await withTimeout(Promise.resolve(act()), ms, { deadlines: this.deadlines });
    } catch (error) {
      throw failed(messageOf(error), error);
    }
    if (result === timedOut) throw failed(`it took longer than ${ms} ms`);
  }
}
