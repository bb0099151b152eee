/** One agent in one session: the root agent or a subagent. */

import type { Mask } from '../../kernel/approval.ts';
import type { Turn, TurnPosition } from '../../kernel/guard/turn.ts';
import type { Guard } from '../../kernel/guard/guard.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Deadlines } from '../../kernel/deadlines.ts';
import type { SessionId } from '../../kernel/ids.ts';
import type { Limits } from '../../kernel/limits.ts';
import type { Prompt, TurnOrigin, TurnOutput } from '../../kernel/hooks/points/payloads.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import type { RunnableTool } from '../../tools/definition/runnable-tool.ts';
import type { SessionUsage } from '../budget/usage.ts';
import type { AgentLoop } from './agent-loop.ts';
import type { CompactionOptions, History } from '../model/history.ts';
import type { ModelCaller } from '../model/model-caller.ts';
import type { LanguageModel } from '../model/model-interface.ts';
import type { Prices } from '../model/providers/prices.ts';
import type { ToolListing, ToolRegistry } from '../model/tool-registry.ts';
import type { TurnLog } from './turn-log.ts';

/** Adds context before a turn and observes the result. A failing memory never stops the turn. */
export interface Memory {
  /** Returns context for the model in this turn. Called after `preTurn`. */
  preTurnContext?(prompt: Prompt, facts: MemoryFacts): string | undefined | Promise<string | undefined>;
  /** Observes the result of the turn. Called before `postTurn`. */
  postTurnObserve?(turn: { readonly input: Prompt; readonly output: TurnOutput }, facts: MemoryFacts): unknown;
}

export interface MemoryFacts {
  readonly session: string;
  readonly turn: number;
  readonly signal: AbortSignal;
}

/** The parts that all sessions of an agent share. */
export interface AgentParts {
  readonly guard: Guard;
  readonly toolRegistry: ToolRegistry;
  readonly loop: AgentLoop;
  readonly memory: Memory | undefined;
  /** The prices of a model, if known. */
  readonly pricesOf: (model: LanguageModel) => Prices | undefined;
  readonly compaction: CompactionOptions;
  readonly maxSteps: number;
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly limits: Limits;
  readonly cwd: string;
  /** Masks secrets in everything that is stored or shown. */
  readonly mask: Mask | undefined;
  /** The built-in tool `start_subagent`, which needs to know its caller. */
  readonly subagentTool: RunnableTool | undefined;
}

export interface OwnParts {
  readonly session: SessionId;
  readonly path: readonly string[];
  readonly instructions: string | undefined;
  readonly settings: JsonObject;
  readonly caller: ModelCaller;
  readonly history: History;
  readonly hides: (tool: ToolDeclaration) => boolean;
  readonly newTurn: (origin: TurnOrigin, resumed?: TurnPosition) => Turn;
  /** Starts a subagent and returns its answer. */
  readonly delegate: (delegation: Delegation) => Promise<string>;
}

/** A task for a subagent, and the turn that starts it. */
export interface Delegation {
  readonly name: string;
  readonly prompt: string;
  readonly turn: Turn;
  readonly signal: AbortSignal;
  /** The log of the subagent's turn, if the calling turn has one. */
  readonly log: TurnLog | undefined;
}

export class AgentInSession {
  constructor(
    readonly parts: AgentParts,
    readonly usage: SessionUsage,
    readonly own: OwnParts,
  ) {}

  /** The tools as this agent's model sees them. Rebuilt after a server has changed its tools. */
  get listing(): ToolListing {
    return this.parts.toolRegistry.listingFor(this.own.hides, this.parts.guard);
  }
}
