/**
 * Budgets: what a turn and a session may use. Calls are counted before they happen, so their limits are exact. Tokens
 * are known only afterwards: a call sets an upper bound aside first, so that at most one call goes past a limit.
 */

import type { Clock } from '../clock.ts';
import type { Usage } from '../hooks/payloads.ts';

/** Limits; what is not named has none. Cost is in US dollars. */
export interface BudgetLimits {
  readonly modelCalls?: number | undefined;
  readonly toolCalls?: number | undefined;
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly cachedInputTokens?: number | undefined;
  readonly cacheCreationTokens?: number | undefined;
  readonly cost?: number | undefined;
  /** Time spent in turns. */
  readonly wallMs?: number | undefined;
}

/** At most `max` in any stretch of `perMs`. */
export interface Rate {
  readonly max: number;
  readonly perMs: number;
}

export interface Budget {
  readonly perTurn?: BudgetLimits | undefined;
  readonly perSession?: BudgetLimits | undefined;
  /** Rates of a session; a call beyond one is refused. */
  readonly rates?: { readonly modelCalls?: Rate | undefined; readonly toolCalls?: Rate | undefined } | undefined;
}

export type Counted = keyof BudgetLimits;
export type Counts = Record<Counted, number>;

/** A limit that stands in the way. */
export interface Exceeded {
  /** Such as `perTurn.toolCalls`. */
  readonly limit: string;
  readonly used: number;
  readonly of: number;
}

export const countedNames = [
  'modelCalls',
  'toolCalls',
  'inputTokens',
  'outputTokens',
  'cachedInputTokens',
  'cacheCreationTokens',
  'cost',
  'wallMs',
] as const satisfies readonly Counted[];

function noCounts(): Counts {
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

/** What one turn or one session has used and set aside. */
class Account {
  readonly reserved: Counts = noCounts();

  constructor(
    private readonly name: 'perTurn' | 'perSession',
    private readonly limits: BudgetLimits,
    readonly used: Counts,
  ) {}

  /** The first limit that leaves nothing for another call of this kind. */
  full(kinds: readonly Counted[]): Exceeded | undefined {
    for (const kind of kinds) {
      const of = this.limits[kind];
      const used = this.used[kind] + this.reserved[kind];
      if (of !== undefined && used >= of) return { limit: `${this.name}.${kind}`, used, of };
    }
    return undefined;
  }

  /** The first limit that was gone past; what is only set aside is not used yet. */
  over(kinds: readonly Counted[]): Exceeded | undefined {
    for (const kind of kinds) {
      const of = this.limits[kind];
      const used = this.used[kind];
      if (of !== undefined && used > of) return { limit: `${this.name}.${kind}`, used, of };
    }
    return undefined;
  }

  left(kind: Counted): number {
    return (this.limits[kind] ?? Number.POSITIVE_INFINITY) - this.used[kind] - this.reserved[kind];
  }
}

/** What is known only after a call. */
const usageKinds = [
  'inputTokens',
  'outputTokens',
  'cachedInputTokens',
  'cacheCreationTokens',
  'cost',
] as const satisfies readonly Counted[];

const modelCallKinds = ['modelCalls', ...usageKinds, 'wallMs'] as const satisfies readonly Counted[];

export class BudgetKeeper {
  private readonly session: Account;
  private turn: Account;
  /** True if something that is known only after a call has a limit. */
  readonly limitsUsage: boolean;
  private readonly recent = { modelCalls: [] as number[], toolCalls: [] as number[] };

  constructor(
    private readonly budget: Budget,
    private readonly clock: Clock,
    used: Counts = noCounts(),
  ) {
    const { perTurn = {}, perSession = {} } = budget;
    this.limitsUsage = usageKinds.some((kind) => perTurn[kind] !== undefined || perSession[kind] !== undefined);
    this.session = new Account('perSession', perSession, used);
    this.turn = new Account('perTurn', budget.perTurn ?? {}, noCounts());
  }

  /** What the session has used so far. */
  get used(): Readonly<Counts> {
    return this.session.used;
  }

  /** A limit on cost means nothing without prices. */
  get needsPrices(): boolean {
    return this.budget.perTurn?.cost !== undefined || this.budget.perSession?.cost !== undefined;
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
    this.turn = new Account('perTurn', this.budget.perTurn ?? {}, noCounts());
  }

  endTurn(wallMs: number): void {
    this.add('wallMs', wallMs);
  }

  takeToolCall(): Exceeded | undefined {
    const exceeded = this.full(['toolCalls']) ?? this.tooFast('toolCalls');
    if (exceeded === undefined) this.add('toolCalls', 1);
    return exceeded;
  }

  /** Sets `bound` aside for a model call, unless a limit stands in the way. */
  reserve(bound: Partial<Counts>): Exceeded | undefined {
    const exceeded = this.full(modelCallKinds) ?? this.tooFast('modelCalls');
    if (exceeded !== undefined) return exceeded;
    this.add('modelCalls', 1);
    this.setAside(bound, 1);
    return undefined;
  }

  /** Takes back what was set aside, and counts what was used. */
  settle(bound: Partial<Counts>, usage: Usage, cost: number): void {
    this.setAside(bound, -1);
    this.add('inputTokens', usage.inputTokens);
    this.add('outputTokens', usage.outputTokens);
    this.add('cachedInputTokens', usage.cachedInputTokens);
    this.add('cacheCreationTokens', usage.cacheCreationTokens);
    this.add('cost', cost);
  }

  /** How many tokens an answer may still have; undefined if nothing limits it. */
  get outputTokensLeft(): number | undefined {
    const left = Math.min(this.session.left('outputTokens'), this.turn.left('outputTokens'));
    return Number.isFinite(left) ? Math.max(1, left) : undefined;
  }

  /** The limits that what was used has gone past, for a report. */
  overshoot(): Exceeded | undefined {
    return this.turn.over(usageKinds) ?? this.session.over(usageKinds);
  }

  private full(kinds: readonly Counted[]): Exceeded | undefined {
    return this.turn.full(kinds) ?? this.session.full(kinds);
  }

  private tooFast(kind: 'modelCalls' | 'toolCalls'): Exceeded | undefined {
    const rate = this.budget.rates?.[kind];
    if (rate === undefined) return undefined;
    const now = this.clock.wall();
    const recent = this.recent[kind];
    while (recent.length > 0 && (recent[0] as number) <= now - rate.perMs) recent.shift();
    if (recent.length >= rate.max) return { limit: `rates.${kind}`, used: recent.length, of: rate.max };
    recent.push(now);
    return undefined;
  }

  private add(kind: Counted, amount: number): void {
    this.session.used[kind] += amount;
    this.turn.used[kind] += amount;
  }

  private setAside(bound: Partial<Counts>, sign: 1 | -1): void {
    if (!this.limitsUsage) return;
    for (const kind of countedNames) {
      const amount = (bound[kind] ?? 0) * sign;
      this.session.reserved[kind] += amount;
      this.turn.reserved[kind] += amount;
    }
  }
}
