/**
 * An approver that outlives its process: a question is a record in the store, and an answer counts if it is signed by
 * somebody whose key is trusted here. Writing into the store approves nothing.
 */

import type { ApprovalAnswer, ApprovalRequest, Approver, EarlierQuestion, Mask } from '../kernel/approval.ts';
import { BridleError } from '../kernel/errors.ts';
import { containsMask } from '../redact/secrets/mask-text.ts';
import { restoreMasked } from '../redact/restore-masked.ts';
import type {
  ApprovalDraft,
  ApprovalRecord,
  ApprovalState,
  ApproverAnswer,
  SignedAnswer,
} from '../approvals/signing/approval-record.ts';
import { answerProblem } from '../approvals/signing/answer-problem.ts';
import { approvalDigest, askedQuestions, callDigest, rememberBinding } from '../approvals/signing/approval-digest.ts';
import { processIdentity } from '../approvals/signing/process-tree.ts';
import type { Store } from './store.ts';

/** What is known of the run that a session belongs to. */
export interface SessionRun {
  readonly id: string;
  /** Aborted once nobody waits here for answers any more: the run goes on when there is one. */
  readonly stopWaiting: AbortSignal;
  /** True for a call that goes on where another process had left it: it is still the execution that was approved. */
  readonly isResumed: (call: string) => boolean;
}

export interface StoreApproverOptions {
  /** Asked at the same time; whoever answers first has answered. */
  readonly alsoAsk?: Approver | undefined;
  /** The run of a session, if it is one. */
  readonly runOf?: ((session: string) => SessionRun | undefined) | undefined;
  /** The names of those who may answer; anybody whose key is trusted here if not given. */
  readonly answerers?: readonly string[] | undefined;
  readonly mask?: Mask | undefined;
}

/** Questions put into a store, to be answered from wherever somebody has a key. */
export function storeApprover(store: Store, options: StoreApproverOptions = {}): Approver {
  const approver = new StoreApprover(store, options);
  const ask = (request: ApprovalRequest, { signal }: { readonly signal: AbortSignal }): Promise<ApprovalAnswer> =>
    approver.ask(request, signal);
  return Object.assign(ask, { earlier: (request: ApprovalRequest) => approver.earlier(request) });
}

class StoreApprover {
  constructor(
    private readonly store: Store,
    private readonly options: StoreApproverOptions,
  ) {}

  /** In a run that is resumed: the question about this call, if it was put. */
  async earlier(request: ApprovalRequest): Promise<EarlierQuestion | undefined> {
    const { call } = request;
    const run = this.runOf(request);
    if (run === undefined) return undefined;
    const digest = callDigest(request, this.store.keys);
    // A person who edits is asked about what came of it: then a call has a question for each of its args.
    const about = { run: run.id, agent: call.agent, call: callKey(call), callDigest: digest };
    const record = await this.store.approvals.ofCall(about);
    if (record === undefined) return undefined;
    const { id, state } = record;
    if (record.callDigest !== digest) return this.voidChanged(record);
    if (state === 'void' || state === 'cancelled') return undefined;
    const isSame = this.matchesRequest(record, request);
    // What was said without a signature counted for the process it was said to.
    if (state === 'used') {
      return isSame && record.answer !== undefined && (await this.isContinued(record, run)) ? { id } : undefined;
    }
    if (isSame) return { id };
    // The same call under another policy, or asked about in other words: it is asked about anew.
    await this.void(record);
    return undefined;
  }

  async ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer> {
    const { approvals } = this.store;
    const known = await approvals.get(request.id);
    const record = known ?? (await approvals.put(this.draft(request)));
    if (record.state !== 'pending') return this.answerFromRecord(record, request);
    return this.wait(record, request, signal);
  }

  /** Whether a used approval is still that of the call under way: nothing has run, or it may run again. */
  private async isContinued(record: ApprovalRecord, run: SessionRun | undefined): Promise<boolean> {
    const { state, agent, call, answer, id } = record;
    if (state !== 'used' || run === undefined) return false;
    if (run.isResumed(call)) return true;
    if (answer?.answer.type !== 'approve' || answer.answer.args === undefined) return false;
    // An edit alone lets nothing run while what came of it is asked about: it is said again, up to that question.
    const last = await this.store.approvals.ofCall({ run: run.id, agent, call });
    return last?.id !== id && ['pending', 'approved', 'denied', 'expired'].includes(last?.state ?? '');
  }

