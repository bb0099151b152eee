/** One tool call on its way: what is known, decided and answered about it so far. */

import type { ApprovalQuestion, Approver } from '../../approval.ts';
import type { CheckedPath, Decision, Grant, RuleRef, ToolCall } from '../../call.ts';
import { copyArgs, type ReadArgs, readArgs, withSchemaTimeout } from '../../catalog/read-call.ts';
import type { EventBody } from '../../hooks/points/events.ts';
import { type ApprovalDetails, type DecidedEntry, journalVersion } from '../../records/journal-entry.ts';
import { cutText, sameJson } from '../../json.ts';
import { isPromise, type MaybePromise } from '../../maybe-promise.ts';
import { noPaths } from '../../policy/evaluator/compiled-rule.ts';
import type { ToolDeclaration } from '../../tool.ts';
import type { SessionActivity } from '../state/session-activity.ts';
import { narrowGrant } from '../../policy/evaluator/narrow-grant.ts';
import { schemaLimitOf } from './read-request.ts';
import type { Refusal } from './call-result.ts';

/** Something that wants a person's consent: an ask rule, or a hook's confirm. */
export interface PendingQuestion {
  question: ApprovalQuestion;
  readonly handler: Approver | undefined;
  answered: boolean;
}

type CallInfo = Pick<Extract<EventBody, { type: 'tool_late' }>, 'callId' | 'tool' | 'server'>;

export class PendingCall {
  grant: Grant;
  paths = noPaths;
  rule: RuleRef | undefined;
  readonly asks: PendingQuestion[] = [];
  approval: ApprovalDetails | undefined;
  /** When the oldest of the approvals that count was given, by the growing clock. */
  approvedAt = Number.POSITIVE_INFINITY;
  /** When a remembered answer among them stops counting. */
  rememberedUntil = Number.POSITIVE_INFINITY;
  /** True if nothing in the call could have changed since the last decision. */
  isUnchanged = false;
  /** The policy that was asked last; it may be replaced while a person thinks. */
  private policyVersion = '';
  /** False while the journal does not know of an approval. */
  approvalRecorded = true;
  /** True if the last decision depends on the target alone. */
  isConstant = false;

  constructor(
    readonly activity: SessionActivity,
    public call: ToolCall,
    readonly tool: ToolDeclaration,
  ) {
    this.grant = narrowGrant(activity.sessionState.parts.grant, tool.grant);
  }

  /** Asks policy. The strictest answer over all passes counts: asks add up, grants narrow. */
  decide(): MaybePromise<Refusal | undefined> {
    const { policy } = this.activity.sessionState.parts;
    const decision = policy.evaluate(this.call, this.tool, this.activity);
    // A policy looks whether it is still in force when it is asked.
    if (policy.version !== this.policyVersion) this.adoptPolicy(policy.version);
    return isPromise(decision)
      ? decision.then((settled) => this.applyDecision(settled, settled.constant))
      : this.applyDecision(decision, true);
  }

  /** True if nothing could have changed since the last decision. */
  get isFresh(): boolean {
    return this.isUnchanged && this.policyVersion === this.activity.sessionState.parts.policy.version;
  }

  /** Gives the call args that a hook or a person wrote: they are read and decided like the first ones. */
  changeArgs(args: unknown): MaybePromise<Refusal | undefined> {
    const { limits, sessionState } = this.activity;
    const copy = copyArgs(args, limits);
    if (copy.problem !== undefined) return { status: 'denied', reason: `The changed args: ${copy.problem}.` };
    if (sameJson(copy.value, this.call.args)) return undefined;
    const take = (read: ReadArgs): MaybePromise<Refusal | undefined> => {
      if (read.problem !== undefined) return { status: 'denied', reason: read.problem };
      this.call = Object.freeze({ ...this.call, args: read.args });
      return this.decide();
    };
    const read = readArgs(this.tool, copy.value, limits);
    return isPromise(read)
      ? withSchemaTimeout(read, schemaLimitOf(sessionState.parts), (problem): ReadArgs => ({ problem })).then(take)
      : take(read);
  }

