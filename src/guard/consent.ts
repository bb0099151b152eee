/**
 * Getting a person's consent. One question for everything that goes to the approver; a rule's own handler answers that
 * rule only. An answer counts for exactly the call that was shown: after an edit, or if the files behind its paths have
 * changed, the call is decided and asked anew.
 */

import type { ApprovalRequest, Approver } from '../approval.ts';
import { type ApprovalId, newId } from '../ids.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import { type Answered, bindingOf, putQuestion } from './asking.ts';
import type { Ask, Case } from './case.ts';
import { rememberMs, type RememberedAnswer } from './remembered.ts';
import type { Refusal } from './result.ts';
import { showCall } from './show-call.ts';

/** Questions may lead to others (an edit that meets another rule), but not without end. */
const mostRounds = 8;

/** Asks until nothing is open, then decides once more if anything could have changed meanwhile. */
export function obtainConsent(item: Case): MaybePromise<Refusal | undefined> {
  return item.asks.length === 0 && item.fresh ? undefined : new Consent(item).obtain();
}

/** What is asked of one approver at once. */
interface Round {
  readonly asks: readonly Ask[];
  readonly approver: Approver;
  readonly request: ApprovalRequest;
  readonly binding: string;
}

class Consent {
  constructor(private readonly item: Case) {}

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
    item.fresh = true;
    if (refusal !== undefined || item.approval === undefined || JSON.stringify(item.paths) === before) return refusal;
    return { status: 'denied', reason: 'The files behind the paths of this call changed after it was approved' };
  }

  private async ask(open: Ask): Promise<Refusal | undefined> {
    const round = this.round(open);
    if ('reason' in round) return round;
    const { core } = this.item.frame;
    const known = core.remembered.get(round.binding, this.item.frame.place.turn, core.parts.clock.now());
    if (known !== undefined) return this.useRemembered(round, known);
    const refused = await this.recordAsked(round.request);
    if (refused !== undefined) return refused;
    const { deadlines, askTimeoutMs: timeoutMs } = core.parts;
    const answer = await putQuestion(round.approver, round.request, {
      deadlines,
      timeoutMs,
      turn: this.item.frame.turn,
    });
    return this.take(round, answer);
  }

  private round(open: Ask): Round | Refusal {
    const { item } = this;
    const { parts } = item.frame.core;
    const approver = open.handler ?? parts.approver;
    const { rule, hook } = open.question;
    if (approver === undefined) {
      const who = hook === undefined ? 'This call' : `Hook "${hook}"`;
      return {
        status: 'denied',
        reason: `${who} needs a confirmation, and nobody can give one: there is no approver`,
        rule,
        hook,
      };
    }
    const asks =
      open.handler === undefined ? item.asks.filter((ask) => !ask.answered && ask.handler === undefined) : [open];
    const about = {
      call: item.call,
      questions: asks.map((ask) => ask.question),
      paths: item.paths,
      policyVersion: parts.policy.version,
    };
    const request = Object.freeze({
      ...about,
      id: newId<ApprovalId>(),
      shown: showCall(item.call, item.tool.commands ?? []),
      expiresAt: parts.clock.wall() + parts.askTimeoutMs,
    });
    return { asks, approver, request, binding: bindingOf(about) };
  }

  private async recordAsked(request: ApprovalRequest): Promise<Refusal | undefined> {
    const { item } = this;
    const { core } = item.frame;
    const [first] = request.questions;
    const asked = { ...item.entry('asked'), rule: first?.rule, hook: first?.hook, reason: first?.text };
    const refused = await core.recorder.decided(
      { ...asked, approval: { id: request.id } },
      item.call.tier === 'confirm',
    );
    if (refused !== undefined) return { status: 'denied', reason: `The question could not be recorded: ${refused}` };
    const { id: callId, tool, server } = item.call;
    const questions = request.questions.map((question) => question.text);
    core.emit(item.frame, () => ({ type: 'tool_asked', callId, tool, server, approvalId: request.id, questions }));
    return undefined;
  }

  private async take(round: Round, answer: Answered): Promise<Refusal | undefined> {
    const { item } = this;
    const { id } = round.request;
    const { rule, hook } = round.request.questions[0] as ApprovalRequest['questions'][number];
    switch (answer.type) {
      case 'cancelled':
        return { status: 'cancelled', reason: 'The turn was cancelled while a person was asked', rule, hook };
      case 'expired':
        item.approval = { id };
        return { status: 'expired', reason: 'Nobody answered in time; the question has expired', rule, hook };
      case 'refused':
        item.approval = { id, by: answer.by };
        this.remember(round, answer);
        return { status: 'refused', reason: answer.reason, rule, hook };
      case 'approved':
        return this.approve(round, answer);
      default:
        return answer satisfies never;
    }
  }

  private async approve(round: Round, answer: Extract<Answered, { type: 'approved' }>): Promise<Refusal | undefined> {
    const { item } = this;
    const { id } = round.request;
    const edited = answer.args !== undefined;
    if (edited) {
      // Whoever approved the args before the edit has not seen these.
      for (const ask of item.asks) ask.answered = false;
    }
    for (const ask of round.asks) ask.answered = true;
    item.approval = { id, by: answer.by, ...(edited ? { edited } : {}) };
    item.approvedUntil = item.frame.clock.now() + (item.grant.approvalMs ?? Number.POSITIVE_INFINITY);
    item.fresh = false;
    if (!edited) this.remember(round, answer);
    const { id: callId, tool, server } = item.call;
    item.frame.core.emit(item.frame, () => ({
      type: 'tool_approved',
      callId,
      tool,
      server,
      by: answer.by,
      remembered: false,
    }));
    return edited ? item.editArgs(answer.args) : undefined;
  }

  private useRemembered(round: Round, known: RememberedAnswer): Refusal | undefined {
    const { item } = this;
    item.approval = { id: known.approvalId, by: known.by, remembered: true };
    if (!known.approved) return { status: 'refused', reason: known.reason, rule: round.request.questions[0]?.rule };
    for (const ask of round.asks) ask.answered = true;
    item.fresh = false;
    const { id: callId, tool, server } = item.call;
    item.frame.core.emit(item.frame, () => ({
      type: 'tool_approved',
      callId,
      tool,
      server,
      by: known.by,
      remembered: true,
    }));
    return undefined;
  }

  private remember(round: Round, answer: Extract<Answered, { type: 'approved' | 'refused' }>): void {
    if (answer.remember === undefined) return;
    const { frame, grant, call } = this.item;
    const { core, place } = frame;
    const ms = rememberMs(answer.remember, grant.approvalMs);
    const kept: RememberedAnswer = {
      approvalId: round.request.id,
      approved: answer.type === 'approved',
      reason: answer.type === 'refused' ? answer.reason : '',
      by: answer.by,
      turn: answer.remember === 'turn' ? place.turn : undefined,
      until: core.parts.clock.now() + ms,
    };
    core.remembered.keep(round.binding, kept);
    const span = typeof answer.remember === 'string' ? answer.remember : `${answer.remember.ms} ms`;
    core.note(frame, 'remembered', {
      approval: kept.approvalId,
      approved: kept.approved,
      by: kept.by,
      call: call.id,
      for: span,
    });
  }
}
