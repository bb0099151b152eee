/**
 * Enforces the budget of a session. Calls are counted before they happen, so limits on calls are exact. Tokens are
 * known only afterwards, so each call first reserves an upper bound; at most one call can exceed a limit. Without a
 * shared budget, everything here is synchronous.
 */

import type { Clock } from '../../kernel/clock.ts';
import type { Usage } from '../../kernel/hooks/points/payloads.ts';
import type { MaybePromise } from '../../kernel/maybe-promise.ts';
import {
  type Budget,
  type CallBound,
  type BudgetKind,
  type BudgetCounts,
  budgetKinds,
  type ReachedBudgetLimit,
  modelCallKinds,
  type Rates,
  type RecentCallTimes,
  usageKinds,
  type BudgetLimits,
} from './budget-options.ts';
import type { SharedBudget } from './shared-budget.ts';

export interface SessionBudgetStart {
  /** The usage of the session before it was resumed. */
  readonly counts?: BudgetCounts | undefined;
  readonly recent?: RecentCallTimes | undefined;
  readonly shared?: SharedBudget | undefined;
}

export class SessionBudget {
  private readonly session: LimitedUsage;
  private readonly recent: RateLimiter;
  private readonly shared: SharedBudget | undefined;
  private turn: LimitedUsage;
  /** True if there is a limit on tokens or cost, which are known only after a call. */
  readonly limitsUsage: boolean;

  constructor(
    private readonly budget: Budget,
    clock: Clock,
    { counts = zeroCounts(), recent, shared }: SessionBudgetStart = {},
  ) {
    const { perTurn = noLimits, perSession = noLimits } = budget;
    const limited = usageKinds.some((kind) => perTurn[kind] !== undefined || perSession[kind] !== undefined);
    this.limitsUsage = limited || shared !== undefined;
    this.session = new LimitedUsage('perSession', perSession, { ...counts });
    this.turn = this.newTurn(zeroCounts());
    this.recent = new RateLimiter(budget.rates ?? {}, clock, recent);
    this.shared = shared;
  }

  /** The usage of the session so far. */
  get used(): Readonly<BudgetCounts> {
    return this.session.used;
  }

  /** The times of recent rate-limited calls. */
  get recentTimes(): RecentCallTimes {
    return this.recent.snapshot;
  }

  /** True if there is a cost limit, which cannot be enforced without prices. */
  get needsPrices(): boolean {
    const { perTurn, perSession, shared } = this.budget;
    return [perTurn, perSession, shared?.limits].some((limits) => limits?.cost !== undefined);
  }

  /** The shared limit that requires a maximum length for answers, because concurrent calls reserve it in advance. */
  get needsBound(): BudgetKind | undefined {
    const { limits } = this.budget.shared ?? {};
    return (['outputTokens', 'cost'] as const).find((kind) => limits?.[kind] !== undefined);
  }

  /** The cost that may still be spent; 0 if there is no cost limit. */
  get remainingCost(): number {
    const left = Math.min(this.session.remaining('cost'), this.turn.remaining('cost'));
    return Number.isFinite(left) ? Math.max(0, left) : 0;
  }

  /** How long the turn may still take, and which limit says so. */
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

  /**
   * Resumes the only turn of a run's session. Earlier usage counts, and so do model calls whose end was not recorded.
   */
  resumeTurn(lostModelCalls: number): void {
    this.session.used.modelCalls += lostModelCalls;
    this.turn = this.newTurn({ ...this.session.used });
    this.shared?.startTurn();
  }

  endTurn(wallMs: number): MaybePromise<void> {
    this.add('wallMs', wallMs);
    return this.shared?.endTurn();
  }

  countToolCall(): MaybePromise<ReachedBudgetLimit | undefined> {
    const exceeded = this.reachedLimit(['toolCalls']) ?? this.recent.countCall('toolCalls');
    if (exceeded !== undefined) return exceeded;
    this.add('toolCalls', 1);
    return this.shared && this.undoIfRefused(this.shared.countToolCall(), 'toolCalls');
  }

  /** Undoes `countToolCall` for a suspended call, which is counted again when it is resumed. */
  uncountToolCall(): MaybePromise<void> {
    this.add('toolCalls', -1);
    return this.shared?.uncountToolCall();
  }

  /** Reserves `bound` for a model call, unless a limit is reached. */
  reserve(bound: CallBound): MaybePromise<ReachedBudgetLimit | undefined> {
    const exceeded = this.reachedLimit(modelCallKinds) ?? this.recent.countCall('modelCalls');
    if (exceeded !== undefined) return exceeded;
    this.add('modelCalls', 1);
    this.addReserved(bound, 1);
    return this.shared && this.undoIfRefused(this.shared.reserve(bound), 'modelCalls', bound);
  }

