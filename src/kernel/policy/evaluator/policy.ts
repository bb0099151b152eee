/** A compiled policy: decides calls, explains decisions, and reports what shadow rules would have decided. */

import type { Approver } from '../../approval.ts';
import type { CallRequest, Decision, Effect, RuleRef, ToolCall } from '../../call.ts';
import type { ToolFinder } from '../../catalog/catalog.ts';
import { type CallPosition, type ReadCall, readCall } from '../../catalog/read-call.ts';
import type { Deadlines } from '../../deadlines.ts';
import type { SessionId } from '../../ids.ts';
import type { Limits } from '../../limits.ts';
import { getOrCreate } from '../../lazy.ts';
import { isPromise, type MaybePromise } from '../../maybe-promise.ts';
import type { ToolDeclaration } from '../../tool.ts';
import { type CompiledRule, decisionWithoutRule, type ScopeReader, EvaluatedCall } from './compiled-rule.ts';
import {
  CallEvaluation,
  type CallRules,
  type ConsideredRule,
  type PolicyDefault,
  type TargetRules,
} from './call-evaluation.ts';
import type { Target } from '../rules/rule.ts';

/** A decision and how it was reached. */
export interface Explanation {
  readonly decision: Decision;
  /** In the order of evaluation: forbid rules, then bucket 0 to 8. */
  readonly considered: readonly ConsideredRule[];
  readonly shadows: readonly ShadowDecision[];
}

/** What a shadow rule would have decided. */
export interface ShadowDecision {
  readonly rule: RuleRef;
  readonly matched: boolean;
  /** The effect it would have had; undefined if it would not have applied. */
  readonly would: Effect | undefined;
  /** Why it could not be evaluated. */
  readonly problem: string | undefined;
}

/** Evaluates a shadow rule. */
export type ShadowEvaluation = () => Promise<ShadowDecision>;

/** What the guard needs to know about a rule that asks. */
export interface RuleDetails {
  /** Identifies the rule within its policy. */
  readonly id: string;
  readonly handler: Approver | undefined;
}

/** The part of a policy that the guard needs. */
export type PolicyEvaluator = Pick<Policy, 'version' | 'timeoutMs' | 'evaluate' | 'shadows' | 'detailsOf'>;

/** The policy of a guard. */
export type GuardPolicy = PolicyEvaluator & Pick<Policy, 'rules' | 'warnings' | 'decide' | 'explain' | 'isUncovered'>;

interface PolicyParts {
  readonly rules: readonly CompiledRule[];
  readonly catalog: ToolFinder;
  readonly fallback: PolicyDefault;
  readonly version: () => string;
  readonly warnings: (policy: Policy) => readonly string[];
  readonly timeoutMs: number;
  readonly deadlines: Deadlines;
  readonly limits: Limits;
}

const noPosition: CallPosition = { session: '' as SessionId, turn: 0, step: 0, agent: [], cwd: undefined };

export class Policy {
  /** Time limit for predicates. */
  readonly timeoutMs: number;
  /** Every rule, in registration order. */
  readonly rules: readonly RuleRef[];
  private readonly index: RuleIndex;
  private readonly compiled: ReadonlyMap<RuleRef, CompiledRule>;
  private readonly hasShadows: boolean;

  constructor(private readonly parts: PolicyParts) {
    this.timeoutMs = parts.timeoutMs;
    this.rules = Object.freeze(parts.rules.map((rule) => rule.ref));
    this.index = new RuleIndex(parts.rules);
    this.compiled = new Map(parts.rules.map((rule) => [rule.ref, rule]));
    this.hasShadows = parts.rules.some(({ rule }) => rule.shadow === true);
  }

  get version(): string {
    return this.parts.version();
  }

  /** Probable mistakes that are not errors. They can change when a server changes its list of tools. */
  get warnings(): readonly string[] {
    return Object.freeze([...new Set(this.parts.warnings(this))]);
  }

