/**
 * An approver that outlives its process: each question is a record in the store, and an answer counts only if it is
 * signed with a trusted key. Write access to the store alone approves nothing.
 */

import type { ApprovalAnswer, ApprovalRequest, Approver, EarlierQuestion, Mask } from '../kernel/approval.ts';
import { rememberAnswers, type RuleProposer } from '../approvals/remember-answers.ts';
import { BridleError } from '../kernel/errors.ts';
import { containsMask, restoreMasked } from '../redact/mask-text.ts';
import {
  AnsweredElsewhere,
  type ApprovalDraft,
  type ApprovalRecord,
  type ProcessIdentity,
  type ApproverAnswer,
  type SignedAnswer,
  stateAfter,
} from '../approvals/signing/approval-record.ts';
import { answerProblem, needsSignature } from '../approvals/signing/signed-answer.ts';
import { approvalSubject, callDigest } from '../approvals/signing/approval-digest.ts';
import { processIdentity } from '../approvals/signing/process-tree.ts';
import type { Store } from './store.ts';

/** The run that a session belongs to. */
export interface SessionRun {
  readonly id: string;
  /** Aborted when this process stops waiting for answers. The run continues later, when an answer arrives. */
  readonly stopWaiting: AbortSignal;
  /** True for a call that continues where another process left off: it is still the execution that was approved. */
  readonly isResumed: (call: string) => boolean;
  /** True if an answer counts once for the next call with the same args: a host tries a call again as a new call. */
  readonly triesAgain?: boolean | undefined;
}

export interface StoreApproverOptions {
  /** A second approver, asked at the same time. The first answer wins. */
  readonly alsoAsk?: Approver | undefined;
  /** The run of a session, if it belongs to one. */
  readonly runOf?: ((session: string) => SessionRun | undefined) | undefined;
  /** Names of the people who may answer. Default: everyone whose key is trusted here. */
  readonly answerers?: readonly string[] | undefined;
  readonly mask?: Mask | undefined;
  /** The process whose descendants may not answer. Default: this process. */
  readonly asker?: (() => ProcessIdentity) | undefined;
  /** Proposes rules that a person can accept instead of approving each call: `ruleProposals()`. */
  readonly proposals?: RuleProposer | undefined;
}

/**
 * An approver that puts questions into the store. Anyone with a trusted key can answer them, from any machine. Answers
 * to be remembered are kept in the store too.
 */
export function storeApprover(store: Store, options: StoreApproverOptions = {}): Approver {
  const approver = new StoreApprover(store, options);
  const ask = (request: ApprovalRequest, { signal }: { readonly signal: AbortSignal }): Promise<ApprovalAnswer> =>
    approver.ask(request, signal);
  const asking = Object.assign(ask, { earlier: approver.earlier.bind(approver), signed: true });
  return rememberAnswers(asking, { answers: store.answers, proposals: options.proposals });
}

class StoreApprover {
  constructor(
    private readonly store: Store,
    private readonly options: StoreApproverOptions,
  ) {}

  /** In a resumed run: the question that was already asked about this call, if any. */
  async earlier(request: ApprovalRequest): Promise<EarlierQuestion | undefined> {
    const { call } = request;
    const run = this.runOf(request);
    if (run === undefined) return undefined;
    const digest = callDigest(request, this.store.keys);
    // After an edit, the edited call is asked about again, so one call can have several questions, one per set of args.
    const about = { run: run.id, agent: call.agent, call: this.keyOf(request), callDigest: digest };
    const record = await this.store.approvals.ofCall(about);
    if (record === undefined) return undefined;
    const { id, state } = record;
    if (record.callDigest !== digest) return this.voidChanged(record);
    if (state === 'void' || state === 'cancelled') return undefined;
    const isSame = this.matchesRequest(record, request);
    // A refusal counts for the rest of the turn.
    const isOver = state === 'expired' || (state === 'denied' && record.remembers.turn !== call.turn);
    if (run.triesAgain === true && isOver) return undefined;
    // An unsigned answer counts only in the process that received it.
    if (state === 'used') {
      return isSame && record.answer !== undefined && (await this.isContinued(record, run)) ? { id } : undefined;
    }
    if (isSame) return { id };
    // The policy or the question changed since then: ask again.
    await this.void(record);
    return undefined;
  }

  async ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer> {
    const { approvals } = this.store;
    const known = await approvals.get(request.id);
    const own = known ?? (await approvals.put(this.draft(request)));
    const record = this.sharesAnswer(request) ? await this.firstEqual(own) : own;
    if (record.state !== 'pending') return this.answerFromRecord(record, request);
    return this.wait(record, request, signal);
  }

