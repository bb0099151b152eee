/** One tool call on its way: what is known, decided and answered about it so far. */

import type { ApprovalQuestion, Approver } from '../approval.ts';
import type { CheckedPath, Decision, Grant, RuleRef, ToolCall } from '../call.ts';
import { readArgs } from '../catalog/read-call.ts';
import type { ApprovalFacts, DecidedEntry } from '../journal/record.ts';
import { copyJson, type JsonValue } from '../json.ts';
import { isPromise, type MaybePromise } from '../maybe-promise.ts';
import type { ToolDeclaration } from '../tool.ts';
import type { LiveFrame } from './frame.ts';
import { narrowGrant } from '../grant.ts';
import type { Refusal } from './result.ts';

/** Something that wants a person's consent: an ask rule, or a hook's confirm. */
export interface Ask {
  readonly question: ApprovalQuestion;
  readonly handler: Approver | undefined;
  answered: boolean;
}

export class Case {
  grant: Grant;
  paths: readonly CheckedPath[] = [];
  rule: RuleRef | undefined;
  readonly asks: Ask[] = [];
  approval: ApprovalFacts | undefined;
  /** When the approval stops counting, by the growing clock. */
  approvedUntil = Number.POSITIVE_INFINITY;
  /** True if nothing could have changed since the last decision. */
  fresh = false;
  /** True if the last decision depends on the target alone. */
  isFixed = false;

  constructor(
    readonly frame: LiveFrame,
    public call: ToolCall,
    readonly tool: ToolDeclaration,
  ) {
    this.grant = narrowGrant(frame.core.parts.grant, tool.grant);
  }

  /** Asks policy. The strictest answer over all passes counts: asks add up, grants narrow. */
  decide(): MaybePromise<Refusal | undefined> {
    const { policy } = this.frame.core.parts;
    const { clock } = this.frame;
    const started = policy.isConditional ? clock.now() : 0;
    const decision = policy.evaluate(this.call, this.tool);
    if (isPromise(decision)) return decision.then((settled) => this.take(settled, settled.fixed));
    if (!decision.fixed && clock.now() - started >= policy.timeoutMs) {
      return { status: 'denied', reason: `The predicates of the policy took more than ${policy.timeoutMs} ms` };
    }
    return this.take(decision, true);
  }

  /** Gives the call other args: they are read and decided like the first ones. */
  changeArgs(args: JsonValue): MaybePromise<Refusal | undefined> {
    if (JSON.stringify(args) === JSON.stringify(this.call.args)) return undefined;
    const take = (read: Awaited<ReturnType<typeof readArgs>>): MaybePromise<Refusal | undefined> => {
      if (read.problem !== undefined) return { status: 'denied', reason: read.problem };
      this.call = Object.freeze({ ...this.call, args: read.args });
      return this.decide();
    };
    const read = readArgs(this.tool, args, this.frame.limits);
    return isPromise(read) ? read.then(take) : take(read);
  }

  /** Args a person wrote instead: they count only if they are JSON data. */
  editArgs(edited: unknown): MaybePromise<Refusal | undefined> {
    const { argsBytes: bytes, depth } = this.frame.limits;
    const copy = copyJson(edited, { bytes, depth });
    if (copy.problem !== undefined) return { status: 'denied', reason: `The edited args: ${copy.problem}.` };
    return this.changeArgs(copy.value);
  }

  wantConsent(question: ApprovalQuestion, handler: Approver | undefined): void {
    const known = this.asks.some(
      ({ question: { rule, hook } }) =>
        rule === question.rule && hook === question.hook && (rule ?? hook) !== undefined,
    );
    if (!known) this.asks.push({ question, handler, answered: false });
  }

  /** The journal entry of a decision about this call as it stands. */
  entry(status: DecidedEntry['status'], refusal?: Refusal): DecidedEntry {
    const { call, grant, paths, approval } = this;
    return {
      ...this.frame.core.entryHead(this.frame.place),
      kind: 'decided',
      status,
      call: call.id,
      tool: call.tool,
      server: call.server,
      tier: call.tier,
      requested: call.requested,
      args: call.args,
      rule: refusal === undefined ? this.rule : refusal.rule,
      hook: refusal?.hook,
      reason: refusal?.reason,
      grant,
      paths: paths.length === 0 ? undefined : paths,
      approval,
    };
  }

  private take(decision: Decision, fresh: boolean): Refusal | undefined {
    const { effect, rule, reason, paths } = decision;
    this.paths = paths;
    this.rule = rule;
    this.fresh = fresh;
    this.isFixed = decision.fixed;
    this.grant = narrowGrant(this.grant, decision.grant);
    if (effect === 'deny') return { status: 'denied', reason, rule };
    if (effect === 'ask') {
      const handler = rule === undefined ? undefined : this.frame.core.parts.policy.handlerOf(rule);
      this.wantConsent({ text: reason, rule, hook: undefined }, handler);
    }
    return undefined;
  }
}