  /** Decides a call request. Names and args are checked first. */
  decide(request: CallRequest): MaybePromise<Decision> {
    const decideRead = (read: ReadCall): MaybePromise<Decision> =>
      read.problem === undefined ? this.evaluate(read.call, read.tool) : denyInvalid(read.problem);
    const read = this.read(request);
    return isPromise(read) ? read.then(decideRead) : decideRead(read);
  }

  /** Decides a call and explains how each rule took part. */
  async explain(request: CallRequest): Promise<Explanation> {
    const read = await this.read(request);
    if (read.problem !== undefined) return { decision: denyInvalid(read.problem), considered: [], shadows: [] };
    return this.explainCall(read.call, read.tool);
  }

  /** {@link explain}, for a call whose names and args are checked already. */
  async explainCall(call: ToolCall, tool: ToolDeclaration, reader?: ScopeReader): Promise<Explanation> {
    const callRules = this.rulesFor(call, tool);
    const subject = new EvaluatedCall(call, tool, reader);
    const trace: ConsideredRule[] = [];
    const evaluation = new CallEvaluation(callRules, subject, { fallback: this.parts.fallback, trace });
    const decision = await evaluation.run();
    return {
      decision,
      considered: [...trace, ...evaluation.notReached()],
      shadows: await Promise.all(shadowRules(callRules).map((rule) => shadowDecision(rule, subject))),
    };
  }

  /** Decides a call whose names and args are checked already. The guard uses this. */
  evaluate(call: ToolCall, tool: ToolDeclaration, reader?: ScopeReader): MaybePromise<Decision> {
    const callRules = this.rulesFor(call, tool);
    const constant = constantDecision(callRules, call, tool);
    return constant ?? new CallEvaluation(callRules, new EvaluatedCall(call, tool, reader), this.parts).run();
  }

  /** The shadow rules for a call. They never affect the decision. */
  shadows(call: ToolCall, tool: ToolDeclaration, reader?: ScopeReader): readonly ShadowEvaluation[] {
    if (!this.hasShadows) return noShadows;
    const subject = new EvaluatedCall(call, tool, reader);
    return shadowRules(this.rulesFor(call, tool)).map((rule) => () => shadowDecision(rule, subject));
  }

  /** Undefined if the rule is not in this policy. */
  detailsOf(rule: RuleRef): RuleDetails | undefined {
    const compiled = this.compiled.get(rule);
    return compiled && { id: String(compiled.order), handler: compiled.rule.handler };
  }

  /**
   * True if the policy does not define what happens to this tool's calls (G17): no enforced rule other than forbid names
   * the tool or its server, and no `*` rule applies to all its calls.
   */
  isUncovered(tool: ToolDeclaration): boolean {
    const callRules = this.index.rulesFor(tool.server, tool.name, tool.aliases?.names);
    const named = callRules.slice(0, -1).some((targetRules) => targetRules.rules.length > 0);
    const forAll = callRules.at(-1)?.rules ?? [];
    return !named && !forAll.some(({ isConditional, rule }) => !isConditional || rule.covers?.(tool) === true);
  }

  private rulesFor(call: ToolCall, tool: ToolDeclaration | undefined): CallRules {
    return this.index.rulesFor(call.server, call.tool, tool?.aliases?.names);
  }

  private read(request: CallRequest): MaybePromise<ReadCall> {
    const { catalog, limits, deadlines } = this.parts;
    return readCall(request, noPosition, { catalog, limits, deadlines, policy: this });
  }
}

/** The decision, if the first applicable rule has no condition and no forbid rule could apply. */
function constantDecision(callRules: CallRules, call: ToolCall, tool: ToolDeclaration): Decision | undefined {
  let leading: TargetRules | undefined;
  for (let i = 0; i < callRules.length; i++) {
    const targetRules = callRules[i] as TargetRules;
    if (targetRules.forbid.length > 0 && targetRules.forbid.some(({ rule }) => rule.concerns?.(tool) !== false))
      return undefined;
    if (leading === undefined && targetRules.rules.length > 0) leading = targetRules;
  }
  return leading?.first ?? leading?.rules[0]?.constantDecision(call);
}

