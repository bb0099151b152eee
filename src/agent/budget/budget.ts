/** Budgets: what a turn, a session, and all who share an account may use. */

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

export interface Rates {
  readonly modelCalls?: Rate | undefined;
  readonly toolCalls?: Rate | undefined;
}

/** What all who name the same account may use together, in whatever process: it is counted in the store. */
export interface SharedLimits {
  /** Such as `team-a`, or `team-a/2026-11` for one that begins anew each month. */
  readonly account: string;
  readonly limits?: BudgetLimits | undefined;
  readonly rates?: Rates | undefined;
}

export interface Budget {
  readonly perTurn?: BudgetLimits | undefined;
  readonly perSession?: BudgetLimits | undefined;
  /** Rates of a session; a call beyond one is refused. */
  readonly rates?: Rates | undefined;
  /** Needs the store of the agent. */
  readonly shared?: SharedLimits | undefined;
}

export type BudgetKind = keyof BudgetLimits;
export type BudgetCounts = Record<BudgetKind, number>;

/** When calls that have a rate were made, as far back as the rate looks. Milliseconds since 1970. */
export type RecentCallTimes = { readonly [kind in keyof Rates]-?: readonly number[] };

/** The most that one call can use, and what it is presumed to have used if nobody is left to tell. */
export interface CallBound {
  readonly most: Partial<BudgetCounts>;
  readonly presumed: Partial<BudgetCounts>;
}

/** A limit that stands in the way. */
export interface ExceededLimit {
  /** Such as `perTurn.toolCalls` or `shared.rates.modelCalls`. */
  readonly limit: string;
  readonly used: number;
  readonly of: number;
}

export const budgetKinds = [
  'modelCalls',
  'toolCalls',
  'inputTokens',
  'outputTokens',
  'cachedInputTokens',
  'cacheCreationTokens',
  'cost',
  'wallMs',
] as const satisfies readonly BudgetKind[];

/** What is known only after a call. */
export const usageKinds = [
  'inputTokens',
  'outputTokens',
  'cachedInputTokens',
  'cacheCreationTokens',
  'cost',
] as const satisfies readonly BudgetKind[];

/** What stands in the way of a model call when it is used up. */
export const modelCallKinds = ['modelCalls', ...usageKinds, 'wallMs'] as const satisfies readonly BudgetKind[];

export function zeroCounts(): BudgetCounts {
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
