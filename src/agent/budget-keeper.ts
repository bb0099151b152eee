/**
 * Keeps the budget of a session. Calls are counted before they happen, so their limits are exact. Tokens are known only
 * afterwards: a call sets an upper bound aside first, so that at most one call goes past a limit. Where nothing is
 * shared with other processes all of it is synchronous.
 */

import type { Clock } from '../clock.ts';
import type { Usage } from '../hooks/payloads.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import { BudgetAccount } from './budget-account.ts';
import {
  type Budget,
  type CallBound,
  type Counted,
  type Counts,
  countedNames,
  type Exceeded,
  modelCallKinds,
  noCounts,
  type Rates,
  type RecentTimes,
  usageKinds,
} from './budget.ts';
import { RecentCalls } from './recent-calls.ts';
import type { SharedBudget } from './shared-budget.ts';

export interface KeeperStart {
  /** What the session had used before. */
  readonly counts?: Counts | undefined;
  readonly recent?: RecentTimes | undefined;
  readonly shared?: SharedBudget | undefined;
}

export class BudgetKeeper {
  private readonly session: BudgetAccount;
  private readonly recent: RecentCalls;
  private readonly shared: SharedBudget | undefined;
  private turn: BudgetAccount;
  /** True if something that is known only after a call has a limit. */
  readonly limitsUsage: boolean;

  constructor(
    private readonly budget: Budget,
    clock: Clock,
    { counts = noCounts(), recent, shared }: KeeperStart = {},
  ) {
    const { perTurn = {}, perSession = {} } = budget;
    const limited = usageKinds.some((kind) => perTurn[kind] !== undefined || perSession[kind] !== undefined);
    this.limitsUsage = limited || shared !== undefined;
    this.session = new BudgetAccount('perSession', perSession, { ...counts });
    this.turn = this.newTurn(noCounts());
    this.recent = new RecentCalls(budget.rates ?? {}, clock, recent);
    this.shared = shared;
  }

  /** What the session has used so far. */
  get used(): Readonly<Counts> {
    return this.session.used;
  }

  /** When calls that have a rate were made. */
  get recentTimes(): RecentTimes {
    return this.recent.kept;
  }

  /** A limit on cost means nothing without prices. */
  get needsPrices(): boolean {
    const { perTurn, perSession, shared } = this.budget;
    return [perTurn, perSession, shared?.limits].some((limits) => limits?.cost !== undefined);
  }

  /** The shared limit that means nothing unless every answer has a bound: many begin at once, and each must fit. */
  get needsBound(): Counted | undefined {
    const { limits } = this.budget.shared ?? {};
    return (['outputTokens', 'cost'] as const).find((kind) => limits?.[kind] !== undefined);
  }

  /** What may still be spent; 0 where nothing limits it. */
  get costLeft(): number {
    const left = Math.min(this.session.left('cost'), this.turn.left('cost'));
    return Number.isFinite(left) ? Math.max(0, left) : 0;
  }

  /** How long the turn may still take, and by which limit. */
  get wallLimit(): { readonly limit: string; readonly leftMs: number; readonly of: number } | undefined {
    const [turn, session] = [this.turn.left('wallMs'), this.session.left('wallMs')];
    const leftMs = Math.max(0, Math.min(turn, session));
    if (!Number.isFinite(leftMs)) return undefined;
    const [limit, limits] = turn <= session ? ['perTurn', this.budget.perTurn] : ['perSession', this.budget.perSession];
    return { limit: `${limit}.wallMs`, leftMs, of: limits?.wallMs ?? 0 };
  }

  startTurn(): void {
    this.turn = this.newTurn(noCounts());
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

  takeToolCall(): MaybePromise<Exceeded | undefined> {
    const exceeded = this.full(['toolCalls']) ?? this.recent.take('toolCalls');
    if (exceeded !== undefined) return exceeded;
    this.add('toolCalls', 1);
    return this.shared && this.unless(this.shared.takeToolCall(), 'toolCalls');
  }

  /** A tool call that was counted will be asked for again: it has not happened yet. */
  giveBackToolCall(): MaybePromise<void> {
    this.add('toolCalls', -1);
    return this.shared?.giveBackToolCall();
  }

  /** Sets `bound` aside for a model call, unless a limit stands in the way. */
  reserve(bound: CallBound): MaybePromise<Exceeded | undefined> {
    const exceeded = this.full(modelCallKinds) ?? this.recent.take('modelCalls');
    if (exceeded !== undefined) return exceeded;
    this.add('modelCalls', 1);
    this.setAside(bound, 1);
    return this.shared && this.unless(this.shared.reserve(bound), 'modelCalls', bound);
  }

  /** Takes back what was set aside, and counts what was used; tells the limits that it has gone past. */
  settle(bound: CallBound, usage: Usage, cost: number): MaybePromise<Exceeded | undefined> {
    this.setAside(bound, -1);
    this.add('inputTokens', usage.inputTokens);
    this.add('outputTokens', usage.outputTokens);
    this.add('cachedInputTokens', usage.cachedInputTokens);
    this.add('cacheCreationTokens', usage.cacheCreationTokens);
    this.add('cost', cost);
    const over = this.turn.over(usageKinds) ?? this.session.over(usageKinds);
    if (this.shared === undefined) return over;
    return this.shared.settle(bound, { ...usage, cost }).then((shared) => over ?? shared);
  }

  /** How many tokens an answer may still have; undefined if nothing limits it. */
  get outputTokensLeft(): number | undefined {
    const left = Math.min(this.session.left('outputTokens'), this.turn.left('outputTokens'));
    return Number.isFinite(left) ? Math.max(1, left) : undefined;
  }

  private newTurn(used: Counts): BudgetAccount {
    return new BudgetAccount('perTurn', this.budget.perTurn ?? {}, used);
  }

  private full(kinds: readonly Counted[]): Exceeded | undefined {
    return this.turn.full(kinds) ?? this.session.full(kinds);
  }

  /** Counted here already, lest two at once both fit; what the others do not allow is taken back. */
  private async unless(
    shared: Promise<Exceeded | undefined>,
    kind: keyof Rates,
    bound?: CallBound,
  ): Promise<Exceeded | undefined> {
    const { turn } = this;
    const time = this.recent.last(kind);
    let isTaken = false;
    try {
      const exceeded = await shared;
      isTaken = exceeded === undefined;
      return exceeded;
    } finally {
      if (!isTaken) {
        for (const account of [this.session, turn]) account.used[kind] -= 1;
        this.recent.giveBack(kind, time);
        if (bound !== undefined) this.setAside(bound, -1);
      }
    }
  }

  private add(kind: Counted, amount: number): void {
    this.session.used[kind] += amount;
    this.turn.used[kind] += amount;
  }

  private setAside({ most }: CallBound, sign: 1 | -1): void {
    if (!this.limitsUsage) return;
    for (const kind of countedNames) {
      const amount = (most[kind] ?? 0) * sign;
      this.session.reserved[kind] += amount;
      this.turn.reserved[kind] += amount;
    }
  }
}
