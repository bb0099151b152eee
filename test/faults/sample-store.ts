/** A store with rows of every kind, filled in small steps: each is acknowledged before the next starts. */

import type { AnswerQuery } from '../../src/approvals/remember-answers.ts';
import type { ReusableAnswer, RememberedRule } from '../../src/kernel/approval.ts';
import type { ApprovalId } from '../../src/kernel/ids.ts';
import type { JournalEntry } from '../../src/kernel/records/journal-entry.ts';
import type { ApproverAnswer } from '../../src/approvals/signing/approval-record.ts';
import { signAnswer } from '../../src/approvals/signing/signed-answer.ts';
import { createApproverKey } from '../../src/store/keys/approver-keys.ts';
import type { SigningKey } from '../../src/approvals/signing/key-ring.ts';
import type { RunClaim } from '../../src/store/runs/run-record.ts';
import type { Store } from '../../src/store/store.ts';
import { draftOf, sampleCall, sampleRequest } from '../rigs/approval-rig.ts';

/** The names of everything that can be queried, existing or not. */
export interface Known {
  /** The store's time when it was created. */
  readonly now: number;
  readonly approvals: readonly string[];
  /** Commands with remembered answers. */
  readonly commands: readonly string[];
  readonly accounts: readonly string[];
  readonly sessions: readonly string[];
  readonly runs: readonly string[];
}

const commands = ['npm test', 'npm test --all', 'npm publish', 'rm -rf build'] as const;
/** What the waiting run has recorded: its next owner continues from there, and asks again if the question is lost. */
export const waitingSteps = JSON.stringify([[{ seq: 0, kind: 'model', name: 'm', value: 'hm' }], { n: 0 }]);
/** For every account. */
export const limits = { calls: 5 };
export const rates = { calls: { max: 3, perMs: 86_400_000 } };
const accounts = ['half', 'full', 'rated', 'unused'];
const sessions = ['session-a', 'session-b', 'session-c'];
const runs = ['run-going', 'run-waiting', 'run-done', 'run-queued', 'run-none'];

export function queryFor(command: string): AnswerQuery {
  const request = sampleRequest({ call: sampleCall({ args: { command_line: command } }) });
  const { session, agent, tool, server, args, cwd, turn } = request.call;
  const group = JSON.stringify([session, agent, tool, server, cwd, request.policyVersion]);
  const covers = ({ text }: RememberedRule) => text === request.proposal?.text && command.startsWith('npm test');
  return { group, binding: JSON.stringify([group, args]), request, turn, covers };
}

/** Fills a store step by step, and tracks what it must contain. */
export class SampleStore {
  private readonly approvals: ApprovalId[] = [];
  private readonly ann: SigningKey;
  private going: RunClaim | undefined;
  private count = 0;

  constructor(
    private readonly store: Store,
    private readonly now: number,
  ) {
    this.ann = createApproverKey({ folder: store.keys.folder, name: 'ann' });
  }

  get known(): Known {
    return { now: this.now, approvals: this.approvals, commands, accounts, sessions, runs };
  }

  /** All steps, in order. */
  get steps(): readonly (() => Promise<unknown>)[] {
    const { store } = this;
    const take = (account: string, more: object = { limits }) =>
      store.counters.take({ account, amounts: { calls: 1 }, ...more });
    return [
      ...[10, 200, 3000, 90, 20_000, 5, 700].map((size) => () => this.record(size)),
      () => this.ask('pending'),
      () => this.ask('denied'),
      () => this.ask('cancelled'),
      () => this.ask('expired'),
      () => this.ask('approved'),
      () => this.ask('used'),
      () => this.ask('void'),
      ...[1, 2].map(() => () => take('half')),
      ...[1, 2, 3, 4, 5].map(() => () => take('full')),
      ...[1, 2, 3].map(() => () => take('rated', { rates })),
      () => this.remember(commands[0], { type: 'approve', remember: 'session', rule: true }),
      () => this.remember(commands[1], { type: 'deny', reason: 'no', remember: 'session' }),
      () => this.remember(commands[2], { type: 'approve', remember: 'session' }),
      () => store.sessions.save('session-a', { n: 1, text: 'x'.repeat(300) }, 0),
      () => store.sessions.save('session-b', { n: 1, text: 'y'.repeat(9000) }, 0),
      () => store.sessions.save('session-a', { n: 2, text: 'z'.repeat(600) }, 1),
      () => store.runs.create({ id: 'run-queued', agent: 'main', input: 'wait' }),
      () => this.finishedRun(),
      () => store.runs.create({ id: 'run-going', agent: 'main', input: 'go' }),
      ...[0, 1, 2, 3, 4, 5].map((n) => () => this.step(n)),
      () => this.waitingRun(),
      ...[60, 4000, 30].map((size) => () => this.record(size)),
      () => take('half'),
      () => this.ask('used'),
    ];
  }