  /** Releases a reservation and counts the actual usage. Returns the limit that was exceeded, if any. */
  settle(bound: CallBound, usage: Usage, cost: number): MaybePromise<ReachedBudgetLimit | undefined> {
    this.addReserved(bound, -1);
    this.add('inputTokens', usage.inputTokens);
    this.add('outputTokens', usage.outputTokens);
    this.add('cachedInputTokens', usage.cachedInputTokens);
    this.add('cacheCreationTokens', usage.cacheCreationTokens);
    this.add('cost', cost);
    const exceeded = this.turn.exceededLimit(usageKinds) ?? this.session.exceededLimit(usageKinds);
    if (this.shared === undefined) return exceeded;
    return this.shared.settle(bound, { ...usage, cost }).then((shared) => exceeded ?? shared);
  }

  /** How many tokens the next answer may have; undefined if there is no limit. */
  get remainingOutputTokens(): number | undefined {
    const left = Math.min(this.session.remaining('outputTokens'), this.turn.remaining('outputTokens'));
    return Number.isFinite(left) ? Math.max(1, left) : undefined;
  }

  private newTurn(used: BudgetCounts): LimitedUsage {
    return new LimitedUsage('perTurn', this.budget.perTurn ?? noLimits, used);
  }

  private reachedLimit(kinds: readonly BudgetKind[]): ReachedBudgetLimit | undefined {
    return this.turn.reachedLimit(kinds) ?? this.session.reachedLimit(kinds);
  }

  /**
   * The call is already counted locally, so that concurrent calls cannot both pass. Undone if the shared budget refuses
   * it.
   */
  private async undoIfRefused(
    shared: Promise<ReachedBudgetLimit | undefined>,
    kind: keyof Rates,
    bound?: CallBound,
  ): Promise<ReachedBudgetLimit | undefined> {
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

function zeroCounts(): BudgetCounts {
  return {
    modelCalls: 0,
    toolCalls: 0,
    inputTokens: 0,
    outputTokens: 0,
    cachedInputTokens: 0,
    cacheCreationTokens: 0,
    cost: 0,
    wallMs: 0,
  };
}

const noLimits: BudgetLimits = Object.freeze({});

/** The usage and reservations of one turn or session, compared with its limits. */
class LimitedUsage {
  readonly reserved: BudgetCounts = zeroCounts();

  constructor(
    private readonly name: 'perTurn' | 'perSession',
    private readonly limits: BudgetLimits,
    readonly used: BudgetCounts,
  ) {}

  /** The first limit that leaves nothing for another call. Reservations count. */
  reachedLimit(kinds: readonly BudgetKind[]): ReachedBudgetLimit | undefined {
    if (this.limits === noLimits) return undefined;
    for (const kind of kinds) {
      const of = this.limits[kind];
      const used = this.used[kind] + this.reserved[kind];
      if (of !== undefined && used >= of) return { limit: `${this.name}.${kind}`, used, of };
    }
    return undefined;
  }

  /** The first limit that was exceeded. Reservations do not count. */
  exceededLimit(kinds: readonly BudgetKind[]): ReachedBudgetLimit | undefined {
    if (this.limits === noLimits) return undefined;
    for (const kind of kinds) {
      const of = this.limits[kind];
      const used = this.used[kind];
      if (of !== undefined && used > of) return { limit: `${this.name}.${kind}`, used, of };
    }
    return undefined;
  }

  remaining(kind: BudgetKind): number {
    return (this.limits[kind] ?? Number.POSITIVE_INFINITY) - this.used[kind] - this.reserved[kind];
  }
}

/** Enforces the rate limits of a session with a sliding window of call times. */
class RateLimiter {
  private readonly times: { readonly [kind in keyof Rates]-?: number[] };

  constructor(
    private readonly rates: Rates,
    private readonly clock: Clock,
    saved: RecentCallTimes | undefined,
  ) {
    // A time saved by a clock that was ahead would block calls for longer than the rate allows.
    const now = clock.wall();
    const notInFuture = (times: readonly number[] = []): number[] => times.map((time) => Math.min(time, now));
    this.times = { modelCalls: notInFuture(saved?.modelCalls), toolCalls: notInFuture(saved?.toolCalls) };
  }

  /** The call times to save with the session. */
  get snapshot(): RecentCallTimes {
    return { modelCalls: [...this.times.modelCalls], toolCalls: [...this.times.toolCalls] };
  }

  /** Counts a call, or returns the limit if it is reached. */
  countCall(kind: keyof Rates): ReachedBudgetLimit | undefined {
    const rate = this.rates[kind];
    if (rate === undefined) return undefined;
    const now = this.clock.wall();
    const recent = this.times[kind];
    while (recent.length > 0 && (recent[0] as number) <= now - rate.perMs) recent.shift();
    if (recent.length >= rate.max) return { limit: `rates.${kind}`, used: recent.length, of: rate.max };
    recent.push(now);
    return undefined;
  }

  /** The time of the last counted call. */
  lastTime(kind: keyof Rates): number | undefined {
    return this.times[kind].at(-1);
  }

  /** Removes a counted call that did not happen. */
  uncountCall(kind: keyof Rates, time: number | undefined): void {
    const at = time === undefined ? -1 : this.times[kind].lastIndexOf(time);
    if (at !== -1) this.times[kind].splice(at, 1);
  }
}
