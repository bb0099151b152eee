/** One agent at work in one session: the root, or a subagent. What they share belongs to the session. */

import type { Mask } from '../../../kernel/approval.ts';
import type { Turn, TurnPosition } from '../../../kernel/guard/turn.ts';
import type { Guard } from '../../../kernel/guard/guard.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { SessionId } from '../../../kernel/ids.ts';
import type { Limits } from '../../../kernel/limits.ts';
import type { TurnOrigin, Usage } from '../../../kernel/hooks/points/payloads.ts';
import type { JsonObject } from '../../../kernel/json.ts';
import type { ToolDeclaration } from '../../../kernel/tool.ts';
import type { RunnableTool } from '../../../tools/definition/runnable-tool.ts';
import type { SessionBudget } from '../../budget/session-budget.ts';
import type { CompactionOptions } from './compaction-options.ts';
import type { AgentLoop } from './agent-loop.ts';
import type { History } from '../../model/history.ts';
import type { Memory } from './memory.ts';
import type { ModelCaller } from '../../model/model-caller.ts';
import type { LanguageModel } from '../../model/providers/language-model.ts';
import type { Prices } from '../../model/providers/prices.ts';
import type { ToolListing, ToolRegistry } from '../../model/tool-registry.ts';
import type { TurnLog } from './turn-log.ts';

/** What all sessions of an agent share. */
export interface AgentParts {
  readonly guard: Guard;
  readonly toolRegistry: ToolRegistry;
  readonly loop: AgentLoop;
  readonly memory: Memory | undefined;
  /** The prices of a model, where they are known. */
  readonly pricesOf: (model: LanguageModel) => Prices | undefined;
  readonly compaction: CompactionOptions;
  readonly maxSteps: number;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly cwd: string;
  /** Masks secrets in everything that is kept or shown. */
  readonly mask: Mask | undefined;
  /** The built-in `start_subagent`, which needs to know who calls it. */
  readonly subagentTool: RunnableTool | undefined;
}

/** What a session counts, for all agents in it. */
export interface UsageTracker {
  readonly budget: SessionBudget;
  /** Keeps what was counted before something happens that must not be forgotten. */
  checkpoint(): Promise<void> | undefined;
  addUsage(agent: readonly string[], usage: Usage, cost: number | undefined): void;
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
  /** Starts a subagent and gives what it says. */
  readonly delegate: (order: Delegation) => Promise<string>;
}

/** A task for a subagent, and the turn that gives it. */
export interface Delegation {
  readonly name: string;
  readonly prompt: string;
  readonly turn: Turn;
  readonly signal: AbortSignal;
  /** The log of its turn, where the turn that gives the task has one. */
  readonly log: TurnLog | undefined;
}

export class AgentInSession {
  constructor(
    readonly parts: AgentParts,
    readonly tracker: UsageTracker,
    readonly own: OwnParts,
  ) {}

  /** The tools as this agent's model sees them; made anew when a server has changed its list. */
  get listing(): ToolListing {
    const { toolRegistry: kit, guard } = this.parts;
    return kit.listingFor(this.own.hides, () => guard.tools);
  }
}
