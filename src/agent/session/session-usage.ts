/** Tracks the usage of a session by agent. */

import type { Usage } from '../../kernel/hooks/points/payloads.ts';
import type { UsageTracker } from '../turn/state/agent-in-session.ts';
import type { SessionBudget } from '../budget/session-budget.ts';
import type { SavedSession } from '../saved-sessions/saved-session.ts';
import { addUsage, noUsage } from '../model/usage.ts';

export interface UsageReport {
  readonly total: Usage;
  /** In US dollars; undefined if a model without a known price was called. */
  readonly cost: number | undefined;
  /** Usage by agent path, joined with `/`. */
  readonly agents: Readonly<Record<string, Usage>>;
}

export class SessionUsage implements UsageTracker {
  private readonly agents: Map<string, Usage>;
  private cost: number | undefined;

  constructor(
    readonly budget: SessionBudget,
    saved: Pick<SavedSession, 'usage' | 'costUnknown'> | undefined,
  ) {
    this.agents = new Map(Object.entries(saved?.usage ?? {}));
    this.cost = saved?.costUnknown === true ? undefined : budget.used.cost;
  }

  /** Set if the session is saved somewhere. */
  onCheckpoint: (() => Promise<void>) | undefined;

  checkpoint(): Promise<void> | undefined {
    return this.onCheckpoint?.();
  }

  addUsage(agent: readonly string[], usage: Usage, cost: number | undefined): void {
    const name = agent.length === 1 ? (agent[0] as string) : agent.join('/');
    this.agents.set(name, addUsage(this.agents.get(name) ?? noUsage, usage));
    this.cost = cost === undefined || this.cost === undefined ? undefined : this.cost + cost;
  }

  report(): UsageReport {
    const total = [...this.agents.values()].reduce(addUsage, noUsage);
    return { total, cost: this.cost, agents: Object.fromEntries(this.agents) };
  }
}
