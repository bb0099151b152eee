/**
 * Obtains a person's approval. The approver gets one request for all its questions; a rule's handler answers only that
 * rule. An answer counts for exactly the call that was shown: after an edit, or if the files behind its paths have
 * changed, the call is decided and asked about again.
 */

import type {
  ApprovalQuestion,
  ApprovalRequest,
  Approver,
  ApproverMemory,
  AskedCall,
  RememberDuration,
  ReusableAnswer,
} from '../../approval.ts';
import type { ToolCall } from '../../call.ts';
import { type ApprovalId, newId } from '../../ids.ts';
import type { ApprovalDetails } from '../../records/journal-entry.ts';
import { canonicalText, type JsonValue } from '../../json.ts';
import type { MaybePromise } from '../../maybe-promise.ts';
import type { PolicyEvaluator } from '../../policy/evaluator/policy.ts';
import { hardestQuestion, nobodyToAskReason } from '../../policy/evaluator/reasons.ts';
import { type ApproverResult, askApprover } from './ask-approver.ts';
import type { PendingQuestion, PendingCall } from './pending-call.ts';
import type { Refusal } from './call-result.ts';
import { makeVisible, showCall } from './show-call.ts';

/** An answer may lead to new questions (an edit that matches another rule). This limits the rounds. */
const maxRounds = 8;

/** Asks until every question is answered, then decides again if anything could have changed meanwhile. */
export function obtainApproval(pending: PendingCall): MaybePromise<Refusal | undefined> {
  return pending.asks.length === 0 && pending.decisionIsCurrent ? undefined : new ApprovalRounds(pending).obtain();
}

interface ApprovalRound {
  readonly asks: readonly PendingQuestion[];
  readonly approver: Approver;
  readonly memory: ApproverMemory | undefined;
  readonly request: ApprovalRequest;
  readonly asked: AskedCall;
}

type KnownAnswer = NonNullable<Awaited<ReturnType<ApproverMemory['find']>>>;

class ApprovalRounds {
  private lastEdit: string | undefined;

  constructor(private readonly pending: PendingCall) {}

  async obtain(): Promise<Refusal | undefined> {
    const { pending } = this;
    for (let round = 0; round < maxRounds; round++) {
      const open = pending.asks.find((ask) => !ask.answered);
      if (open === undefined && pending.decisionIsCurrent) return undefined;
      const refusal = open === undefined ? await this.decideAgain() : await this.ask(open);
      if (refusal !== undefined) return refusal;
    }
    return { status: 'denied', reason: `The call was still not settled after ${maxRounds} rounds of questions` };
  }

  /** Evaluates the policy again and resolves paths again: the approved call must still be the one that would run. */
  private async decideAgain(): Promise<Refusal | undefined> {
    const { pending } = this;
    const before = JSON.stringify(pending.paths);
    const refusal = await pending.decide();
    pending.inputsUnchanged = true;
    if (JSON.stringify(pending.paths) !== before) pending.reopen();
    return refusal;
  }

  private async ask(open: PendingQuestion): Promise<Refusal | undefined> {
    const { pending } = this;
    if (pending.isTurnCancelled) return { status: 'cancelled', reason: 'The turn was cancelled' };
    const round = this.round(open);
    if ('reason' in round) return round;
    const known = await round.memory?.find(round.asked);
    const writeProblem = await this.recordPreviousApproval();
    if (writeProblem !== undefined) return notRecorded(writeProblem);
    return known === undefined ? this.askOrResume(round) : this.useRemembered(round, known);
  }

  /** In a resumed run the question may have been asked already. It stays the same question if the call is the same. */
  private async askOrResume(round: ApprovalRound): Promise<Refusal | undefined> {
    const { approver, request } = round;
    const previousQuestion = await approver.earlier?.(request);
    if (previousQuestion === undefined) {
      const writeProblem = await this.recordAsked(round);
      return writeProblem === undefined ? this.askAndApply(round) : notRecorded(writeProblem);
    }
    if ('refused' in previousQuestion)
      return notApproved(round, { status: 'denied', reason: previousQuestion.refused });
    return this.askAndApply({ ...round, request: Object.freeze({ ...request, id: previousQuestion.id }) });
  }

  private async askAndApply(round: ApprovalRound): Promise<Refusal | undefined> {
    return this.applyAnswer(round, await askApprover(round.approver, round.request, this.pending));
  }

