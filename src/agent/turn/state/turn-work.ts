/** One turn at work: what it has said, used and left open so far, and why it stopped. */

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
import type { ExceededLimit } from '../../budget/budget.ts';
import type { ModelMessage, ResultPart } from '../../model/model-messages.ts';
import type { TurnLog } from './turn-log.ts';
import type { StopReason, TurnStop } from './turn-result.ts';
import { addUsage, noUsage } from '../../model/usage.ts';

export interface TurnRequest {
  readonly prompt: Prompt;
  readonly origin: TurnOrigin;
  readonly schema: SchemaCheck | undefined;
  readonly signal: AbortSignal | undefined;
  /** Where the turn notes how far it got, if it must outlive its process. */
  readonly log?: TurnLog | undefined;
}

export class TurnWork {
  /** What the turn is about; after `preTurn`, what hooks made of it. */
  prompt: Prompt;
  /** Context for this turn alone. */
  context: ModelMessage | undefined;
  text = '';
  thinking = '';
  /** How many answers of the model were kept. */
  steps = 0;
  /** The texts of these answers, after the hooks: text that a custom core gives is the model's only if it is here. */
  readonly answers: string[] = [];
  usage = noUsage;
  cost: number | undefined = 0;
  finishReason = 'stop';
  data: JsonValue | undefined;
  problem: string | undefined;
  /** How often the `finish` tool was given what does not fit. */
  misfits = 0;
  /** The tool calls of the last answer. */
  calls: readonly RequestedCall[] = [];
  /** The tool calls that have ended, in this order. */
  readonly settled: TurnCall[] = [];
  private reportedSettled = 0;
  /** Those that were counted and have no result. */
  readonly countedCalls = new Set<string>();
  /** Those with side effects that have begun and have no result. */
  readonly startedCalls = new Set<string>();
  /** Tool calls in the history that have no result there yet, with their wire names. */
  readonly pending = new Map<string, string>();
  /** Results of pending calls, until there is one for each. */
  readonly results = new Map<string, ResultPart>();
  /** Media that calls on their way have attached: of each call, by the note that stands for them. */
  readonly media = new Map<string, Map<string, Media>>();
  readonly attached = { count: 0, bytes: 0 };
  stopped: TurnStop | undefined;
  /** A failure of the model, which no core can undo. */
  failure: { readonly error: unknown } | undefined;
  /** True once the store knows that this turn has begun to act. */
  checkpointed = false;
  /** True when the core was done by itself. */
  ended = false;
  /** Where the history ended before this turn. */
  mark: number;
  /** How long the history was after it was last made shorter. */
  compactedLength = 0;

  constructor(
    readonly agent: AgentInSession,
    readonly turn: Turn,
    readonly request: TurnRequest,
  ) {
    this.prompt = request.prompt;
    this.mark = agent.own.history.length;
  }

  /** The calls that have ended since this was last asked. */
  takeSettled(): readonly TurnCall[] {
    const calls = this.settled.slice(this.reportedSettled);
    this.reportedSettled = this.settled.length;
    return calls;
  }

  /** The calls that had ended when another process kept this turn. */
  restoreSettled(calls: readonly TurnCall[]): void {
    this.settled.push(...calls);
    this.reportedSettled = this.settled.length;
  }

  /** Ends the turn here. Thrown through the core; a core that catches it can do nothing more all the same. */
  stop(stopReason: StopReason, text: string): never {
    this.stopped ??= { stopReason, text };
    throw new BridleError('TURN_STOPPED', `the turn has stopped (${this.stopped.stopReason}): ${this.stopped.text}`);
  }

  stopForLimit({ limit, used, of }: ExceededLimit): never {
    this.turn.emit(() => ({ type: 'budget_exceeded', limit, used, of }));
    return this.stop(`budget:${limit}`, `The budget is used up: ${limit} is ${of}, and ${used} are used.`);
  }

  /** Nothing more happens in a turn that has stopped or was cancelled. */
  checkOpen(): void {
    if (this.stopped !== undefined) this.stop(this.stopped.stopReason, this.stopped.text);
    if (this.turn.isCancelled) this.stop('cancelled', 'The turn was cancelled.');
    if (this.failure !== undefined) throw this.failure.error;
  }

  /** Keeps what was counted so far, and that this turn has begun to act; undefined where it is kept nowhere. */
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
