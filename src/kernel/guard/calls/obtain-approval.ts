/**
 * Getting a person's consent. One question for everything that goes to the approver; a rule's own handler answers that
 * rule only. An answer counts for exactly the call that was shown: after an edit, or if the files behind its paths have
 * changed, the call is decided and asked anew.
 */

import type {
  AnswerMemory,
  AnswerQuery,
  ApprovalQuestion,
  ApprovalRequest,
  Approver,
  ReusableAnswer,
} from '../../approval.ts';
import type { ToolCall } from '../../call.ts';
import { type ApprovalId, newId } from '../../ids.ts';
import type { ApprovalDetails } from '../../records/journal-entry.ts';
import { canonicalText, type JsonValue } from '../../json.ts';
import type { MaybePromise } from '../../maybe-promise.ts';
import { hardestQuestion, nobodyToAskReason } from '../../policy/evaluator/reasons.ts';
import { type ApproverResult, bindingOf, askApprover } from './ask-approver.ts';
import type { PendingQuestion, PendingCall } from './pending-call.ts';
import { rememberMs } from '../state/session-answers.ts';
import type { Refusal } from './call-result.ts';
import { makeVisible, showCall } from './show-call.ts';

/** Questions may lead to others (an edit that meets another rule), but not without end. */
const mostRounds = 8;

/** Asks until nothing is open, then decides once more if anything could have changed meanwhile. */
export function obtainApproval(item: PendingCall): MaybePromise<Refusal | undefined> {
  return item.asks.length === 0 && item.fresh ? undefined : new ApprovalRounds(item).obtain();
}

/** What is asked of one approver at once. */
interface ApprovalRound {
  readonly asks: readonly PendingQuestion[];
  readonly approver: Approver;
  readonly request: ApprovalRequest;
  readonly query: AnswerQuery;
}

type Known = NonNullable<Awaited<ReturnType<AnswerMemory['find']>>>;

class ApprovalRounds {
  private lastEdit: string | undefined;

  constructor(private readonly item: PendingCall) {}

  async obtain(): Promise<Refusal | undefined> {
    const { item } = this;
    for (let round = 0; round < mostRounds; round++) {
      const open = item.asks.find((ask) => !ask.answered);
      if (open === undefined && item.fresh) return undefined;
      const refusal = open === undefined ? await this.decideAnew() : await this.ask(open);
      if (refusal !== undefined) return refusal;
    }
    return { status: 'denied', reason: `The call was still not settled after ${mostRounds} rounds of questions` };
  }

  /** Policy on the same args, paths resolved anew: what was approved must still be what would run. */
  private async decideAnew(): Promise<Refusal | undefined> {
    const { item } = this;
    const before = JSON.stringify(item.paths);
    const refusal = await item.decide();
    item.settled = true;
    if (JSON.stringify(item.paths) !== before) item.reopen();
    return refusal;
  }

  private async ask(open: PendingQuestion): Promise<Refusal | undefined> {
    const { frame } = this.item;
    if (frame.turn?.cancelled === true) return { status: 'cancelled', reason: 'The turn was cancelled' };
    const round = this.round(open);
    if ('reason' in round) return round;
    const known = await frame.core.answers.find(round.query);
    const refused = await this.recordEarlier();
    if (refused !== undefined) return unrecorded(refused);
    return known === undefined ? this.put(round) : this.useRemembered(round, known);
  }

  /** A question of a run that is resumed may have been put before: it is the same question, if it is the same call. */
  private async put(round: ApprovalRound): Promise<Refusal | undefined> {
    const { approver, request } = round;
    const earlier = await approver.earlier?.(request);
    if (earlier === undefined) {
      const refused = await this.recordAsked(round);
      return refused === undefined ? this.answered(round) : unrecorded(refused);
    }
    if ('refused' in earlier) return turnedDown(round, { status: 'denied', reason: earlier.refused });
    return this.answered({ ...round, request: Object.freeze({ ...request, id: earlier.id }) });
  }

  private async answered(round: ApprovalRound): Promise<Refusal | undefined> {
    return this.take(round, await askApprover(round.approver, round.request, this.item.frame));
  }

  private round(open: PendingQuestion): ApprovalRound | Refusal {
    const { item } = this;
    const { parts } = item.frame.core;
    const forApprover = item.asks.filter((ask) => !ask.answered && ask.handler === undefined);
    const lasting = hardestQuestion(forApprover.map(({ question }) => question));
    if (parts.approver === undefined && lasting !== undefined) return unanswerable(item.call, lasting);
    const asks = open.handler === undefined ? forApprover : [open];
    // What may be forbidden is asked for each call anew: no rule that a person accepted for others covers it (Q02, P19).
    const proposals = asks.some(isPerhapsDenied) ? undefined : parts.proposals;
    // Masked at once: questions and paths repeat what the args name.
    const told = [item.call.args, item.call.cwd, item.paths, asks.map((ask) => ask.question.text)] as const;
    const [args, cwd, paths, texts] = item.frame.core.mask.apply(told);
    const questions = Object.freeze(asks.map(({ question }, at) => seen(question, texts[at])));
    const about = { call: item.call, questions, paths: item.paths };
    const subject = { call: item.call, tool: item.tool, paths: item.paths };
    const request = Object.freeze({
      ...about,
      id: newId<ApprovalId>(),
      policyVersion: parts.policy.version,
      shown: showCall({ ...item.call, args, cwd }, item.tool.commands ?? [], paths),
      // A rule is written down in the clear.
      proposal: args === item.call.args ? proposals?.propose(subject) : undefined,
      expiresAt: parts.clock.wall() + parts.askTimeoutMs,
    });
    const query: AnswerQuery = {
      ...bindingOf(about, parts.policy),
      request,
      turn: item.call.turn,
      covers: (rule) => proposals?.covers(rule, subject) === true,
    };
    return { asks, approver: open.handler ?? (parts.approver as Approver), request, query };
  }

