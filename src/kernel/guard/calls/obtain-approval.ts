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
} from '../../approval.ts';
import type { ToolCall } from '../../call.ts';
import { type ApprovalId, newId } from '../../ids.ts';
import type { ApprovalDetails } from '../../records/journal-entry.ts';
import { canonicalText, type JsonValue } from '../../json.ts';
import { hardestQuestion, nobodyToAskReason } from '../../policy/evaluator/reasons.ts';
import { type ApproverAnswer, askApprover } from './ask-approver.ts';
import type { PendingQuestion, PendingCall } from './pending-call.ts';
import type { Refusal, Verdict } from './call-result.ts';
import { makeVisible, showCall } from './show-call.ts';

const unsigned = 'only a signed answer counts, which needs a store';
const notRemembered =
  'an approver answered `remember`, which has no effect: wrap it in `rememberAnswers` from bridle/policy-files';

/** An answer may lead to new questions (an edit that matches another rule). This limits the rounds. */
const maxRounds = 8;

/** Asks until every question is answered, then decides again if anything could have changed meanwhile. */
export function obtainApproval(pending: PendingCall): Promise<Verdict> {
  return new ApprovalRounds(pending).obtain();
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

  async obtain(): Promise<Verdict> {
    const { pending } = this;
    for (let round = 0; round < maxRounds; round++) {
      if (pending.isDecided) return undefined;
      const open = pending.asks.find((ask) => !ask.answered);
      const refusal = open === undefined ? await this.decideAgain() : await this.ask(open);
      if (refusal !== undefined) return refusal;
    }
    return { status: 'denied', reason: `The call was still not settled after ${maxRounds} rounds of questions` };
  }

  /** Evaluates the policy again and resolves paths again: the approved call must still be the one that would run. */
  private async decideAgain(): Promise<Verdict> {
    const { pending } = this;
    const before = JSON.stringify(pending.paths);
    const refusal = await pending.decide();
    pending.inputsUnchanged = true;
    if (JSON.stringify(pending.paths) !== before) pending.reopen();
    return refusal;
  }

  private async ask(open: PendingQuestion): Promise<Verdict> {
    const { pending } = this;
    if (pending.turn.isCancelled) return { status: 'cancelled', reason: 'The turn was cancelled' };
    const round = this.round(open);
    if ('reason' in round) return round;
    const known = await round.memory?.find(round.asked);
    const problem = await this.recordPreviousApproval();
    if (problem !== undefined) return notRecorded(problem);
    if (known !== undefined) return this.useRemembered(round, known);
    // In a resumed run the question may have been asked already. It stays the same question if the call is the same.
    const earlier = await round.approver.earlier?.(round.request);
    if (earlier !== undefined && 'refused' in earlier) {
      return notApproved(round, { status: 'denied', reason: earlier.refused });
    }
    const askProblem = earlier === undefined ? await this.recordAsked(round) : undefined;
    if (askProblem !== undefined) return notRecorded(askProblem);
    const request = earlier === undefined ? round.request : Object.freeze({ ...round.request, id: earlier.id });
    return this.applyAnswer({ ...round, request }, await askApprover(round.approver, request, pending));
  }

  private round(open: PendingQuestion): ApprovalRound | Refusal {
    const { pending } = this;
    const { approver: general } = pending.session.parts;
    const forApprover = pending.asks.filter((ask) => !ask.answered && ask.handler === undefined);
    const hardest = hardestQuestion(forApprover.map(({ question }) => question));
    const { handler: approver = general } = open;
    if (approver === undefined || (general === undefined && hardest !== undefined)) {
      return nobodyToAsk(pending.call, hardest ?? open.question);
    }
    const asks = open.handler === undefined ? forApprover : [open];
    const signed = asks.find(({ question }) => question.rule?.approval === 'signed');
    if (signed !== undefined && approver.signed !== true) return nobodyToAsk(pending.call, signed.question, unsigned);
    const memory = approver.memory ?? general?.memory;
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
    const askers = asks.map(({ question: { rule, hook } }) => [rule && policy.detailsOf(rule)?.id, hook] as const);
    const asked = { request: unasked, subject: { call, tool, paths }, askers, session: session.scope, clock };
    // No proposal for args with secrets, because a remembered rule is stored unmasked.
    const proposal = shownArgs === call.args ? memory?.propose(asked) : undefined;
    const request = Object.freeze({ ...unasked, proposal });
    return { request, asked: { ...asked, request } };
  }

  /** An approval followed by another question gets its own journal record. */
  private async recordPreviousApproval(): Promise<string | undefined> {
    const { pending } = this;
    if (pending.approval === undefined) return undefined;
    const problem = await pending.recordDecision(pending.journalEntry('approved'));
    pending.approval = undefined;
    pending.hasUnrecordedApproval = false;
    return problem;
  }

  private async recordAsked({ request: { id, questions } }: ApprovalRound): Promise<string | undefined> {
    const { pending } = this;
    const rule = questions.find((question) => question.rule !== undefined)?.rule;
    const hook = questions.find((question) => question.hook !== undefined)?.hook;
    const texts = questions.map((question) => question.text);
    const entry = { ...pending.journalEntry('asked'), rule, hook, reason: texts.join('; '), approval: { id } };
    const problem = await pending.recordDecision(entry);
    if (problem === undefined)
      pending.emitCall((info) => ({ type: 'tool_asked', ...info, approvalId: id, questions: texts }));
    return problem;
  }

  private async applyAnswer(round: ApprovalRound, answer: ApproverAnswer): Promise<Verdict> {
    const { pending } = this;
    const { id } = round.request;
    const { refusal, by, place, args, ageMs = 0 } = answer;
    if (refusal !== undefined) {
      pending.approval = refusal.status === 'refused' ? { id, by, place } : { id };
      await this.remember(round, answer);
      return notApproved(round, refusal);
    }
    // If the person sends the same edit again, they approve the call it produced, which was just shown.
    const wanted = args === undefined ? undefined : canonicalText(args);
    const edited = wanted !== undefined && wanted !== canonicalText(pending.call.args) && wanted !== this.lastEdit;
    this.lastEdit = edited ? wanted : undefined;
    // Earlier approvals were for other args.
    if (edited) pending.reopen();
    pending.approvedAt = Math.min(pending.approvedAt, pending.clock.now() - ageMs);
    this.markAnswered(round, { id, by, place, edited: edited || undefined });
    if (edited) return this.edit(args, wanted);
    await this.remember(round, answer);
    return undefined;
  }

  /** If the edited call differs from what was written (defaults, resolved paths), the person must see it again. */
  private async edit(args: JsonValue | undefined, wanted: string): Promise<Verdict> {
    const { pending } = this;
    const refusal = await pending.changeArgs(args, 'A person');
    const leadsElsewhere = pending.paths.some(({ given, path }) => given !== path);
    if (leadsElsewhere || canonicalText(pending.call.args) !== wanted) pending.reopen();
    return refusal;
  }

  private useRemembered(round: ApprovalRound, known: KnownAnswer): Verdict {
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

  private async remember(round: ApprovalRound, answer: ApproverAnswer): Promise<void> {
    const { memory, asked, request } = round;
    const { remember, by = 'approver', rule: acceptsProposal = false, refusal } = answer;
    if (remember === undefined) return;
    if (memory === undefined) return this.pending.session.parts.warn?.(notRemembered);
    const { grant, call } = this.pending;
    const approved = refusal === undefined;
    const rule = approved && acceptsProposal ? request.proposal : undefined;
    const span = typeof remember === 'string' ? remember : `${remember.ms} ms`;
    const detail = { approval: request.id, approved, by, call: call.id, for: span, rule: rule?.text ?? null };
    const problem = await this.pending.recordNote('remembered', detail);
    // An answer is remembered only if the journal has recorded it.
    if (problem !== undefined) return;
    const turn = remember === 'turn' ? call.turn : undefined;
    const kept = { approvalId: request.id, approved, reason: refusal?.reason ?? '', by, turn, rule };
    await memory.keep(asked, kept, rememberMs(remember, grant.approvalMs));
  }
}

function notApproved({ request }: ApprovalRound, { status, reason }: Refusal): Refusal {
  const { rule, hook } = request.questions[0] as ApprovalQuestion;
  return { status, reason, rule, hook };
}

function notRecorded(problem: string): Refusal {
  return { status: 'denied', reason: `The question could not be recorded: ${problem}` };
}

/** Questions may quote arguments, so their invisible characters must be made visible too. */
function visibleQuestion({ rule, hook }: ApprovalQuestion, text = ''): ApprovalQuestion {
  return Object.freeze({ text: makeVisible(text), rule, hook });
}

/** How long a remembered answer counts from now on: at most as long as an approval. */
function rememberMs(remember: RememberDuration, approvalMs = Number.POSITIVE_INFINITY): number {
  return typeof remember === 'object' ? Math.min(remember.ms, approvalMs) : approvalMs;
}

function nobodyToAsk(call: ToolCall, question: ApprovalQuestion, nobody?: string): Refusal {
  const { rule, hook } = question;
  return { status: 'denied', reason: nobodyToAskReason(call, question, nobody), rule, hook };
}