  private round(open: PendingQuestion): ApprovalRound | Refusal {
    const { pending } = this;
    const { parts } = pending.session;
    const forApprover = pending.asks.filter((ask) => !ask.answered && ask.handler === undefined);
    const questionForDenial = hardestQuestion(forApprover.map(({ question }) => question));
    if (parts.approver === undefined && questionForDenial !== undefined)
      return nobodyToAsk(pending.call, questionForDenial);
    const asks = open.handler === undefined ? forApprover : [open];
    const approver = open.handler ?? (parts.approver as Approver);
    const memory = approver.memory ?? parts.approver?.memory;
    return { asks, approver, memory, ...this.request(asks, memory) };
  }

  /** What a person is asked. Masked as a whole, because questions and paths repeat parts of the args. */
  private request(
    asks: readonly PendingQuestion[],
    memory: ApproverMemory | undefined,
  ): Pick<ApprovalRound, 'request' | 'asked'> {
    const { call, tool, paths, session, clock } = this.pending;
    const { policy, askTimeoutMs } = session.parts;
    const questionTexts = asks.map((ask) => ask.question.text);
    const masked = session.mask.apply([call.args, call.cwd, paths, questionTexts] as const);
    const [shownArgs, shownCwd, shownPaths, texts] = masked;
    const unasked: ApprovalRequest = {
      id: newId<ApprovalId>(),
      call,
      shown: showCall({ ...call, args: shownArgs, cwd: shownCwd }, tool.commands ?? [], shownPaths),
      questions: Object.freeze(asks.map((ask, at) => visibleQuestion(ask.question, texts[at]))),
      paths,
      policyVersion: policy.version,
      expiresAt: clock.wall() + askTimeoutMs,
    };
    const askers = asks.map((ask) => askerOf(ask.question, policy));
    const subject = { call, tool, paths };
    const asked = { request: unasked, subject, askers, session: session.scope, clock };
    // No proposal for args with secrets, because a remembered rule is stored unmasked.
    const proposal = shownArgs === call.args ? memory?.propose(asked) : undefined;
    const request = Object.freeze({ ...unasked, proposal });
    return { request, asked: { ...asked, request } };
  }

  /** An approval followed by another question gets its own journal record. */
  private async recordPreviousApproval(): Promise<string | undefined> {
    const { pending } = this;
    if (pending.approval === undefined) return undefined;
    const writeProblem = await pending.recordDecision(pending.journalEntry('approved'));
    pending.approval = undefined;
    pending.hasUnrecordedApproval = false;
    return writeProblem;
  }

  private async recordAsked({ request }: ApprovalRound): Promise<string | undefined> {
    const { pending } = this;
    const { questions } = request;
    const rule = questions.find((question) => question.rule !== undefined)?.rule;
    const hook = questions.find((question) => question.hook !== undefined)?.hook;
    const texts = questions.map((question) => question.text);
    const approval = { id: request.id };
    const writeProblem = await pending.recordDecision({
      ...pending.journalEntry('asked'),
      rule,
      hook,
      reason: texts.join('; '),
      approval,
    });
    if (writeProblem !== undefined) return writeProblem;
    pending.emitCall((callInfo) => ({ type: 'tool_asked', ...callInfo, approvalId: request.id, questions: texts }));
    return undefined;
  }

  private async applyAnswer(round: ApprovalRound, answer: ApproverResult): Promise<Refusal | undefined> {
    const { pending } = this;
    const { id } = round.request;
    if (answer.status === 'approved') return this.approve(round, answer);
    pending.approval = answer.status === 'refused' ? { id, by: answer.by, place: answer.place } : { id };
    if (answer.status === 'refused') await this.remember(round, answer);
    return notApproved(round, answer);
  }

  private async approve(
    round: ApprovalRound,
    answer: Extract<ApproverResult, { status: 'approved' }>,
  ): Promise<Refusal | undefined> {
    const { pending } = this;
    const { id } = round.request;
    const { args } = answer;
    // If the person sends the same edit again, they approve the call it produced, which was just shown.
    const wanted = args === undefined ? undefined : canonicalText(args);
    const edited = wanted !== undefined && wanted !== canonicalText(pending.call.args) && wanted !== this.lastEdit;
    this.lastEdit = edited ? wanted : undefined;
    // Earlier approvals were for other args.
    if (edited) pending.reopen();
    pending.approvedAt = Math.min(pending.approvedAt, pending.clock.now() - answer.ageMs);
    this.markAnswered(round, { id, by: answer.by, place: answer.place, edited: edited || undefined });
    if (!edited) await this.remember(round, answer);
    return edited ? this.edit(args, wanted) : undefined;
  }