  /** Another call than the one that was shown is not what a person says yes to, and nobody is asked about a trick. */
  private async voidChanged(record: ApprovalRecord): Promise<EarlierQuestion | undefined> {
    // What has run already, or was never answered, stands for itself.
    if (['used', 'cancelled', 'expired'].includes(record.state)) return undefined;
    await this.void(record);
    return { refused: `The call was changed after a person had been asked about it: approval ${record.id} is void` };
  }

  private async void({ id, state }: ApprovalRecord): Promise<void> {
    if (state === 'pending' || state === 'approved') {
      await this.store.approvals.move(id, { from: state, to: 'void', by: 'bridle' });
    }
  }

  private async wait(record: ApprovalRecord, request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer> {
    const run = this.runOf(request);
    const hasStoppedWaiting = run?.stopWaiting.aborted === true;
    // Code that answers here is asked in any case; people elsewhere are not waited for.
    if (hasStoppedWaiting && this.options.alsoAsk === undefined) return { type: 'suspend' };
    const stopped = AbortSignal.any(run === undefined || hasStoppedWaiting ? [signal] : [signal, run.stopWaiting]);
    const race = new AbortController();
    const signals = AbortSignal.any([stopped, race.signal]);
    try {
      const storedAnswer = this.store.approvals.settled(record.id, { signal: signals });
      const localAnswer = this.options.alsoAsk?.(request, { signal: signals });
      const localAnswers = localAnswer === undefined ? [] : [Promise.resolve(localAnswer).then(toAnswer)];
      const first = await Promise.race([storedAnswer, ...localAnswers]);
      if ('type' in first) return await this.recordAnswer(first, record, request);
      if (first.state === 'pending' && run?.stopWaiting.aborted === true) return { type: 'suspend' };
      return await this.answerFromRecord(first, request);
    } finally {
      race.abort();
      if (run === undefined) await this.closeUnanswered(record);
    }
  }

  /** A question that nobody waits for any more, and that no run will come back to, is not left open. */
  private async closeUnanswered({ id, expiresAt }: ApprovalRecord): Promise<void> {
    const to = expiresAt <= Date.now() ? 'expired' : 'cancelled';
    await this.store.approvals.move(id, { from: 'pending', to, by: 'bridle' });
  }

  /** What is answered here is recorded like any other answer: if another was faster, that one counts. */
  private async recordAnswer(
    answer: ApprovalAnswer,
    record: ApprovalRecord,
    request: ApprovalRequest,
  ): Promise<ApprovalAnswer> {
    const to = stateAfter(answer);
    // No answer at all: the guard says what is wrong with it.
    if (to === undefined) return answer;
    const { approvals } = this.store;
    const by = ('by' in answer ? answer.by : undefined) ?? 'approver';
    const won = await approvals.move(record.id, { from: 'pending', to, by });
    if (!won) return this.answerFromRecord((await approvals.get(record.id)) ?? record, request);
    if (to === 'approved') await this.markUsed(record);
    return answer;
  }

  /** What a settled record says to whoever asked. */
  private async answerFromRecord(record: ApprovalRecord, request: ApprovalRequest): Promise<ApprovalAnswer> {
    const { state, id } = record;
    if (state === 'expired') return { type: 'expire' };
    if (state !== 'approved' && state !== 'denied' && !(await this.isContinued(record, this.runOf(request)))) {
      throw new BridleError('APPROVAL_REFUSED', `approval ${id} is ${state}`);
    }
    const signed = this.checkedAnswer(record, request);
    if (typeof signed === 'string') {
      await this.void(record);
      throw new BridleError('APPROVAL_REFUSED', `the answer to approval ${id} does not count: ${signed}`);
    }
    if (state === 'approved') await this.markUsed(record);
    const place = signed.host === undefined ? undefined : ('host' as const);
    const answer = { ...this.restoreArgs(signed.answer, request), by: signed.by, place };
    return answer.type === 'deny' ? answer : { ...answer, ageMs: ageOf(record) };
  }

  /** Who edits args sees masks, and leaves most of them where they are. */
  private restoreArgs(answer: ApproverAnswer, { call }: ApprovalRequest): ApproverAnswer {
    const { mask } = this.options;
    if (answer.type === 'deny' || answer.args === undefined || mask === undefined) return answer;
    return { ...answer, args: restoreMasked(answer.args, call.args, mask) };
  }

  /** The answer of a record, or why it does not count: the record is only what somebody has written into the store. */
  private checkedAnswer(record: ApprovalRecord, request: ApprovalRequest): SignedAnswer | string {
    const { state, answer: signed } = record;
    if (!this.matchesRequest(record, request)) return 'it is about another call than the one that is asked about';
    if (signed === undefined) return 'it holds no answer of anybody';
    const verifier = { trusted: this.store.keys.approverKeys(), own: processIdentity() };
    const problem = answerProblem(signed, { ...record, answerers: this.options.answerers }, verifier);
    if (problem !== undefined) return problem;
    const answer = this.restoreArgs(signed.answer, request);
    if (answer.type !== (state === 'denied' ? 'deny' : 'approve')) return `it says ${answer.type}, the record ${state}`;
    const isMasked = answer.type === 'approve' && answer.args !== undefined && containsMask(answer.args);
    return isMasked ? 'its args hold a masked value that is none of the call: write it out' : signed;
  }

  /** Whether a record is about this request and no other, by what is asked here and not by what the record says. */
  private matchesRequest(record: ApprovalRecord, request: ApprovalRequest): boolean {
    return record.digest === approvalDigest(request, this.store.keys);
  }

  /** The one execution an approval is for begins here; of two processes that try, one fails. */
  private async markUsed({ id }: ApprovalRecord): Promise<void> {
    const won = await this.store.approvals.move(id, { from: 'approved', to: 'used', by: 'bridle' });
    if (!won) throw new BridleError('APPROVAL_REFUSED', `approval ${id} has been used`);
  }

  private draft(request: ApprovalRequest): ApprovalDraft {
    const { id, call, shown, questions, policyVersion, expiresAt, proposal } = request;
    const { answerers, mask = (value) => value } = this.options;
    const { keys } = this.store;
    return {
      id,
      digest: approvalDigest(request, keys),
      callDigest: callDigest(request, keys),
      session: call.session,
      agent: call.agent,
      call: callKey(request.call),
      run: this.runOf(request)?.id,
      tool: call.tool,
      server: call.server,
      args: mask(call.args),
      shown,
      questions: askedQuestions(questions),
      proposal: proposal?.text,
      remembers: rememberBinding(request, keys),
      policyVersion,
      answerers,
      asker: processIdentity(),
      createdAt: Date.now(),
      expiresAt,
    };
  }

  private runOf({ call }: ApprovalRequest): SessionRun | undefined {
    return this.options.runOf?.(call.session);
  }
}

/** With a type in any case, so that it can be told from a record. */
function toAnswer(given: boolean | ApprovalAnswer): ApprovalAnswer {
  if (typeof given === 'boolean') return { type: given ? 'approve' : 'deny' };
  return typeof given === 'object' && given !== null && 'type' in given ? given : { type: given };
}

/** How long an approval has waited for whoever asked: a rule may say how long one counts. */
function ageOf({ changes }: ApprovalRecord): number {
  const given = changes.find(({ state }) => state === 'approved')?.at ?? 0;
  return Math.max(0, Math.floor(Date.now() - given));
}

/** Which call of a session it is: models count their calls anew in every answer, so its place belongs to it. */
export function callKey(call: { readonly turn: number; readonly step: number; readonly id: string }): string {
  return `${call.turn}/${call.step}/${call.id}`;
}

function stateAfter(answer: ApprovalAnswer): ApprovalState | undefined {
  switch (answer?.type) {
    case 'approve':
      return 'approved';
    case 'deny':
      return 'denied';
    case 'expire':
      return 'expired';
    default:
      return undefined;
  }
}
