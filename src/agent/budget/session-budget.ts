/**
 * Keeps the budget of a session. Calls are counted before they happen, so their limits are exact. Tokens are known only
 * afterwards: a call sets an upper bound aside first, so that at most one call goes past a limit. Where nothing is
 * shared with other processes all of it is synchronous.
 */

import type { Clock } from '../../kernel/clock.ts';
import type { Usage } from '../../kernel/hooks/points/payloads.ts';
import type { MaybePromise } from '../../kernel/maybe-promise.ts';
import { LimitedUsage } from './limited-usage.ts';
import {
  type Budget,
  type CallBound,
  type BudgetKind,
  type BudgetCounts,
  budgetKinds,
  type ExceededLimit,
  modelCallKinds,
  zeroCounts,
  type Rates,
  type RecentCallTimes,
  usageKinds,
} from './budget.ts';
import { RateLimiter } from './rate-limiter.ts';
import type { SharedBudget } from './shared-budget.ts';

export interface SessionBudgetStart {
  /** What the session had used before. */
  readonly counts?: BudgetCounts | undefined;
  readonly recent?: RecentCallTimes | undefined;
  readonly shared?: SharedBudget | undefined;
}

export class SessionBudget {
  private readonly session: LimitedUsage;
  private readonly recent: RateLimiter;
  private readonly shared: SharedBudget | undefined;
  private turn: LimitedUsage;
  /** True if something that is known only after a call has a limit. */
  readonly limitsUsage: boolean;

  constructor(
    private readonly budget: Budget,
    clock: Clock,
    { counts = zeroCounts(), recent, shared }: SessionBudgetStart = {},
  ) {
    const { perTurn = {}, perSession = {} } = budget;
    const limited = usageKinds.some((kind) => perTurn[kind] !== undefined || perSession[kind] !== undefined);
    this.limitsUsage = limited || shared !== undefined;
    this.session = new LimitedUsage('perSession', perSession, { ...counts });
    this.turn = this.newTurn(zeroCounts());
    this.recent = new RateLimiter(budget.rates ?? {}, clock, recent);
    this.shared = shared;
  }

  /** What the session has used so far. */
  get used(): Readonly<BudgetCounts> {
    return this.session.used;
  }

  /** When calls that have a rate were made. */
  get recentTimes(): RecentCallTimes {
    return this.recent.snapshot;
  }

  /** A limit on cost means nothing without prices. */
  get needsPrices(): boolean {
    const { perTurn, perSession, shared } = this.budget;
    return [perTurn, perSession, shared?.limits].some((limits) => limits?.cost !== undefined);
  }

  /** The shared limit that means nothing unless every answer has a bound: many begin at once, and each must fit. */
  get needsBound(): BudgetKind | undefined {
    const { limits } = this.budget.shared ?? {};
    return (['outputTokens', 'cost'] as const).find((kind) => limits?.[kind] !== undefined);
  }

  /** What may still be spent; 0 where nothing limits it. */
  get remainingCost(): number {
    const left = Math.min(this.session.remaining('cost'), this.turn.remaining('cost'));
    return Number.isFinite(left) ? Math.max(0, left) : 0;
  }

  /** How long the turn may still take, and by which limit. */
  get timeLimit(): { readonly limit: string; readonly leftMs: number; readonly of: number } | undefined {
    const [turn, session] = [this.turn.remaining('wallMs'), this.session.remaining('wallMs')];
    const leftMs = Math.max(0, Math.min(turn, session));
    if (!Number.isFinite(leftMs)) return undefined;
    const [limit, limits] = turn <= session ? ['perTurn', this.budget.perTurn] : ['perSession', this.budget.perSession];
    return { limit: `${limit}.wallMs`, leftMs, of: limits?.wallMs ?? 0 };
  }

  startTurn(): void {
    this.turn = this.newTurn(zeroCounts());
    this.shared?.startTurn();
  }

