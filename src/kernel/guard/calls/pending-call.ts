/** A tool call in progress: what is known, decided and answered about it so far, and the steps that decide it. */

import type { ApprovalQuestion, Approver } from '../../approval.ts';
import { type CheckedPath, type Decision, type Grant, narrowGrant, type RuleRef, type ToolCall } from '../../call.ts';
import { type CallPosition, type CallReader, copyArgs, type ReadCall, readArgs } from '../../catalog/read-call.ts';
import { refusalReasonOf } from '../../hooks/dispatch/dispatch-result.ts';
import type { CallInfo, EventBody } from '../../hooks/points/events.ts';
import { type ApprovalDetails, type DecidedEntry, journalVersion } from '../../records/journal-entry.ts';
import { cutText, sameJson } from '../../json.ts';
import type { MaybePromise } from '../../maybe-promise.ts';
import { noPaths } from '../../policy/evaluator/compiled-rule.ts';
import type { ToolDeclaration } from '../../tool.ts';
import { HookActivity, type TurnState } from '../state/hook-activity.ts';
import type { SessionState } from '../state/session-state.ts';
import type { Verdict } from './call-result.ts';

/** Something that needs a person's approval: an ask rule or a hook's confirm. */
export interface PendingQuestion {
  question: ApprovalQuestion;
  readonly handler: Approver | undefined;
  answered: boolean;
}

/** Where a call comes from, and what it is read with. */
export interface CallOrigin extends CallReader {
  readonly session: SessionState;
  readonly turn: TurnState;
  readonly position: CallPosition;
}

export class PendingCall extends HookActivity {
  declare readonly turn: TurnState;
  call: ToolCall;
  readonly tool: ToolDeclaration;
  grant: Grant;
  paths = noPaths;
  rule: RuleRef | undefined;
  readonly asks: PendingQuestion[] = [];
  approval: ApprovalDetails | undefined;
  /** When the oldest valid approval was given, in monotonic time. */
  approvedAt = Number.POSITIVE_INFINITY;
  /** When the first of the remembered answers used for this call expires. */
  rememberedUntil = Number.POSITIVE_INFINITY;
  /** True if everything the last decision depends on, such as the files behind a path, is surely still the same. */
  inputsUnchanged = false;
  /** The version of the policy that decided last. The policy may be replaced while a person is asked. */
  private policyVersion = '';
  /** True while an approval is not in the journal yet. */
  hasUnrecordedApproval = false;
  /** True if the last decision depends only on the tool. */
  dependsOnToolOnly = false;
  /** How long its tool ran. */
  elapsedMs = 0;

  constructor(
    private readonly origin: CallOrigin,
    { call, tool = { name: call.tool } }: ReadCall,
  ) {
    super(origin.session, origin.turn, 'operation');
    this.call = call;
    this.tool = tool;
    const { grant } = origin.session.parts;
    this.grant = tool.grant === undefined ? grant : narrowGrant(grant, tool.grant);
  }

  /** Evaluates the policy. The strictest decision of all evaluations counts: asks accumulate, grants narrow. */
  decide(): MaybePromise<Verdict> {
    const { policy } = this.session.parts;
    const evaluated = policy.evaluate(this.call, this.tool, this);
    // Evaluating can load a newer policy, so compare the version afterwards.
    if (policy.version !== this.policyVersion) this.adoptPolicy(policy.version);
    if (!(evaluated instanceof Promise)) return this.applyDecision(evaluated, true);
    // While the promise was pending, files may have changed. This cannot affect a constant decision.
    return evaluated.then((decision) => this.applyDecision(decision, decision.constant));
  }

  /** True if no question is open and the last decision is still valid: its inputs and the policy are the same. */
  get isDecided(): boolean {
    const isCurrent = this.inputsUnchanged && this.policyVersion === this.session.parts.policy.version;
    return isCurrent && this.asks.every((ask) => ask.answered);
  }

  /** Calls the `preToolCall` hooks. If they change the args, the policy decides again. */
  async callHooks(): Promise<Verdict> {
    const { call, grant } = this;
    const result = await this.dispatch('preToolCall', Object.freeze({ call, grant }));
    if (result.type !== 'passed') return { status: 'denied', reason: refusalReasonOf(result), hook: result.hook };
    for (const { question, hook } of result.confirms) this.addQuestion({ text: question, rule: undefined, hook });
    // While the hooks ran, the files behind a path may have changed.
    this.inputsUnchanged &&= this.dependsOnToolOnly;
    return result.payload === undefined ? undefined : this.changeArgs(result.payload.call.args, 'A hook');
  }

  /** Replaces the args with those of a hook or a person. They are validated and decided like the original ones. */
  async changeArgs(args: unknown, by: 'A hook' | 'A person'): Promise<Verdict> {
    const refuse = (problem: string): Verdict => ({ status: 'denied', reason: `${by} changed the args. ${problem}` });
    const copy = copyArgs(args, this.limits);
    if (copy.problem !== undefined) return refuse(`They cannot be used: ${copy.problem}.`);
    if (sameJson(copy.value, this.call.args)) return undefined;
    const read = await readArgs(this.tool, copy.value, this.session.parts);
    if (read.problem !== undefined) return refuse(read.problem);
    this.call = Object.freeze({ ...this.call, args: read.args });
    return this.decide();
  }

  /** Adds a question for a person. If the same rule or hook asks again, its latest text is used. */
  addQuestion({ text, rule, hook }: ApprovalQuestion): void {
    const handler = rule && this.session.parts.policy.detailsOf(rule)?.handler;
    const question = Object.freeze({ text: cutText(text, this.limits.reasonLength), rule, hook });
    const known = this.asks.find((ask) => ask.question.rule === rule && ask.question.hook === hook);
    if (known === undefined) this.asks.push({ question, handler, answered: false });
    else known.question = question;
  }