  private async record(size: number): Promise<void> {
    const n = this.count++;
    const entry = {
      v: 1,
      at: this.now,
      session: 's',
      turn: 1,
      step: n,
      agent: ['main'],
      policy: 'p',
      kind: 'settled',
      status: 'ok',
      call: `call-${n}`,
      tool: 'act',
      result: 'r'.repeat(size),
      elapsedMs: 1,
    } satisfies JournalEntry;
    await this.store.journal.append(entry);
  }

  /** An approval that ends up in a state. */
  private async ask(state: string, run?: string): Promise<ApprovalId> {
    const { approvals, keys } = this.store;
    const request = sampleRequest({
      call: sampleCall({ args: { command_line: `make ${this.approvals.length}` } }),
      expiresAt: this.now + (state === 'expired' ? -1 : 86_400_000),
    });
    const record = await approvals.put(draftOf(request, { keys, run, createdAt: this.now - 1000 }));
    const { id } = record;
    this.approvals.push(id);
    const answers: Record<string, ApproverAnswer> = {
      denied: { type: 'deny', reason: 'no' },
      approved: { type: 'approve' },
      used: { type: 'approve' },
    };
    const answer = answers[state];
    if (answer !== undefined) await approvals.answer(signAnswer(this.ann, record, answer));
    if (state === 'used') await approvals.move(id, { from: 'approved', to: 'used', by: 'bridle' });
    if (state === 'cancelled' || state === 'void')
      await approvals.move(id, { from: 'pending', to: state, by: 'bridle' });
    if (state === 'expired') await approvals.expire(this.now);
    return id;
  }

  private async remember(command: string, answer: ApproverAnswer): Promise<void> {
    const query = queryFor(command);
    const { approvals, answers, keys } = this.store;
    const record = await approvals.put(draftOf(query.request, { keys, createdAt: this.now - 1000 }));
    await approvals.answer(signAnswer(this.ann, record, answer));
    this.approvals.push(record.id);
    const approved = answer.type === 'approve';
    const kept: ReusableAnswer = {
      approvalId: record.id,
      approved,
      reason: approved ? '' : 'no',
      by: 'ann',
      turn: undefined,
      rule: approved && answer.rule === true ? query.request.proposal : undefined,
    };
    await answers.keep(query, kept, Number.POSITIVE_INFINITY);
  }

  /** Its steps are deleted at the end, which leaves free pages. */
  private async finishedRun(): Promise<void> {
    const claim = await this.claimed('run-done');
    for (let n = 0; n < 12; n++) {
      await claim.record({ kind: 'tool', name: `s${n}`, value: 'v'.repeat(5000) }, { n });
    }
    await claim.finish({ state: 'done', output: 'all done' });
  }

  private async step(n: number): Promise<void> {
    this.going ??= await this.claimed('run-going');
    await this.going.record({ kind: 'tool', name: `s${n}`, value: { paid: n } }, { n, text: 't'.repeat(n * 500) });
  }

  private async waitingRun(): Promise<void> {
    const claim = await this.claimed('run-waiting');
    await claim.record({ kind: 'model', name: 'm', value: 'hm' }, { n: 0 });
    await claim.wait([await this.ask('pending', 'run-waiting')]);
  }

  private async claimed(id: string): Promise<RunClaim> {
    await this.store.runs.create({ id, agent: 'main', input: id });
    const claim = await this.store.runs.claim(id, { leaseMs: 1000 });
    if (typeof claim === 'string') throw new RangeError(claim);
    return claim;
  }
}
