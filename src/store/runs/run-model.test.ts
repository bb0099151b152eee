/** Runs against a naive model for any order of events, and against a list of acknowledged steps under concurrency. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { runs as runCount } from '../../../test/property-runs.ts';
import { handClock, mustClaim, runRig, type HandClock, type RunRig } from '../../../test/rigs/run-rig.ts';
import { describeStores } from '../../../test/rigs/store-rig.ts';
import type { BridleError } from '../../kernel/errors.ts';
import type { ApprovalId } from '../../kernel/ids.ts';
import type { RunClaim, RunState } from './run-record.ts';

const leaseMs = 100;
const askMs = 250;

/** A model of runs without a database. */
class Model {
  state: RunState = 'queued';
  segment = 0;
  leaseUntil = 0;
  steps: string[] = [];
  kept: string | undefined;
  waitingFor: number[] = [];
  /** For each approval: when it expires. */
  readonly open: number[] = [];

  constructor(private readonly clock: HandClock) {}

  get over(): boolean {
    return this.state === 'done' || this.state === 'cancelled';
  }

  isOpen(approval: number): boolean {
    return (this.open[approval] ?? 0) > this.clock();
  }

  claim(): boolean {
    const free =
      this.state === 'queued' ||
      (this.state === 'running' && this.leaseUntil <= this.clock()) ||
      (this.state === 'waiting' && this.waitingFor.some((each) => !this.isOpen(each)));
    if (!free) return false;
    this.state = 'running';
    this.segment++;
    this.leaseUntil = this.clock() + leaseMs;
    return true;
  }

  /** An operation by the owner of a segment; false if it is fenced. */
  own(segment: number, work: () => void): boolean {
    if (this.state !== 'running' || this.segment !== segment) return false;
    work();
    return true;
  }

  record(name: string, state: string | undefined): void {
    this.steps.push(name);
    this.kept = state ?? this.kept;
    this.leaseUntil = this.clock() + leaseMs;
  }

  wait(approvals: number[]): void {
    const answered = approvals.some((each) => !this.isOpen(each));
    this.state = answered ? 'queued' : 'waiting';
    this.waitingFor = answered ? [] : approvals;
  }

  settle(approval: number): void {
    this.open[approval] = 0;
    if (this.state === 'waiting') this.state = 'queued';
  }

  reap(): boolean {
    const due = this.state === 'running' && this.leaseUntil <= this.clock();
    if (due) this.state = 'queued';
    return due;
  }

  cancel(): boolean {
    if (this.over) return false;
    this.state = 'cancelled';
    return true;
  }
}

type Op =
  | { readonly type: 'claim'; readonly worker: number }
  | { readonly type: 'record'; readonly claim: number; readonly state: boolean }
  | { readonly type: 'renew' | 'release' | 'finish' | 'look'; readonly claim: number }
  | { readonly type: 'wait'; readonly claim: number; readonly approvals: readonly number[] }
  | { readonly type: 'settle'; readonly approval: number }
  | { readonly type: 'ask' | 'reap' | 'cancel' }
  | { readonly type: 'move'; readonly ms: number };

const small = fc.nat({ max: 5 });
/** Prefers the last claim, which is the one that is most often still valid. */
const claim = fc.oneof(fc.constant(0), small);
const ops: fc.Arbitrary<readonly Op[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ type: fc.constant('claim' as const), worker: fc.nat({ max: 2 }) }) },
    { weight: 6, arbitrary: fc.record({ type: fc.constant('record' as const), claim, state: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constantFrom('renew', 'release', 'look'), claim }) },
    {
      weight: 3,
      arbitrary: fc.record({
        type: fc.constant('wait' as const),
        claim,
        approvals: fc.uniqueArray(small, { minLength: 1, maxLength: 3 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('settle' as const), approval: small }) },
    { weight: 3, arbitrary: fc.record({ type: fc.constantFrom('ask', 'reap') }) },
    { weight: 4, arbitrary: fc.record({ type: fc.constant('move' as const), ms: fc.constantFrom(1, 60, 99, 100) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('cancel') }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('finish' as const), claim }) },
  ),
  { minLength: 5, maxLength: 40 },
);

/** True if it succeeded, false if it was fenced. */
async function went(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    expect((error as BridleError).code).toBe('RUN_FENCED');
    return false;
  }
}

/** Applies the same operation to a run and its model, and compares every result. */
class Twins {
  private readonly model: Model;
  private readonly claims: RunClaim[] = [];
  private readonly approvals: ApprovalId[] = [];
  private recorded = 0;

  constructor(
    private readonly id: string,
    private readonly workers: readonly RunRig[],
    private readonly clock: HandClock,
  ) {
    this.model = new Model(clock);
  }

  async step(op: Op): Promise<void> {
    const { model, id } = this;
    const first = this.workers[0] as RunRig;
    switch (op.type) {
      case 'claim': {
        const taken = await (this.workers[op.worker] as RunRig).runs.claim(id, { leaseMs });
        expect(typeof taken !== 'string').toBe(model.claim());
        if (typeof taken !== 'string') this.claims.push(taken);
        return;
      }
      case 'ask':
        this.approvals.push(await first.ask(id, askMs));
        model.open.push(this.clock() + askMs);
        return;
      case 'settle': {
        const approval = this.approvals[op.approval];
        if (approval === undefined || model.open[op.approval] === 0) return;
        await (this.workers[1] as RunRig).settle(approval);
        return model.settle(op.approval);
      }
      case 'reap':
        expect(await first.runs.reap()).toEqual(model.reap() ? [id] : []);
        return;
      case 'cancel':
        expect(await first.runs.cancel(id, 'ada')).toBe(model.cancel());
        return;
      case 'move':
        return this.clock.move(op.ms);
      default:
        return this.own(op);
    }
  }

