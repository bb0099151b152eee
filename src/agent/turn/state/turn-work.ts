/** The state of a turn in progress: its answers, usage and open calls, and why it stopped. */

import { BridleError } from '../../../kernel/errors.ts';
import type { Turn } from '../../../kernel/guard/turn.ts';
import type {
  Media,
  TurnOrigin,
  Prompt,
  RequestedCall,
  TurnCall,
  Usage,
} from '../../../kernel/hooks/points/payloads.ts';
import type { JsonValue } from '../../../kernel/json.ts';
import type { SchemaCheck } from './structured-output.ts';
import type { AgentInSession } from './agent-in-session.ts';
import type { ReachedBudgetLimit } from '../../budget/budget-options.ts';
import type { ModelMessage, ResultPart } from '../../model/model-messages.ts';
import type { TurnLog } from './turn-log.ts';
import type { StopReason, TurnStop } from './turn-result.ts';
import { addUsage, noUsage } from '../../model/usage.ts';

export interface TurnRequest {
  readonly prompt: Prompt;
  readonly origin: TurnOrigin;
  readonly schema: SchemaCheck | undefined;
  readonly signal: AbortSignal | undefined;
  /** The log of the turn, if it must survive its process. */
  readonly log?: TurnLog | undefined;
}

export class TurnWork {
  /** The prompt; after `preTurn`, as hooks have changed it. */
  prompt: Prompt;
  /** Context from memory, for this turn only. */
  context: ModelMessage | undefined;
  text = '';
  thinking = '';
  /** How many answers of the model were accepted. */
  steps = 0;
  /**
   * The texts of these answers after the hooks. Text from a custom loop counts as the model's only if it is one of
   * them.
   */
  readonly answers: string[] = [];
  usage = noUsage;
  cost: number | undefined = 0;
  finishReason = 'stop';
  data: JsonValue | undefined;
  problem: string | undefined;
  /** How often the `finish` tool got a result that does not match the schema. */
  misfits = 0;
  /** The tool calls of the last answer. */
  calls: readonly RequestedCall[] = [];
  /** The tool calls that have ended, in the order in which they ended. */
  readonly settled: TurnCall[] = [];
  private reportedSettled = 0;
  /** Calls that were counted and have no result. */
  readonly countedCalls = new Set<string>();
  /** Calls with side effects that have started and have no result. */
  readonly startedCalls = new Set<string>();
  /** Tool calls in the history that have no result yet, with their wire names. */
  readonly pending = new Map<string, string>();
  /** Results of pending calls, until every call has one. */
  readonly results = new Map<string, ResultPart>();
  /** Media attached by running calls: by call, then by the note that represents them in the result. */
  readonly media = new Map<string, Map<string, Media>>();
  readonly attached = { count: 0, bytes: 0 };
  stopped: TurnStop | undefined;
  /** A failure of the model. No loop can undo it. */
  failure: { readonly error: unknown } | undefined;
  /** True once the start of this turn was saved. */
  checkpointed = false;
  /** True if the loop ended by itself. */
  ended = false;
  /** The length of the history before this turn. */
  mark: number;
  /** The length of the history after the last compaction. */
  compactedLength = 0;

  constructor(
    readonly agent: AgentInSession,
    readonly turn: Turn,
    readonly request: TurnRequest,
  ) {
    this.prompt = request.prompt;
    this.mark = agent.own.history.length;
  }

  /** The calls that have ended since the last call of this method. */
  takeSettled(): readonly TurnCall[] {
    const calls = this.settled.slice(this.reportedSettled);
    this.reportedSettled = this.settled.length;
    return calls;
  }

  /** Restores the calls that had ended in another process. */
  restoreSettled(calls: readonly TurnCall[]): void {
    this.settled.push(...calls);
    this.reportedSettled = this.settled.length;
  }

  /** Stops the turn by throwing through the loop. A loop that catches the error still cannot do anything more. */
  stop(stopReason: StopReason, text: string): never {
    this.stopped ??= { stopReason, text };
    throw new BridleError('TURN_STOPPED', `the turn has stopped (${this.stopped.stopReason}): ${this.stopped.text}`);
  }

  stopForLimit({ limit, used, of }: ReachedBudgetLimit): never {
    this.turn.emit(() => ({ type: 'budget_exceeded', limit, used, of }));
    return this.stop(
      `budget:${limit}`,
      `Stopped because the budget is used up: the limit ${limit} is ${of}, and ${used} were used.`,
    );
  }

  /** Throws if the turn has stopped, was cancelled, or its model failed. */
  checkOpen(): void {
    if (this.stopped !== undefined) this.stop(this.stopped.stopReason, this.stopped.text);
    if (this.turn.isCancelled) this.stop('cancelled', 'The turn was cancelled.');
    if (this.failure !== undefined) throw this.failure.error;
  }

  /** Saves the counts and that this turn has started. Undefined if the session is not saved. */
  checkpoint(): Promise<void> | undefined {
    this.checkpointed = true;
    return this.agent.tracker.checkpoint();
  }

  addUsage(usage: Usage, cost: number | undefined): void {
    this.usage = addUsage(this.usage, usage);
    this.cost = cost === undefined || this.cost === undefined ? undefined : this.cost + cost;
    this.agent.tracker.addUsage(this.agent.own.path, usage, cost);
  }
}