  /** The first pending question about the same call. If another process asked it first, this one is withdrawn. */
  private async firstEqual(own: ApprovalRecord): Promise<ApprovalRecord> {
    const { run = '', agent, call, id } = own;
    const first = await this.store.approvals.firstPending({ run, agent, call });
    if (first === undefined || first.id === id || first.digest !== own.digest) return own;
    await this.store.approvals.move(id, { from: 'pending', to: 'cancelled', by: 'bridle' });
    return first;
  }

  /** Whether a used approval still covers the current call: nothing has run yet, or the call may run again. */
  private async isContinued(record: ApprovalRecord, run: SessionRun | undefined): Promise<boolean> {
    const { state, agent, call, answer, id } = record;
    if (state !== 'used' || run === undefined) return false;
    if (run.isResumed(call)) return true;
    if (answer?.answer.type !== 'approve' || answer.answer.args === undefined) return false;
    // An edited call does not run until the question about the edit is answered, so the edit may be replayed up to
    // there.
    const last = await this.store.approvals.ofCall({ run: run.id, agent, call });
    return last?.id !== id && ['pending', 'approved', 'denied', 'expired'].includes(last?.state ?? '');
  }

  /** The call differs from the one that was shown: refuse it instead of asking again, since it may be a trick. */
  private async voidChanged(record: ApprovalRecord): Promise<EarlierQuestion | undefined> {
    // Already executed, or never answered: there is no approval to abuse.
    if (['used', 'cancelled', 'expired'].includes(record.state)) return undefined;
    await this.void(record);
    return { refused: `The call was changed after approval was requested, so approval ${record.id} is void` };
  }

  private async void({ id, state }: ApprovalRecord): Promise<void> {
    if (state === 'pending' || state === 'approved') {
      await this.store.approvals.move(id, { from: state, to: 'void', by: 'bridle' });
    }
  }