  /** Notes what a person must be asked. A rule or hook that asks again asks in its newest words. */
  addQuestion({ text, rule, hook }: ApprovalQuestion): void {
    const handler = rule && this.activity.sessionState.parts.policy.handlerOf(rule);
    const question = Object.freeze({ text: cutText(text, this.activity.limits.reasonLength), rule, hook });
    const known = this.asks.find((ask) => ask.question.rule === rule && ask.question.hook === hook);
    if (known === undefined) this.asks.push({ question, handler, answered: false });
    else known.question = question;
  }

  /** What was approved is no longer what would run, so everything is asked anew. */
  reopen(): void {
    for (const ask of this.asks) ask.answered = false;
    this.approvedAt = Number.POSITIVE_INFINITY;
    this.rememberedUntil = Number.POSITIVE_INFINITY;
  }

  /** Why a call that everything let through must not run after all. */
  expiryRefusal(): Refusal | undefined {
    const { activity, grant } = this;
    if (activity.turn?.cancelled === true)
      return { status: 'cancelled', reason: 'The turn was cancelled before the call ran' };
    if (this.asks.length === 0) return undefined;
    const until = Math.min(this.approvedAt + (grant.approvalMs ?? Number.POSITIVE_INFINITY), this.rememberedUntil);
    if (until > activity.clock.now()) return undefined;
    return { status: 'expired', reason: 'The approval of this call has expired' };
  }

  /** A server may have changed its list meanwhile: what runs must be the tool that was decided about. */
  toolChangeRefusal(): Refusal | undefined {
    const { tool } = this.activity.sessionState.parts.visibleTools.find(this.call.server, this.call.tool);
    if (tool === this.tool) return undefined;
    const same = tool?.schema === this.tool.schema && JSON.stringify(tool) === JSON.stringify(this.tool);
    return same
      ? undefined
      : { status: 'denied', reason: 'The tool was changed or removed while the call was decided' };
  }

  /** Tells whoever watches of this call. */
  emit(make: (callInfo: CallInfo) => EventBody): void {
    const { id: callId, tool, server } = this.call;
    const { sessionState } = this.activity;
    sessionState.emit(this.activity, () =>
      sessionState.mask.maskSecretsOfArgs(this.call.args, make({ callId, tool, server })),
    );
  }

  /** Records a decision: what does not get into the journal does not take effect. */
  recordDecision(entry: DecidedEntry): MaybePromise<string | undefined> {
    return this.activity.sessionState.recorder.recordDecision(entry, this.call.tier === 'confirm');
  }

  /** The journal entry of a decision about this call as it stands. */
  journalEntry(status: DecidedEntry['status'], refusal?: Refusal): DecidedEntry {
    const { call, grant, paths, approval } = this;
    const { parts } = this.activity.sessionState;
    return {
      v: journalVersion,
      at: parts.clock.wall(),
      session: call.session,
      turn: call.turn,
      step: call.step,
      agent: call.agent,
      policy: this.policyVersion || parts.policy.version,
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
      cwd: call.cwd,
      paths: paths.length === 0 ? undefined : paths,
      approval,
    };
  }

  /** What an earlier policy asked, and what was answered to it, does not count under another one. */
  private adoptPolicy(version: string): void {
    const kept = this.asks.filter(({ question }) => question.hook !== undefined);
    this.asks.splice(0, this.asks.length, ...kept);
    this.reopen();
    this.policyVersion = version;
  }

  private applyDecision(decision: Decision, isUnchanged: boolean): Refusal | undefined {
    const { effect, rule, reason, paths } = decision;
    this.paths = paths.length === 0 ? noPaths : Object.freeze(paths.map(freezePath));
    this.rule = rule;
    this.isUnchanged = isUnchanged;
    this.isConstant = decision.constant;
    this.grant = narrowGrant(this.grant, decision.grant);
    if (effect === 'deny') return { status: 'denied', reason, rule };
    if (effect === 'ask') {
      for (const each of [decision, ...(decision.additionalQuestions ?? [])]) {
        this.addQuestion({ text: each.reason, rule: each.rule, hook: undefined });
      }
    }
    return undefined;
  }
}

/** A copy that nobody can change, since it is what the tool will open. */
function freezePath({ at, given, path, identity, ancestor }: CheckedPath): CheckedPath {
  return Object.freeze({
    at: Object.freeze([...at]),
    given,
    path,
    identity: identity === undefined ? undefined : Object.freeze({ ...identity }),
    ancestor: Object.freeze({ path: ancestor.path, identity: Object.freeze({ ...ancestor.identity }) }),
  });
}