const noShadows: readonly ShadowEvaluation[] = Object.freeze([]);

function shadowRules(callRules: CallRules): readonly CompiledRule[] {
  return callRules.flatMap(({ shadow }) => shadow);
}

async function shadowDecision(rule: CompiledRule, subject: EvaluatedCall): Promise<ShadowDecision> {
  const match = await rule.evaluate(subject);
  const { matched, failed, unknown } = match;
  return { rule: rule.ref, matched, would: rule.effectOf(match), problem: failed ?? unknown };
}

/** The decision about a call that cannot be read. */
export function denyInvalid(reason: string): Decision {
  return Object.freeze({ ...decisionWithoutRule, effect: 'deny', reason, constant: false, problem: reason });
}

/** The rules for the tools of one server, or for the local tools. */
interface ServerRules {
  readonly tools: Map<string, CallRules>;
  /** The rules for every tool of the server, then those for all tools. */
  readonly general: CallRules;
}

/** A call is compared only with the rules for its exact tool, for its server and for all tools, however many others there are. */
class RuleIndex {
  private readonly all: TargetRules = emptyRules();
  private readonly local: ServerRules = { tools: new Map(), general: [this.all] };
  private readonly servers = new Map<string | undefined, ServerRules>([[undefined, this.local]]);

  constructor(rules: readonly CompiledRule[]) {
    // Sorting is stable: within a bucket, registration order is kept.
    for (const rule of rules.toSorted((a, b) => a.ref.bucket - b.ref.bucket)) {
      const targetRules = this.rulesOf(rule.rule.target);
      const list = rule.rule.shadow === true ? 'shadow' : rule.rule.effect === 'forbid' ? 'forbid' : 'rules';
      if (list === 'rules' && targetRules.rules.length === 0) targetRules.first = rule.constantDecision();
      // Most targets have one rule, so lists start as one shared empty list.
      if (targetRules[list] === none) targetRules[list] = [rule];
      else (targetRules[list] as CompiledRule[]).push(rule);
    }
  }

  /** `aliases` are the other names of the tool. Rules for a local tool already use its canonical name. */
  rulesFor(server: string | undefined, tool: string, aliases: readonly string[] = []): CallRules {
    const ofServer = server === undefined ? this.local : this.servers.get(server);
    if (ofServer === undefined) return this.local.general;
    let exact = ofServer.tools.get(tool);
    if (server !== undefined) for (const alias of aliases) exact = merged(exact, ofServer.tools.get(alias));
    return exact ?? ofServer.general;
  }

  private rulesOf(target: Target): TargetRules {
    if (target.type === 'all') return this.all;
    const create = (): ServerRules => ({ tools: new Map(), general: [emptyRules(), this.all] });
    const { tools, general } = getOrCreate(this.servers, target.server, create);
    if (target.type === 'server') return general[0];
    return getOrCreate(tools, target.tool, (): CallRules => [emptyRules(), ...general])[0];
  }
}

const none: readonly CompiledRule[] = Object.freeze([]);

function emptyRules(): TargetRules {
  return { forbid: none, rules: none, shadow: none, first: undefined };
}

/** Merges the rules of two names of a tool. This is rare, so the result is not cached. */
function merged(one: CallRules | undefined, other: CallRules | undefined): CallRules | undefined {
  if (one === undefined || other === undefined || one === other) return one ?? other;
  const both = (part: 'forbid' | 'rules' | 'shadow'): CompiledRule[] =>
    [...one[0][part], ...other[0][part]].toSorted((a, b) => a.ref.bucket - b.ref.bucket || a.order - b.order);
  const rules = both('rules');
  const exact = { forbid: both('forbid'), rules, shadow: both('shadow'), first: rules[0]?.constantDecision() };
  return [exact, ...one.slice(1)];
}