  /** If the edited call differs from what was written (defaults, resolved paths), the person must see it again. */
  private async edit(args: JsonValue | undefined, wanted: string): Promise<Refusal | undefined> {
    const { pending } = this;
    const refusal = await pending.changeArgs(args);
    const leadsElsewhere = pending.paths.some(({ given, path }) => given !== path);
    if (leadsElsewhere || canonicalText(pending.call.args) !== wanted) pending.reopen();
    return refusal;
  }

  private useRemembered(round: ApprovalRound, known: KnownAnswer): Refusal | undefined {
    const { pending } = this;
    const { approvalId: id, approved, by, reason, leftMs } = known;
    pending.approval = { id, by, remembered: true };
    if (!approved) return notApproved(round, { status: 'refused', reason });
    pending.rememberedUntil = Math.min(pending.rememberedUntil, pending.clock.now() + leftMs);
    this.markAnswered(round, pending.approval);
    return undefined;
  }

  /** Marks these questions as answered. The call must be decided again. */
  private markAnswered(round: ApprovalRound, approval: ApprovalDetails): void {
    const { pending } = this;
    for (const ask of round.asks) ask.answered = true;
    pending.approval = approval;
    pending.hasUnrecordedApproval = true;
    pending.inputsUnchanged = false;
    const { by = 'approver', remembered = false } = approval;
    pending.emitCall((callInfo) => ({ type: 'tool_approved', ...callInfo, by, remembered }));
  }

  private async remember(
    round: ApprovalRound,
    answer: Extract<ApproverResult, { status: 'approved' | 'refused' }>,
  ): Promise<void> {
    const { memory, asked } = round;
    const { remember, by } = answer;
    if (remember === undefined || memory === undefined) return;
    const { pending } = this;
    const { grant, call } = pending;
    const approval = round.request.id;
    const approved = answer.status === 'approved';
    const rule = answer.status === 'approved' && answer.acceptsProposal ? round.request.proposal : undefined;
    const kept: ReusableAnswer = {
      approvalId: approval,
      approved,
      reason: answer.status === 'refused' ? answer.reason : '',
      by,
      turn: remember === 'turn' ? call.turn : undefined,
      rule,
    };
    const span = typeof remember === 'string' ? remember : `${remember.ms} ms`;
    const detail = { approval, approved, by, call: call.id, for: span, rule: rule?.text ?? null };
    const writeProblem = await pending.recordNote('remembered', detail);
    // An answer is remembered only if the journal has recorded it.
    if (writeProblem === undefined) await memory.keep(asked, kept, rememberMs(remember, grant.approvalMs));
  }
}

function notApproved({ request }: ApprovalRound, { status, reason }: Refusal): Refusal {
  const { rule, hook } = request.questions[0] as ApprovalQuestion;
  return { status, reason, rule, hook };
}

function notRecorded(problem: string): Refusal {
  return { status: 'denied', reason: `The question could not be recorded: ${problem}` };
}

function askerOf({ rule, hook }: ApprovalQuestion, policy: PolicyEvaluator): AskedCall['askers'][number] {
  return [rule && policy.detailsOf(rule)?.id, hook];
}

/** Questions may quote arguments, so their invisible characters must be made visible too. */
function visibleQuestion({ rule, hook }: ApprovalQuestion, text = ''): ApprovalQuestion {
  return Object.freeze({ text: makeVisible(text), rule, hook });
}

/** How long a remembered answer counts from now on: at most as long as an approval. */
function rememberMs(remember: RememberDuration, approvalMs = Number.POSITIVE_INFINITY): number {
  return typeof remember === 'object' ? Math.min(remember.ms, approvalMs) : approvalMs;
}

function nobodyToAsk(call: ToolCall, question: ApprovalQuestion): Refusal {
  const { rule, hook } = question;
  return { status: 'denied', reason: nobodyToAskReason(call, question), rule, hook };
}