  /** The one turn of a session goes on: what it used before counts, and so do model calls that nobody saw the end of. */
  resumeTurn(lostModelCalls: number): void {
    this.session.used.modelCalls += lostModelCalls;
    this.turn = this.newTurn({ ...this.session.used });
    this.shared?.startTurn();
  }

  endTurn(wallMs: number): MaybePromise<void> {
    this.add('wallMs', wallMs);
    return this.shared?.endTurn();
  }

  countToolCall(): MaybePromise<ExceededLimit | undefined> {
    const exceeded = this.reachedLimit(['toolCalls']) ?? this.recent.countCall('toolCalls');
    if (exceeded !== undefined) return exceeded;
    this.add('toolCalls', 1);
    return this.shared && this.undoIfRefused(this.shared.countToolCall(), 'toolCalls');
  }

  /** A tool call that was counted will be asked for again: it has not happened yet. */
  uncountToolCall(): MaybePromise<void> {
    this.add('toolCalls', -1);
    return this.shared?.uncountToolCall();
  }

  /** Sets `bound` aside for a model call, unless a limit stands in the way. */
  reserve(bound: CallBound): MaybePromise<ExceededLimit | undefined> {
    const exceeded = this.reachedLimit(modelCallKinds) ?? this.recent.countCall('modelCalls');
    if (exceeded !== undefined) return exceeded;
    this.add('modelCalls', 1);
    this.addReserved(bound, 1);
    return this.shared && this.undoIfRefused(this.shared.reserve(bound), 'modelCalls', bound);
  }

  /** Takes back what was set aside, and counts what was used; tells the limits that it has gone past. */
  settle(bound: CallBound, usage: Usage, cost: number): MaybePromise<ExceededLimit | undefined> {
    this.addReserved(bound, -1);
    this.add('inputTokens', usage.inputTokens);
    this.add('outputTokens', usage.outputTokens);
    this.add('cachedInputTokens', usage.cachedInputTokens);
    this.add('cacheCreationTokens', usage.cacheCreationTokens);
    this.add('cost', cost);
    const over = this.turn.exceededLimit(usageKinds) ?? this.session.exceededLimit(usageKinds);
    if (this.shared === undefined) return over;
    return this.shared.settle(bound, { ...usage, cost }).then((shared) => over ?? shared);
  }

  /** How many tokens an answer may still have; undefined if nothing limits it. */
  get remainingOutputTokens(): number | undefined {
    const left = Math.min(this.session.remaining('outputTokens'), this.turn.remaining('outputTokens'));
    return Number.isFinite(left) ? Math.max(1, left) : undefined;
  }

  private newTurn(used: BudgetCounts): LimitedUsage {
    return new LimitedUsage('perTurn', this.budget.perTurn ?? {}, used);
  }

  private reachedLimit(kinds: readonly BudgetKind[]): ExceededLimit | undefined {
    return this.turn.reachedLimit(kinds) ?? this.session.reachedLimit(kinds);
  }

  /** Counted here already, lest two at once both fit; what the others do not allow is taken back. */
  private async undoIfRefused(
    shared: Promise<ExceededLimit | undefined>,
    kind: keyof Rates,
    bound?: CallBound,
  ): Promise<ExceededLimit | undefined> {
    const { turn } = this;
    const time = this.recent.lastTime(kind);
    let isCounted = false;
    try {
      const exceeded = await shared;
      isCounted = exceeded === undefined;
      return exceeded;
    } finally {
      if (!isCounted) {
        for (const account of [this.session, turn]) account.used[kind] -= 1;
        this.recent.uncountCall(kind, time);
        if (bound !== undefined) this.addReserved(bound, -1);
      }
    }
  }

  private add(kind: BudgetKind, amount: number): void {
    this.session.used[kind] += amount;
    this.turn.used[kind] += amount;
  }

  private addReserved({ most }: CallBound, sign: 1 | -1): void {
    if (!this.limitsUsage) return;
    for (const kind of budgetKinds) {
      const amount = (most[kind] ?? 0) * sign;
      this.session.reserved[kind] += amount;
      this.turn.reserved[kind] += amount;
    }
  }
}