  /** The approved call is no longer the one that would run, so every question is asked again. */
  reopen(): void {
    for (const ask of this.asks) ask.answered = false;
    this.approvedAt = Number.POSITIVE_INFINITY;
    this.rememberedUntil = Number.POSITIVE_INFINITY;
  }

  /** Refuses an allowed call if the turn has been cancelled or the approval has expired. */
  lateRefusal(): Verdict {
    const { grant } = this;
    if (this.turn.isCancelled) return { status: 'cancelled', reason: 'The turn was cancelled before the call ran' };
    if (this.asks.length === 0) return undefined;
    const until = Math.min(this.approvedAt + (grant.approvalMs ?? Number.POSITIVE_INFINITY), this.rememberedUntil);
    if (until > this.clock.now()) return undefined;
    return { status: 'expired', reason: 'The approval of this call has expired' };
  }

  /** Refuses the call if its server has changed or removed the tool since the decision. */
  toolChangeRefusal(): Verdict {
    const { tool } = this.origin.catalog.find(this.call.server, this.call.tool);
    if (tool === this.tool) return undefined;
    if (tool?.schema === this.tool.schema && JSON.stringify(tool) === JSON.stringify(this.tool)) return undefined;
    return { status: 'denied', reason: 'The tool was changed or removed while the call was being decided' };
  }

  emitCall(make: (callInfo: CallInfo) => EventBody): void {
    const { session, call } = this;
    if (!session.isObserved && session.listeners.size === 0) return;
    const { id: callId, tool, server, args } = call;
    this.emit(() => session.mask.maskSecretsOfArgs(args, make({ callId, tool, server })));
  }

  /** Records that the call may run. Without the record it does not run. */
  recordAllowed(): MaybePromise<Verdict> {
    const refusal = this.lateRefusal() ?? this.toolChangeRefusal();
    if (refusal !== undefined) return refusal;
    this.hasUnrecordedApproval = false;
    const written = this.recordDecision(this.journalEntry(this.asks.length === 0 ? 'allowed' : 'approved'));
    return written instanceof Promise ? written.then(unrecordedRefusal) : unrecordedRefusal(written);
  }

  /** Records a decision. If the journal does not accept it, the decision must not take effect. */
  recordDecision(entry: DecidedEntry): MaybePromise<string | undefined> {
    return this.session.recorder.recordDecision(entry, this.call.tier === 'confirm');
  }

  /** Reports what a tool returned or threw after its call had ended. */
  noteLate(what: string): void {
    const text = cutText(`came after the call had ended: ${what}`, this.limits.reasonLength);
    this.note('late_result', { call: this.call.id, text });
    this.emitCall((info) => ({ type: 'tool_late', ...info, text }));
  }

  /** Shadow rules are evaluated after the call, so that they cannot delay it, and are only reported. */
  reportShadows(): void {
    const { call, tool } = this;
    const shadows = this.session.parts.policy.shadows(call, tool, this);
    if (shadows.length === 0) return;
    const report = async (): Promise<void> => {
      for (const { rule, matched, would, problem } of await Promise.all(shadows.map((evaluate) => evaluate()))) {
        const detail = { call: call.id, matched, would: would ?? null, problem: problem ?? null, rule: rule.name };
        this.note('rule_shadowed', detail);
        this.emitCall((info) => ({ type: 'rule_shadowed', ...info, rule, matched, would, problem }));
      }
    };
    this.runInBackground(Promise.resolve().then(report));
  }

  /** The journal entry for a decision about this call in its current state. */
  journalEntry(status: DecidedEntry['status'], refusal?: Verdict): DecidedEntry {
    const { call, grant, paths, approval } = this;
    const { parts } = this.session;
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

  /** Drops the questions of an earlier policy and all answers, because they do not count under another policy. */
  private adoptPolicy(version: string): void {
    const kept = this.asks.filter(({ question }) => question.hook !== undefined);
    this.asks.splice(0, this.asks.length, ...kept);
    this.reopen();
    this.policyVersion = version;
  }

  private applyDecision(decision: Decision, inputsUnchanged: boolean): Verdict {
    const { effect, rule, reason, paths } = decision;
    this.paths = paths.length === 0 ? noPaths : Object.freeze(paths.map(freezePath));
    this.rule = rule;
    this.inputsUnchanged = inputsUnchanged;
    this.dependsOnToolOnly = decision.constant;
    if (decision.grant !== undefined) this.grant = narrowGrant(this.grant, decision.grant);
    if (effect === 'deny') return { status: 'denied', reason, rule };
    if (effect === 'allow') return undefined;
    for (const { reason: text, rule: by } of [decision, ...(decision.additionalQuestions ?? [])])
      this.addQuestion({ text, rule: by, hook: undefined });
    return undefined;
  }
}

function unrecordedRefusal(problem: string | undefined): Verdict {
  if (problem === undefined) return undefined;
  return { status: 'denied', reason: `The decision could not be recorded, so the call does not run: ${problem}` };
}

/** A frozen copy, because the tool will open this path. */
function freezePath({ at, given, path, identity, ancestor }: CheckedPath): CheckedPath {
  return Object.freeze({
    at: Object.freeze([...at]),
    given,
    path,
    identity: identity === undefined ? undefined : Object.freeze({ ...identity }),
    ancestor: Object.freeze({ path: ancestor.path, identity: Object.freeze({ ...ancestor.identity }) }),
  });
}