  private async own(op: Extract<Op, { readonly claim: number }>): Promise<void> {
    const { model } = this;
    const claim = this.claims.at(-1 - op.claim);
    if (claim === undefined) return;
    const is = (work: () => void): boolean => model.own(claim.run.segment, work);
    switch (op.type) {
      case 'record': {
        const name = `s${this.recorded++}`;
        const state = op.state ? name : undefined;
        const done = await went(claim.record({ kind: 'k', name, value: name }, state));
        return expect(done).toBe(is(() => model.record(name, state)));
      }
      case 'renew':
        return expect(await went(claim.renew())).toBe(is(() => void (model.leaseUntil = this.clock() + leaseMs)));
      case 'release':
        return expect(await went(claim.release())).toBe(is(() => void (model.state = 'queued')));
      case 'finish':
        return expect(await went(claim.finish({ state: 'done', output: 1 }))).toBe(
          is(() => void (model.state = 'done')),
        );
      case 'wait': {
        const known = op.approvals.filter((each) => each < this.approvals.length);
        if (known.length === 0) return;
        const ids = known.map((each) => this.approvals[each] as ApprovalId);
        return expect(await went(claim.wait(ids))).toBe(is(() => model.wait(known)));
      }
      case 'look': {
        const looks = Promise.all([claim.steps(), claim.state()]);
        if (!is(() => undefined)) return expect(await went(looks)).toBe(false);
        const [steps, state] = await looks;
        expect(steps.map(({ name }) => name)).toEqual(model.steps);
        return expect(state).toBe(model.kept);
      }
      default:
        return op satisfies never;
    }
  }

  async compare(): Promise<void> {
    const { model, id } = this;
    const { runs } = this.workers[2] as RunRig;
    const { state, segment, steps } = model;
    expect(await runs.get(id)).toMatchObject({ state, segment, steps: steps.length });
    this.clock.move(10_000);
    const last = await runs.claim(id, { leaseMs });
    expect(typeof last === 'string').toBe(model.over);
    if (typeof last === 'string') return;
    expect((await last.steps()).map(({ name }) => name)).toEqual(steps);
    expect(await last.state()).toBe(model.kept);
  }
}

describeStores('runs', (rig) => {
  it(proves('R07')('behave like a naive model for any sequence of operations'), { timeout: 120_000 }, async () => {
    const clock = handClock();
    const workers = [await runRig(rig, clock), await runRig(rig, clock), await runRig(rig, clock)];
    let count = 0;
    await fc.assert(
      fc.asyncProperty(ops, async (plan) => {
        const id = `run-${count++}`;
        const { runs } = workers[0] as RunRig;
        await runs.create({ id, agent: 'main', input: 1 });
        const twins = new Twins(id, workers, clock);
        for (const op of plan) await twins.step(op);
        await twins.compare();
        await runs.cancel(id, 'the test');
      }),
      { numRuns: runCount(60) },
    );
  });

  it(proves('R07')('with many competing owners have one at a time, and every acknowledged step once'), async () => {
    const clock = handClock();
    const workers = await Promise.all(Array.from({ length: 4 }, () => runRig(rig, clock)));
    await (workers[0] as RunRig).runs.create({ id: 'r', agent: 'main', input: 1 });
    const acknowledged: string[] = [];
    let takeovers = 0;
    const hammer = async ({ runs }: RunRig, worker: number): Promise<void> => {
      for (let round = 0; round < 25; round++) {
        const claim = await runs.claim('r', { leaseMs });
        if (typeof claim === 'string') {
          clock.move(30);
          continue;
        }
        takeovers++;
        const { segment } = claim.run;
        const names = Array.from({ length: 6 }, (_, at) => `w${worker} g${segment} ${at}`);
        const one = async (name: string): Promise<void> => {
          if (await went(claim.record({ kind: 'k', name, value: segment }, name))) acknowledged.push(name);
        };
        await Promise.all(names.map(one));
        if (round % 5 === 0) await went(claim.release());
        // An owner that was away for too long comes back and tries to record.
        clock.move(round % 3 === 0 ? leaseMs : 0);
        await one(`${names[0]} late`);
      }
    };
    await Promise.all(workers.map(hammer));
    clock.move(10_000);
    const steps = await (await mustClaim((workers[0] as RunRig).runs, 'r')).steps();
    expect(steps.map(({ name }) => name).toSorted()).toEqual(acknowledged.toSorted());
    expect(new Set(acknowledged).size).toBe(acknowledged.length);
    // Once another owner has recorded, the previous one never can.
    const segments = steps.map(({ value }) => Number(value));
    expect(segments).toEqual(segments.toSorted((a, b) => a - b));
    expect(takeovers).toBeGreaterThan(4);
  });
});