  private async wait(record: ApprovalRecord, request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer> {
    const run = this.runOf(request);
    const hasStoppedWaiting = run?.stopWaiting.aborted === true;
    const alsoAsk = needsSignature(request) ? undefined : this.options.alsoAsk;
    // A local approver is always asked; answers from other processes are not waited for.
    if (hasStoppedWaiting && alsoAsk === undefined) return { type: 'suspend' };
    const stopped = AbortSignal.any(run === undefined || hasStoppedWaiting ? [signal] : [signal, run.stopWaiting]);
    const race = new AbortController();
    const signals = AbortSignal.any([stopped, race.signal]);
    let isSettled = false;
    try {
      const storedAnswer = this.store.approvals.settled(record.id, { signal: signals });
      const localAnswer = alsoAsk?.(request, { signal: signals });
      const localAnswers = localAnswer === undefined ? [] : [Promise.resolve(localAnswer).then(toAnswer)];
      const first = await Promise.race([storedAnswer, ...localAnswers]);
      if ('type' in first) return await this.recordAnswer(first, record, request);
      isSettled = first.state !== 'pending';
      if (!isSettled && run?.stopWaiting.aborted === true) return { type: 'suspend' };
      const answer = await this.answerFromRecord(first, request);
      race.abort(AnsweredElsewhere.from(answer));
      return answer;
    } finally {
      race.abort();
      if (run === undefined && !isSettled) await this.closeUnanswered(record);
    }
  }

  /** Closes a question that nobody waits for and that no run will come back to. */
  private async closeUnanswered({ id, expiresAt }: ApprovalRecord): Promise<void> {
    const to = expiresAt <= Date.now() ? 'expired' : 'cancelled';
    await this.store.approvals.move(id, { from: 'pending', to, by: 'bridle' });
  }

  /** Records a local answer like any other. If another answer was recorded first, that one counts. */
  private async recordAnswer(
    answer: ApprovalAnswer,
    record: ApprovalRecord,
    request: ApprovalRequest,
  ): Promise<ApprovalAnswer> {
    const to = stateAfter(answer);
    // Not a valid answer: the guard reports what is wrong with it.
    if (to === undefined) return answer;
    const { approvals } = this.store;
    const by = ('by' in answer ? answer.by : undefined) ?? 'approver';
    const won = await approvals.move(record.id, { from: 'pending', to, by });
    if (!won) return this.answerFromRecord((await approvals.get(record.id)) ?? record, request);
    if (to === 'approved') await this.markUsed(record);
    return answer;
  }

  /** The answer in a settled record. */
  private async answerFromRecord(record: ApprovalRecord, request: ApprovalRequest): Promise<ApprovalAnswer> {
    const { state, id } = record;
    if (state === 'expired') return { type: 'expire' };
    const isShared = state === 'used' && this.sharesAnswer(request);
    if (
      state !== 'approved' &&
      state !== 'denied' &&
      !isShared &&
      !(await this.isContinued(record, this.runOf(request)))
    ) {
      throw new BridleError(
        'APPROVAL_REFUSED',
        `approval ${id} ${state === 'used' ? 'has already been used' : `is ${state}`}`,
      );
    }
    const signed = this.checkedAnswer(record, request);
    if (typeof signed === 'string') {
      await this.void(record);
      throw new BridleError('APPROVAL_REFUSED', `the answer to approval ${id} does not count: ${signed}`);
    }
    if (state === 'approved') await this.markUsed(record, this.sharesAnswer(request));
    const place = signed.host === undefined ? undefined : ('host' as const);
    const answer = { ...this.restoreArgs(signed.answer, request), by: signed.by, place };
    return answer.type === 'deny' ? answer : { ...answer, ageMs: ageOf(record) };
  }

  /** Puts back masked values: a person who edits args sees masks and leaves most of them unchanged. */
  private restoreArgs(answer: ApproverAnswer, { call }: ApprovalRequest): ApproverAnswer {
    const { mask } = this.options;
    if (answer.type === 'deny' || answer.args === undefined || mask === undefined) return answer;
    return { ...answer, args: restoreMasked(answer.args, call.args, mask) };
  }

  /** The answer in a record, or why it does not count. The record itself proves nothing: anyone may have written it. */
  private checkedAnswer(record: ApprovalRecord, request: ApprovalRequest): SignedAnswer | string {
    const { state, answer: signed } = record;
    if (!this.matchesRequest(record, request)) return 'it is for a different call';
    if (signed === undefined) return 'it has no answer';
    const verifier = { trusted: this.store.keys.approverKeys(), own: processIdentity() };
    const problem = answerProblem(signed, { ...record, answerers: this.options.answerers }, verifier);
    if (problem !== undefined) return problem;
    const answer = this.restoreArgs(signed.answer, request);
    if (answer.type !== (state === 'denied' ? 'deny' : 'approve'))
      return `the answer says ${answer.type}, but the record says ${state}`;
    const isMasked = answer.type === 'approve' && answer.args !== undefined && containsMask(answer.args);
    return isMasked ? 'its args contain a masked value that the call does not have: write the value out' : signed;
  }

  /** Whether a record is for exactly this request. Computed from the request, not from what the record claims. */
  private matchesRequest(record: ApprovalRecord, request: ApprovalRequest): boolean {
    return record.digest === approvalSubject(request, this.store.keys).digest;
  }

  /** Marks an approval as used. An approval allows one execution: if two processes try, one fails. */
  private async markUsed({ id }: ApprovalRecord, isShared = false): Promise<void> {
    const won = await this.store.approvals.move(id, { from: 'approved', to: 'used', by: 'bridle' });
    if (!won && !isShared) throw new BridleError('APPROVAL_REFUSED', `approval ${id} has already been used`);
  }

  private draft(request: ApprovalRequest): ApprovalDraft {
    const { id, call, expiresAt } = request;
    const { answerers, mask = (value) => value } = this.options;
    return {
      ...approvalSubject(request, this.store.keys),
      id,
      call: this.keyOf(request),
      run: this.runOf(request)?.id,
      args: mask(call.args),
      answerers,
      asker: this.options.asker?.() ?? processIdentity(),
      createdAt: Date.now(),
      expiresAt,
    };
  }

  /** Identical calls without side effects that wait for the same question are all answered by it. */
  private sharesAnswer(request: ApprovalRequest): boolean {
    return request.call.tier === 'observe' && this.runOf(request)?.triesAgain === true;
  }

  private keyOf(request: ApprovalRequest): string {
    return this.runOf(request)?.triesAgain === true ? callDigest(request, this.store.keys) : callKey(request.call);
  }

  private runOf({ call }: ApprovalRequest): SessionRun | undefined {
    return this.options.runOf?.(call.session);
  }
}

/** Normalizes an answer to an object with a `type`, which distinguishes it from a record. */
function toAnswer(given: boolean | ApprovalAnswer): ApprovalAnswer {
  if (typeof given === 'boolean') return { type: given ? 'approve' : 'deny' };
  return typeof given === 'object' && given !== null && 'type' in given ? given : { type: given };
}

/** How long ago the approval was given. A rule can limit how long an approval counts. */
function ageOf({ changes }: ApprovalRecord): number {
  const given = changes.find(({ state }) => state === 'approved')?.at ?? 0;
  return Math.max(0, Math.floor(Date.now() - given));
}

/** Identifies a call within a session. Models restart their call ids with every response, so turn and step count. */
export function callKey(call: { readonly turn: number; readonly step: number; readonly id: string }): string {
  return `${call.turn}/${call.step}/${call.id}`;
}
