/** The state of a turn in progress: its answers, usage and open calls, and why it stopped. */

import { BridleError } from '../../kernel/errors.ts';
import type { Turn, TurnPosition } from '../../kernel/guard/turn.ts';
import type { Media, TurnOrigin, Prompt, RequestedCall, TurnCall, Usage } from '../../kernel/hooks/points/payloads.ts';
import type { JsonValue } from '../../kernel/json.ts';
import type { SchemaCheck } from './structured-output.ts';
import type { AgentInSession } from './agent-in-session.ts';
import type { ReachedBudgetLimit } from '../budget/budget-options.ts';
import type { ModelMessage, ResultPart } from '../model/model-interface.ts';
import { type CheckpointKind, scopeContentsOf, toJsonPrompt, type TurnCheckpoint, type TurnLog } from './turn-log.ts';
import type { StopReason, TurnStop } from './turn-result.ts';
import { addCost, addUsage, noUsage } from '../budget/usage.ts';

export interface TurnRequest {
  readonly prompt: Prompt;
  readonly origin: TurnOrigin;
  readonly schema: SchemaCheck | undefined;
  readonly signal: AbortSignal | undefined;
  /** The log of the turn, if it must survive its process. */
  readonly log?: TurnLog | undefined;
}

interface LoggedCalls {
  /** Calls that were counted and have no result. */
  readonly counted: Set<string>;
  /** Calls with side effects that have started and have no result. */
  readonly started: Set<string>;
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
  /** What only a turn with a log needs to know about its calls. */
  readonly logged: LoggedCalls | undefined;
  /** The tool calls of the last message: their wire names, and their results once they have one. */
  readonly pending = new Map<string, string | ResultPart>();
  /** Media attached by running calls: by call, then by the note that represents them in the result. */
  media: Map<string, Map<string, Media>> | undefined;
  readonly attached = { count: 0, bytes: 0 };
  stopped: TurnStop | undefined;
  /** A failure of the model. No loop can undo it. */
  failure: { readonly error: unknown } | undefined;
  /** True once the start of this turn was saved. */
  checkpointed = false;
  /** True if the loop ended by itself. */
  ended = false;
  readonly reviewsRequests: boolean;
  readonly reviewsAnswers: boolean;
  /**
   * True if text is held back until hooks have passed the complete answer. Hooks that only observe do not hold it back.
   */
  readonly holdsAnswers: boolean;
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
    this.logged = request.log === undefined ? undefined : { counted: new Set(), started: new Set() };
    this.reviewsRequests = turn.hasHooks('preLlmCall');
    this.reviewsAnswers = turn.hasHooks('postLlmCall');
    this.holdsAnswers = this.reviewsAnswers && turn.canAnswer('postLlmCall');
    this.mark = agent.own.history.messages.length;
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
    return this.agent.usage.onCheckpoint?.();
  }

  addUsage(usage: Usage, cost: number | undefined): void {
    this.usage = addUsage(this.usage, usage);
    this.cost = addCost(this.cost, cost);
    this.agent.usage.addUsage(this.agent.own.path, usage, cost);
  }

  get position(): TurnPosition {
    const { number, step } = this.turn;
    return { number, step };
  }

  /** Saves the state of the turn, if it has a log. */
  async log(kind: CheckpointKind, call?: string): Promise<void> {
    await this.request.log?.saveCheckpoint(
      {
        position: this.position,
        checkpoint: () => this.toCheckpoint(),
        takeChanges: () => ({ ...this.agent.own.history.takeChanges(), settled: this.takeSettled() }),
        stop: (reason) => this.stop('waiting', reason),
      },
      kind,
      call,
    );
  }

  /** The calls that have ended since the last call of this method. */
  private takeSettled(): readonly TurnCall[] {
    const calls = this.settled.slice(this.reportedSettled);
    this.reportedSettled = this.settled.length;
    return calls;
  }

  private toCheckpoint(): TurnCheckpoint {
    const { turn, text, thinking, steps, usage, finishReason, misfits, mark, compactedLength, calls, pending } = this;
    const { counted = noCalls, started = noCalls } = this.logged ?? {};
    return {
      place: this.position,
      scope: scopeContentsOf(turn.scope),
      prompt: toJsonPrompt(this.prompt),
      context: this.context ?? null,
      text,
      thinking,
      steps,
      usage,
      cost: this.cost ?? null,
      finishReason,
      data: this.data ?? null,
      problem: this.problem ?? null,
      misfits,
      mark,
      compactedLength,
      calls,
      pending: Array.from(pending, ([id, open]) => [id, typeof open === 'string' ? open : open.toolName] as const),
      results: [...pending].flatMap(([id, open]) => (typeof open === 'string' ? [] : [[id, open] as const])),
      begun: [...started],
      retaken: [...counted].filter((id) => !started.has(id)).length,
      // A waiting turn has not ended, so it is not restored as stopped.
      stopped: this.stopped === undefined || this.stopped.stopReason === 'waiting' ? null : this.stopped,
    };
  }

  /** Restores a turn that another process left. Its conversation is restored with its agent. */
  restore(saved: TurnCheckpoint, settled: readonly TurnCall[]): void {
    for (const [key, value] of Object.entries(saved.scope)) this.turn.scope.set(key, value);
    this.prompt = saved.prompt;
    this.context = saved.context ?? undefined;
    this.text = saved.text;
    this.thinking = saved.thinking;
    this.steps = saved.steps;
    this.usage = saved.usage;
    this.cost = saved.cost ?? undefined;
    this.finishReason = saved.finishReason;
    this.data = saved.data ?? undefined;
    this.problem = saved.problem ?? undefined;
    this.misfits = saved.misfits;
    this.mark = saved.mark;
    this.compactedLength = saved.compactedLength;
    this.calls = saved.calls;
    this.stopped = saved.stopped ?? undefined;
    for (const [id, name] of saved.pending) this.pending.set(id, name);
    for (const [id, part] of saved.results) this.pending.set(id, part);
    for (const id of saved.begun) this.logged?.started.add(id);
    this.settled.push(...settled);
    this.reportedSettled = this.settled.length;
  }
}

const noCalls: ReadonlySet<string> = new Set();
