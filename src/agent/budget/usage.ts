/** Token usage and cost: of one answer, and of a session by agent. */

import type { Usage } from '../../kernel/hooks/points/payloads.ts';
import type { SessionBudget } from './session-budget.ts';

export const noUsage: Usage = Object.freeze({
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  cacheCreationTokens: 0,
});

export function addUsage(a: Usage, b: Usage): Usage {
  return Object.freeze({
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
    cacheCreationTokens: a.cacheCreationTokens + b.cacheCreationTokens,
  });
}

/** The sum of two costs; undefined if one of them is unknown. */
export function addCost(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a + b;
}

export interface UsageReport {
  readonly total: Usage;
  /** In US dollars; undefined if a model without a known price was called. */
  readonly cost: number | undefined;
  /** Usage by agent path, joined with `/`. */
  readonly agents: Readonly<Record<string, Usage>>;
}

/** The usage of a session, for all agents in it. */
export class SessionUsage {
  private readonly agents: Map<string, Usage>;
  private cost: number | undefined;
  /** Saves the counts. Set if the session is saved anywhere. */
  onCheckpoint: (() => Promise<void>) | undefined;

  constructor(
    readonly budget: SessionBudget,
    saved: { readonly usage: UsageReport['agents']; readonly costUnknown?: boolean | undefined } | undefined,
  ) {
    this.agents = new Map(saved === undefined ? undefined : Object.entries(saved.usage));
    this.cost = saved?.costUnknown === true ? undefined : budget.used.cost;
  }

  addUsage(agent: readonly string[], usage: Usage, cost: number | undefined): void {
    const name = agent.length === 1 ? (agent[0] as string) : agent.join('/');
    this.agents.set(name, addUsage(this.agents.get(name) ?? noUsage, usage));
    this.cost = addCost(this.cost, cost);
  }

  report(): UsageReport {
    const total = [...this.agents.values()].reduce(addUsage, noUsage);
    return { total, cost: this.cost, agents: Object.fromEntries(this.agents) };
  }
}
