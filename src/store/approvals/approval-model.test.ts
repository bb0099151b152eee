/** Approvals against a naive model: any order of answers, state changes and passing time, on both databases. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type ApprovalRig, openApprovalRig } from '../../../test/rigs/approval-rig.ts';
import { proves } from '../../../test/contract/cite.ts';
import { runs } from '../../../test/property-runs.ts';
import { describeStores } from '../../../test/rigs/store-rig.ts';
import type { ApprovalRecord, ApprovalState } from '../../approvals/signing/approval-record.ts';
import { signAnswer } from '../../approvals/signing/signed-answer.ts';

const states: readonly ApprovalState[] = ['pending', 'approved', 'denied', 'expired', 'cancelled', 'void', 'used'];

type Step =
  | { readonly type: 'answer'; readonly yes: boolean }
  | { readonly type: 'move'; readonly from: ApprovalState; readonly to: ApprovalState }
  | { readonly type: 'pass'; readonly ms: number }
  | { readonly type: 'expire' };

/** Allowed transitions are generated as often as all others together. */
const move = fc.oneof(
  fc.record({ from: fc.constantFrom(...states), to: fc.constantFrom(...states) }),
  fc.record({ from: fc.constant('pending' as const), to: fc.constantFrom('approved', 'denied', 'void') }),
  fc.record({ from: fc.constant('approved' as const), to: fc.constantFrom('used', 'void', 'expired') }),
);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constant('answer' as const), yes: fc.boolean() }) },
  { weight: 3, arbitrary: move.map(({ from, to }) => ({ type: 'move' as const, from, to })) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('pass' as const), ms: fc.constantFrom(1, 400, 1000) }) },
  { weight: 1, arbitrary: fc.constant({ type: 'expire' as const }) },
);

/** Written out case by case, without sharing code with the implementation. */
class Model {
  state: ApprovalState = 'pending';
  uses = 0;
  private readonly end: number;

  constructor(
    private readonly clock: () => number,
    lastsMs: number,
  ) {
    this.end = clock() + lastsMs;
  }

  answer(yes: boolean): boolean {
    if (this.state !== 'pending') return false;
    if (this.clock() >= this.end) {
      this.state = 'expired';
      return false;
    }
    this.state = yes ? 'approved' : 'denied';
    return true;
  }

  move(from: ApprovalState, to: ApprovalState): boolean | 'refused' {
    const open = from === 'pending' && ['approved', 'denied', 'expired', 'cancelled', 'void'].includes(to);
    const given = from === 'approved' && ['used', 'void', 'expired'].includes(to);
    if (!open && !given) return 'refused';
    if (this.state !== from) return false;
    if (to === 'approved' || to === 'denied') return this.answer(to === 'approved');
    if (to === 'used') this.uses++;
    this.state = to;
    return true;
  }

  expire(): number {
    if (this.state !== 'pending' || this.clock() < this.end) return 0;
    this.state = 'expired';
    return 1;
  }
}

interface Subject extends ApprovalRig {
  readonly record: ApprovalRecord;
}

async function take(each: Step, model: Model, { approvals, record, ann, clock }: Subject): Promise<void> {
  switch (each.type) {
    case 'answer': {
      const { won } = await approvals.answer(signAnswer(ann, record, { type: each.yes ? 'approve' : 'deny' }));
      expect(won).toBe(model.answer(each.yes));
      break;
    }
    case 'move': {
      const { from, to } = each;
      const moved = await approvals
        .move(record.id, { from, to, by: 'x' })
        .catch((error: { code: string }) => error.code);
      const expected = model.move(from, to);
      expect(moved).toBe(expected === 'refused' ? 'APPROVAL_REFUSED' : expected);
      break;
    }
    case 'pass':
      clock.move(each.ms);
      break;
    case 'expire':
      expect(await approvals.expire()).toBe(model.expire());
      break;
    default:
      each satisfies never;
  }
}

describeStores('an approval', (rig) => {
  const title = proves('Q02', 'R05')('goes through its states as a naive model does, and is used at most once');
  it(title, { timeout: 120_000 }, async () => {
    const approvalRig = await openApprovalRig(rig);
    const { approvals, clock, put } = approvalRig;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        const record = await put({ expiresAt: clock() + 1000 });
        const model = new Model(clock, 1000);
        const seen: ApprovalState[] = ['pending'];
        for (const each of steps) {
          await take(each, model, { ...approvalRig, record });
          const now = await approvals.get(record.id);
          expect(now?.state).toBe(model.state);
          if (seen.at(-1) !== model.state) seen.push(model.state);
          expect(now?.changes.map(({ state }) => state)).toEqual(seen);
          expect(model.uses).toBeLessThanOrEqual(1);
        }
        clock.move(2000);
        await approvals.expire();
      }),
      { numRuns: runs(rig.kind === 'sqlite' ? 80 : 40) },
    );
  });
});
