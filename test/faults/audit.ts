/** Compares what was acknowledged to a child with what is stored, independent of chains and transactions. */

import { expect } from 'vitest';
import { type JournalRecord, verifyRecords } from '../../src/journal/hash-chain.ts';
import type { Store } from '../../src/store/store.ts';
import type { Ledger } from './recorder.ts';

interface Entry {
  readonly kind: string;
  readonly status: string;
  readonly call?: string;
}

export interface Counted {
  readonly acknowledged: number;
  readonly lost: number;
  readonly doubled: number;
  /** Executions without a decision to run in the journal. */
  readonly unapproved: number;
}

/** Audits one store across all killed processes. */
export class Audit {
  private seen: { seq: number; prev: string } = { seq: 0, prev: '0'.repeat(64) };
  /** How often each transition of each call is recorded. */
  private readonly records = new Map<string, number>();
  private acknowledged = 0;
  private lost = 0;
  private unapproved = 0;
  private attempts = 0;
  private taken = 0;

  /** Reads the new records, and checks everything that was acknowledged to the child. */
  async check(store: Store, name: string, ledger: Ledger): Promise<void> {
    await this.readOn(store);
    for (const told of ledger['took'] ?? []) this.must(this.records.get(told) ?? 0);
    for (const call of ledger['ran'] ?? []) {
      const allowed = ['allowed', 'approved'].some((status) => this.records.has(`decided ${status} ${call}`));
      if (!allowed || call.endsWith('never')) this.unapproved++;
    }
    const ran = ledger['ran'] ?? [];
    expect(new Set(ran).size).toBe(ran.length);
    await this.checkApprovals(store, name, ran);
    await this.checkSession(store, name, ledger);
    await this.checkRun(store, name, ledger);
    this.attempts += ledger['counting']?.length ?? 0;
    this.taken += ledger['counted']?.length ?? 0;
    this.acknowledged += ledger['counted']?.length ?? 0;
  }

  /** After all writers have ended: checks all records from the first, and the sum of the counters. */
  async finish(store: Store): Promise<Counted> {
    expect(await store.journal.verify()).toMatchObject({ ok: true });
    const { calls = 0 } = await store.counters.used('shared');
    expect(calls).toBeGreaterThanOrEqual(this.taken);
    expect(calls).toBeLessThanOrEqual(this.attempts);
    const doubled = Array.from(this.records.values()).filter((count) => count > 1).length;
    return { acknowledged: this.acknowledged, lost: this.lost, doubled, unapproved: this.unapproved };
  }

  private must(count: number): void {
    this.acknowledged++;
    if (count === 0) this.lost++;
  }

  private async readOn(store: Store): Promise<void> {
    const fresh: JournalRecord[] = [];
    for await (const record of store.journal.read({ from: this.seen.seq })) fresh.push(record);
    // Compared with the hash saved here, not with one from the store.
    const [first] = fresh;
    if (first !== undefined) expect(first.prev).toBe(this.seen.prev);
    const verified = verifyRecords(fresh, { from: this.seen });
    expect(verified).toMatchObject({ ok: true, count: fresh.length });
    if (verified.ok) this.seen = { seq: this.seen.seq + fresh.length, prev: verified.head };
    for (const { text } of fresh) {
      const { kind, status, call } = JSON.parse(text) as Entry;
      if (kind === 'noted') continue;
      const key = `${kind} ${status} ${call}`;
      this.records.set(key, (this.records.get(key) ?? 0) + 1);
    }
  }

  /** Checks that each execution after a question has a used approval. */
  private async checkApprovals(store: Store, session: string, ran: readonly string[]): Promise<void> {
    const careful = ran.filter((call) => call.endsWith('careful'));
    const used = await store.approvals.list({ session, state: 'used', limit: 1_000_000 });
    const calls = new Set(used.map(({ call }) => call.split('/').at(-1)));
    this.unapproved += careful.filter((call) => !calls.has(call)).length;
  }

  private async checkSession(store: Store, name: string, ledger: Ledger): Promise<void> {
    const saved = ledger['saved'] ?? [];
    const last = Number(saved.at(-1) ?? 0);
    const body = (await store.sessions.load(name))?.body ?? { n: 0 };
    this.must(Number(body['n']) >= last ? 1 : 0);
  }

  private async checkRun(store: Store, name: string, ledger: Ledger): Promise<void> {
    const told = ledger['step'] ?? [];
    const run = await store.runs.get(name);
    if (run === undefined) {
      for (const _each of told) this.must(0);
      return;
    }
    const claim = await store.runs.claim(name, { leaseMs: 60_000 });
    if (typeof claim === 'string') throw new RangeError(`the run of a dead process cannot be claimed: ${claim}`);
    const steps = (await claim.steps()).map((step) => step.name);
    expect(steps).toEqual(steps.map((_each, index) => String(index)));
    for (const step of told) this.must(steps.includes(step) ? 1 : 0);
    expect(await claim.state()).toEqual(steps.length === 0 ? undefined : { at: steps.length - 1 });
    await claim.finish({ state: 'done', output: null });
  }
}
