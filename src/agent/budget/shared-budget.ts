/**
 * The part of a budget that is shared with other processes, counted in the store. Calls are taken before they happen. What
 * a call may use at most is set aside until it is told what it used; of a process that was killed in between, what its
 * call has probably used is counted, so that no limit opens and none stays shut for long.
 */

import { randomUUID } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import type { Amounts, Counters, LimitReached, TakeRequest } from '../../store/counters/counters.ts';
import {
  type BudgetLimits,
  type CallBound,
  type BudgetKind,
  type BudgetCounts,
  type ExceededLimit,
  modelCallKinds,
  type Rates,
  type SharedLimits,
  usageKinds,
} from './budget.ts';

/** How long something stays set aside after the last sign of life. */
const holdMs = 60_000;
const renewMs = holdMs / 3;

export class SharedBudget {
  private readonly limits: BudgetLimits;
  /** What is set aside now, by the bound it was set aside for. */
  private readonly holds = new Map<CallBound, string>();
  /** What could not be told yet. */
  private readonly unreported = new Map<string, Amounts>();
  private stopRenewing: (() => void) | undefined;
  /** Time up to here was counted; undefined between turns. */
  private countedUntil: number | undefined;
  /** Time that could not be counted yet. */
  private uncountedMs = 0;

  constructor(
    private readonly shared: SharedLimits,
    private readonly counters: Counters,
    private readonly clock: Clock,
  ) {
    const { modelCalls, toolCalls } = shared.limits ?? {};
    // A limit of two and a half calls is one of two.
    const whole = { modelCalls: modelCalls && Math.floor(modelCalls), toolCalls: toolCalls && Math.floor(toolCalls) };
    this.limits = { ...shared.limits, ...whole };
  }

  startTurn(): void {
    this.countedUntil = this.clock.now();
  }

  /** Counts the time of the turn that was not counted yet, where time has a limit. */
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

  countToolCall(): Promise<ExceededLimit | undefined> {
    return this.count({ kind: 'toolCalls', kinds: ['toolCalls'] });
  }

  async uncountToolCall(): Promise<void> {
    try {
      await this.counters.add(this.shared.account, { toolCalls: -1 });
    } catch {
      // One call too many is counted, which opens nothing.
      return;
    }
  }

  async reserve(bound: CallBound): Promise<ExceededLimit | undefined> {
    const hold = { id: randomUUID(), most: amountsOf(bound.most), presumed: amountsOf(bound.presumed), ms: holdMs };
    const exceeded = await this.count({ kind: 'modelCalls', kinds: modelCallKinds, hold });
    if (exceeded !== undefined) return exceeded;
    this.holds.set(bound, hold.id);
    this.stopRenewing ??= this.clock.every(renewMs, () => void this.renew());
    return undefined;
  }

  /** Counts what a call has used; tells the limit it has gone past. A store that is away is told later. */
  async settle(bound: CallBound, used: Partial<BudgetCounts>): Promise<ExceededLimit | undefined> {
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
      // Until it is told, what is presumed counts.
      return undefined;
    }
  }

  private async count(request: CountRequest): Promise<ExceededLimit | undefined> {
    const { kind, kinds: full, hold } = request;
    const { account, rates = {} } = this.shared;
    for (const id of this.unreported.keys()) await this.report(id);
    const wallMs = this.elapsed();
    try {
      const refused = await this.counters.take({
        account,
        amounts: { [kind]: 1 },
        spent: wallMs > 0 ? { wallMs } : {},
        limits: amountsOf(Object.fromEntries(full.map((each) => [each, this.limits[each]]))),
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

  private exceededLimit(used: Amounts): ExceededLimit | undefined {
    for (const kind of usageKinds) {
      const [of, amount = 0] = [this.limits[kind], used[kind]];
      if (of !== undefined && amount > of) return { limit: `shared.${kind}`, used: amount, of };
    }
    return undefined;
  }

  /** Milliseconds of the turn since the last time they were counted; none where time has no limit. */
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
      // Tried again soon; what lapses meanwhile is corrected when it is told.
      return;
    }
  }
}

interface CountRequest {
  readonly kind: keyof Rates;
  /** What must not be used up. */
  readonly kinds: readonly BudgetKind[];
  readonly hold?: TakeRequest['hold'];
}

function exceededBy({ by, kind, used, of }: LimitReached): ExceededLimit {
  return { limit: by === 'rate' ? `shared.rates.${kind}` : `shared.${kind}`, used, of };
}

function amountsOf(counts: Partial<Record<string, number>>): Amounts {
  return Object.fromEntries(Object.entries(counts).filter((each): each is [string, number] => each[1] !== undefined));
}