  /** An approval that is followed by another question is a transition of its own. */
  private async recordEarlier(): Promise<string | undefined> {
    const { item } = this;
    if (item.approval === undefined) return undefined;
    const refused = await item.record(item.entry('approved'));
    item.approval = undefined;
    item.approvalRecorded = true;
    return refused;
  }

  private async recordAsked({ request }: ApprovalRound): Promise<string | undefined> {
    const { item } = this;
    const { questions } = request;
    const rule = questions.find((question) => question.rule !== undefined)?.rule;
    const hook = questions.find((question) => question.hook !== undefined)?.hook;
    const texts = questions.map((question) => question.text);
    const approval = { id: request.id };
    const refused = await item.record({ ...item.entry('asked'), rule, hook, reason: texts.join('; '), approval });
    if (refused !== undefined) return refused;
    item.emit((facts) => ({ type: 'tool_asked', ...facts, approvalId: request.id, questions: texts }));
    return undefined;
  }

  private async take(round: ApprovalRound, answer: ApproverResult): Promise<Refusal | undefined> {
    const { item } = this;
    const { id } = round.request;
    if (answer.status === 'approved') return this.approve(round, answer);
    item.approval = answer.status === 'refused' ? { id, by: answer.by, place: answer.place } : { id };
    if (answer.status === 'refused') await this.remember(round, answer);
    return turnedDown(round, answer);
  }

  private async approve(
    round: ApprovalRound,
    answer: Extract<ApproverResult, { status: 'approved' }>,
  ): Promise<Refusal | undefined> {
    const { item } = this;
    const { id } = round.request;
    const { args } = answer;
    // The same edit again is a yes to what came of it, which is what was shown.
    const wanted = args === undefined ? undefined : canonicalText(args);
    const edited = wanted !== undefined && wanted !== canonicalText(item.call.args) && wanted !== this.lastEdit;
    this.lastEdit = edited ? wanted : undefined;
    // Whoever approved the args before the edit has not seen these.
    if (edited) item.reopen();
    item.approvedAt = Math.min(item.approvedAt, item.frame.clock.now() - answer.ageMs);
    this.close(round, { id, by: answer.by, place: answer.place, edited: edited || undefined });
    if (!edited) await this.remember(round, answer);
    return edited ? this.edit(args, wanted) : undefined;
  }

  /** If more came of an edit than was written (defaults, where a path leads), the person has not seen it yet. */
  private async edit(args: JsonValue | undefined, wanted: string): Promise<Refusal | undefined> {
    const { item } = this;
    const refusal = await item.changeArgs(args);
    const leadsElsewhere = item.paths.some(({ given, path }) => given !== path);
    if (leadsElsewhere || canonicalText(item.call.args) !== wanted) item.reopen();
    return refusal;
  }

  private useRemembered(round: ApprovalRound, known: Known): Refusal | undefined {
    const { item } = this;
    const { approvalId: id, approved, by, reason, leftMs } = known;
    item.approval = { id, by, remembered: true };
    if (!approved) return turnedDown(round, { status: 'refused', reason });
    item.rememberedUntil = Math.min(item.rememberedUntil, item.frame.clock.now() + leftMs);
    this.close(round, item.approval);
    return undefined;
  }

  /** These asks are answered; what else there is must be looked at once more. */
  private close(round: ApprovalRound, approval: ApprovalDetails): void {
    const { item } = this;
    for (const ask of round.asks) ask.answered = true;
    item.approval = approval;
    item.approvalRecorded = false;
    item.settled = false;
    const { by = 'approver', remembered = false } = approval;
    item.emit((facts) => ({ type: 'tool_approved', ...facts, by, remembered }));
  }

  private async remember(
    round: ApprovalRound,
    answer: Extract<ApproverResult, { status: 'approved' | 'refused' }>,
  ): Promise<void> {
    if (answer.remember === undefined) return;
    const { frame, grant, call } = this.item;
    const { core } = frame;
    const { remember, by } = answer;
    const approval = round.request.id;
    const approved = answer.status === 'approved';
    const rule = answer.status === 'approved' && answer.wider ? round.request.proposal : undefined;
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
    const head = core.entryHead(frame.place);
    const refused = await core.recorder.recordNote({ ...head, kind: 'noted', status: 'remembered', detail });
    // A remembered answer is a record of its own: without it, there is none.
    if (refused === undefined) await core.answers.keep(round.query, kept, rememberMs(remember, grant.approvalMs));
  }
}

/** The refusal of a call because of what came of asking. */
function turnedDown({ request }: ApprovalRound, { status, reason }: Refusal): Refusal {
  const { rule, hook } = request.questions[0] as ApprovalQuestion;
  return { status, reason, rule, hook };
}

function unrecorded(problem: string): Refusal {
  return { status: 'denied', reason: `The question could not be recorded: ${problem}` };
}

/** Questions are put together from arguments, so they can hold what the arguments hold. */
function seen({ rule, hook }: ApprovalQuestion, text = ''): ApprovalQuestion {
  return Object.freeze({ text: makeVisible(text), rule, hook });
}

function isPerhapsDenied({ question: { rule } }: PendingQuestion): boolean {
  return rule?.effect === 'deny' || rule?.effect === 'forbid';
}

function unanswerable(call: ToolCall, question: ApprovalQuestion): Refusal {
  const { rule, hook } = question;
  return { status: 'denied', reason: nobodyToAskReason(call, question), rule, hook };
}
