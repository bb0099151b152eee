/**
 * The part of a budget that is shared with other processes and counted in the store. Calls are counted before they
 * happen. A model call reserves the most it can use until its usage is reported. If the process is killed in between,
 * the reservation expires and the presumed usage counts, so a crash can neither free a limit nor block it for long.
 */

import { randomUUID } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import type { Amounts, Counters, TakeRefusal, TakeRequest } from '../../store/counters/counters.ts';
import {
  type BudgetLimits,
  type CallBound,
  type BudgetKind,
  type BudgetCounts,
  type ReachedBudgetLimit,
  modelCallKinds,
  type Rates,
  type SharedLimits,
  usageKinds,
} from './budget-options.ts';

/** How long a reservation lasts after its last renewal. */
const holdMs = 60_000;
const renewMs = holdMs / 3;

export class SharedBudget {
  private readonly limits: BudgetLimits;
  /** The ids of the current reservations, by their bound. */
  private readonly holds = new Map<CallBound, string>();
  /** Usage that could not be reported to the store yet, by reservation id. */
  private readonly unreported = new Map<string, Amounts>();
  private stopRenewing: (() => void) | undefined;
  /** Time is counted up to here; undefined between turns. */
  private countedUntil: number | undefined;
  /** Time that could not be counted yet. */
  private uncountedMs = 0;

  constructor(
    private readonly shared: SharedLimits,
    private readonly counters: Counters,
    private readonly clock: Clock,
  ) {
    const { modelCalls, toolCalls } = shared.limits ?? {};
    // A limit of 2.5 calls means 2 calls.
    const wholeCalls = {
      modelCalls: modelCalls && Math.floor(modelCalls),
      toolCalls: toolCalls && Math.floor(toolCalls),
    };
    this.limits = { ...shared.limits, ...wholeCalls };
  }

  startTurn(): void {
    this.countedUntil = this.clock.now();
  }

  /** Counts the rest of the turn's time, if time is limited. */
  async endTurn(): Promise<void> {
    const wallMs = this.elapsed();
    this.countedUntil = undefined;
    if (wallMs === 0) return;
    try {
      await this.counters.add(this.shared.account, { wallMs });
    } catch {
      this.uncountedMs += wallMs;
    }
  }

  countToolCall(): Promise<ReachedBudgetLimit | undefined> {
    return this.count({ kind: 'toolCalls', kinds: ['toolCalls'] });
  }

  async uncountToolCall(): Promise<void> {
    try {
      await this.counters.add(this.shared.account, { toolCalls: -1 });
    } catch {
      // One call too many stays counted, which is safe.
      return;
    }
  }

  async reserve(bound: CallBound): Promise<ReachedBudgetLimit | undefined> {
    const hold = { id: randomUUID(), most: amountsOf(bound.most), presumed: amountsOf(bound.presumed), ms: holdMs };
    const exceeded = await this.count({ kind: 'modelCalls', kinds: modelCallKinds, hold });
    if (exceeded !== undefined) return exceeded;
    this.holds.set(bound, hold.id);
    this.stopRenewing ??= this.clock.every(renewMs, () => void this.renew());
    return undefined;
  }

  /**
   * Counts the usage of a call. Returns the limit that was exceeded, if any. Retries later if the store is unavailable.
   */
  async settle(bound: CallBound, used: Partial<BudgetCounts>): Promise<ReachedBudgetLimit | undefined> {
    const id = this.holds.get(bound);
    if (id === undefined) return undefined;
    this.holds.delete(bound);
    if (this.holds.size === 0) {
      this.stopRenewing?.();
      this.stopRenewing = undefined;
    }
    this.unreported.set(id, amountsOf(used));
    try {
      return this.exceededLimit(await this.report(id));
    } catch {
      // The presumed usage counts until the report succeeds.
      return undefined;
    }
  }

  private async count(request: CountRequest): Promise<ReachedBudgetLimit | undefined> {
    const { kind, kinds, hold } = request;
    const { account, rates = {} } = this.shared;
    for (const id of this.unreported.keys()) await this.report(id);
    const wallMs = this.elapsed();
    try {
      const refused = await this.counters.take({
        account,
        amounts: { [kind]: 1 },
        spent: wallMs > 0 ? { wallMs } : {},
        limits: amountsOf(Object.fromEntries(kinds.map((each) => [each, this.limits[each]]))),
        rates: rates[kind] === undefined ? {} : { [kind]: rates[kind] },
        hold,
      });
      return refused && exceededBy(refused);
    } catch (error) {
      this.uncountedMs += wallMs;
      throw error;
    }
  }

  private async report(id: string): Promise<Amounts> {
    const used = await this.counters.settle(this.shared.account, id, this.unreported.get(id) ?? {});
    this.unreported.delete(id);
    return used;
  }

  private exceededLimit(used: Amounts): ReachedBudgetLimit | undefined {
    for (const kind of usageKinds) {
      const [of, amount = 0] = [this.limits[kind], used[kind]];
      if (of !== undefined && amount > of) return { limit: `shared.${kind}`, used: amount, of };
    }
    return undefined;
  }

  /** Milliseconds of the turn since the last count; 0 if time is not limited. */
  private elapsed(): number {
    if (this.limits.wallMs === undefined || this.countedUntil === undefined) return 0;
    const now = this.clock.now();
    const elapsed = Math.max(0, now - this.countedUntil) + this.uncountedMs;
    this.countedUntil = now;
    this.uncountedMs = 0;
    return elapsed;
  }

  private async renew(): Promise<void> {
    try {
      await this.counters.renew(this.shared.account, [...this.holds.values()], holdMs);
    } catch {
      // Renewal is retried soon. A reservation that expires meanwhile is corrected when its usage is reported.
      return;
    }
  }
}

interface CountRequest {
  readonly kind: keyof Rates;
  /** The limits that must not be used up. */
  readonly kinds: readonly BudgetKind[];
  readonly hold?: TakeRequest['hold'];
}

function exceededBy({ by, kind, used, of }: TakeRefusal): ReachedBudgetLimit {
  return { limit: by === 'rate' ? `shared.rates.${kind}` : `shared.${kind}`, used, of };
}

function amountsOf(counts: Partial<Record<string, number>>): Amounts {
  return Object.fromEntries(Object.entries(counts).filter((each): each is [string, number] => each[1] !== undefined));
}
