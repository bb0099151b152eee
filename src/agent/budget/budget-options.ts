/** Budget options and types: limits for a turn, for a session, and for an account shared by several processes. */

/** Limits; a field that is not set is unlimited. Cost is in US dollars. */
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

/** At most `max` calls in any period of `perMs` milliseconds. */
export interface Rate {
  readonly max: number;
  readonly perMs: number;
}

export interface Rates {
  readonly modelCalls?: Rate | undefined;
  readonly toolCalls?: Rate | undefined;
}

/** Limits for everyone who uses the same account, across processes. Counted in the store. */
export interface SharedLimits {
  /** Such as `team-a`, or `team-a/2026-11` for a monthly budget. */
  readonly account: string;
  readonly limits?: BudgetLimits | undefined;
  readonly rates?: Rates | undefined;
}

export interface Budget {
  readonly perTurn?: BudgetLimits | undefined;
  readonly perSession?: BudgetLimits | undefined;
  /** Rate limits of a session. A call that exceeds one stops the turn. */
  readonly rates?: Rates | undefined;
  /** Limits shared with other processes. Needs the option `store`. */
  readonly shared?: SharedLimits | undefined;
}

export type BudgetKind = keyof BudgetLimits;
export type BudgetCounts = Record<BudgetKind, number>;

/** The times of recent rate-limited calls, in milliseconds since 1970. */
export type RecentCallTimes = { readonly [kind in keyof Rates]-?: readonly number[] };

/** The most that one call can use, and what it counts as if the process dies before it reports its usage. */
export interface CallBound {
  readonly most: Partial<BudgetCounts>;
  readonly presumed: Partial<BudgetCounts>;
}

/** A limit of an agent's budget that was reached or exceeded. */
export interface ReachedBudgetLimit {
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

/** Usage that is known only after a call. */
export const usageKinds = [
  'inputTokens',
  'outputTokens',
  'cachedInputTokens',
  'cacheCreationTokens',
  'cost',
] as const satisfies readonly BudgetKind[];

/** The limits that block a model call once they are used up. */
export const modelCallKinds = ['modelCalls', ...usageKinds, 'wallMs'] as const satisfies readonly BudgetKind[];
