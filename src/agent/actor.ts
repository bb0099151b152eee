/** One agent at work in one session: the root, or a subagent. What they share belongs to the session. */

import type { Mask } from '../approval.ts';
import type { Turn, TurnPlace } from '../guard/turn.ts';
import type { Guard } from '../guard/guard.ts';
import type { Clock } from '../clock.ts';
import type { SessionId } from '../ids.ts';
import type { Limits } from '../limits.ts';
import type { Origin, Usage } from '../hooks/payloads.ts';
import type { JsonObject } from '../json.ts';
import type { ToolDeclaration } from '../tool.ts';
import type { RunnableTool } from '../tools/runnable-tool.ts';
import type { BudgetKeeper } from './budget-keeper.ts';
import type { CompactionOptions } from './compaction-options.ts';
import type { Core } from './core.ts';
import type { History } from './history.ts';
import type { Memory } from './memory.ts';
import type { ModelCaller } from './model-caller.ts';
import type { LanguageModel } from './models/language-model.ts';
import type { Prices } from './models/prices.ts';
import type { Listing, ToolKit } from './tool-kit.ts';
import type { TurnLog } from './turn-log.ts';

/** What all sessions of an agent share. */
export interface AgentParts {
  readonly guard: Guard;
  readonly kit: ToolKit;
  readonly core: Core;
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
export interface Ledger {
  readonly budget: BudgetKeeper;
  /** Keeps what was counted before something happens that must not be forgotten. */
  checkpoint(): Promise<void> | undefined;
  addUsage(agent: readonly string[], usage: Usage, cost: number | undefined): void;
}

export interface ActorFacts {
  readonly session: SessionId;
  readonly path: readonly string[];
  readonly instructions: string | undefined;
  readonly settings: JsonObject;
  readonly caller: ModelCaller;
  readonly history: History;
  readonly hides: (tool: ToolDeclaration) => boolean;
  readonly newTurn: (origin: Origin, resumed?: TurnPlace) => Turn;
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

export class Actor {
  constructor(
    readonly parts: AgentParts,
    readonly ledger: Ledger,
    readonly facts: ActorFacts,
  ) {}

  /** The tools as this agent's model sees them; made anew when a server has changed its list. */
  get listing(): Listing {
    const { kit, guard } = this.parts;
    return kit.listFor(this.facts.hides, () => guard.tools);
  }
}
