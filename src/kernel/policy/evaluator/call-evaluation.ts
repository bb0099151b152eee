/** Evaluates the rules for one call: forbid rules first, then the buckets in order, until a rule applies. */

import {
  type CheckedPath,
  type Decision,
  type Effect,
  type Grant,
  narrowGrant,
  type RuleRef,
  type ToolCall,
} from '../../call.ts';
import { isPromise, type MaybePromise } from '../../maybe-promise.ts';
import type { CompiledRule, EvaluatedCall, RuleMatch } from './compiled-rule.ts';

/** The rules of one target. */
export interface TargetRules {
  forbid: readonly CompiledRule[];
  /** By bucket, then registration. */
  rules: readonly CompiledRule[];
  shadow: readonly CompiledRule[];
  /** The constant decision of the first of `rules`, if it has one. Stored here for a fast lookup. */
  first: Decision | undefined;
}

/** The rules for one call by target, from specific to general. */
export type CallRules = readonly [TargetRules, ...TargetRules[]];

/** The part that one rule had in a decision. */
export interface ConsideredRule {
  readonly rule: RuleRef;
  readonly outcome: 'decided' | 'did not apply' | 'is unknown' | 'could not be evaluated' | 'not reached';
  readonly detail?: string | undefined;
}

export class CallEvaluation {
  /** The current list: first the forbid rules of each target, then the other rules of each target. */
  private list = 0;
  private at = 0;
  private conditional = false;
  private paths: readonly CheckedPath[] | undefined;
  /** Asks of rules whose condition is unknown. */
  private unknownAsks: readonly Decision[] = noAsks;
  /** Why it is unknown whether an allow rule applies. */
  private unknownAllow: string | undefined;

  constructor(
    private readonly callRules: CallRules,
    private readonly subject: EvaluatedCall,
    /** The decision if no rule applies. `trace` records the part of each rule, for an explanation. */
    private readonly rest: { readonly fallback: PolicyDefault; readonly trace?: ConsideredRule[] },
  ) {}

  run(): MaybePromise<Decision> {
    for (let rule = this.next(); rule !== undefined; rule = this.next()) {
      const match = rule.evaluate(this.subject);
      if (isPromise(match)) return this.resume(rule, match);
      const decision = this.consider(rule, match);
      if (decision !== undefined) return decision;
    }
    const { noMatch, uncertain } = this.rest.fallback;
    const { call } = this.subject;
    return this.finish(this.unknownAllow === undefined ? noMatch(call) : uncertain(call, this.unknownAllow));
  }

  /** The rules that were not evaluated because another rule decided first. */
  notReached(): readonly ConsideredRule[] {
    const rest: ConsideredRule[] = [];
    for (let rule = this.next(); rule !== undefined; rule = this.next()) {
      rest.push({ rule: rule.ref, outcome: 'not reached' });
    }
    return rest;
  }

  private async resume(rule: CompiledRule, match: Promise<RuleMatch>): Promise<Decision> {
    return this.consider(rule, await match) ?? this.run();
  }

  private next(): CompiledRule | undefined {
    const { callRules } = this;
    while (this.list < 2 * callRules.length) {
      const targetRules = callRules[this.list % callRules.length] as TargetRules;
      const rules = this.list < callRules.length ? targetRules.forbid : targetRules.rules;
      if (this.at < rules.length) return rules[this.at++];
      this.list++;
      this.at = 0;
    }
    return undefined;
  }

  private consider(rule: CompiledRule, match: RuleMatch): Decision | undefined {
    this.conditional ||= rule.isConditional;
    if (match.paths !== undefined && match.paths.length > 0) {
      if (this.paths !== undefined && pathsText(this.paths) !== pathsText(match.paths)) {
        return this.fail(rule, 'another rule resolves the paths of this call differently');
      }
      this.paths = match.paths;
    }
    if (match.failed !== undefined) return this.fail(rule, match.failed);
    if (match.unknown !== undefined) return this.resolveUnknown(rule, match.unknown);
    this.note(rule, match.matched ? 'decided' : 'did not apply', match.reason);
    return match.matched ? this.finish(rule.decide(this.subject.call, match.reason)) : undefined;
  }

  private fail(rule: CompiledRule, problem: string): Decision {
    this.note(rule, 'could not be evaluated', problem);
    return this.finish(rule.denyFailed(problem));
  }

  /** Resolves an unknown condition strictly (X01): the rule denies, or asks if nothing denies (P19), and never allows. */
  private resolveUnknown(rule: CompiledRule, why: string): Decision | undefined {
    const { unknownEffect } = rule;
    const how = rule.rule.unknown === 'ask' ? `${why}; the rule asks then (unknown: ask)` : why;
    this.note(rule, unknownEffect === 'deny' ? 'decided' : 'is unknown', how);
    if (unknownEffect === 'deny') return this.finish(rule.decideUnknown(this.subject.call, why));
    if (unknownEffect === 'ask') this.unknownAsks = [...this.unknownAsks, rule.decideUnknown(this.subject.call, why)];
    else this.unknownAllow ??= why;
    return undefined;
  }

  private finish(decided: Decision): Decision {
    const decision = this.unknownAsks.length === 0 ? decided : withUnknownAsks(this.unknownAsks, decided);
    const constant = decision.constant && !this.conditional;
    if (constant === decision.constant && this.paths === undefined) return decision;
    return Object.freeze({ ...decision, paths: this.paths ?? decision.paths, constant });
  }

  private note(rule: CompiledRule, outcome: ConsideredRule['outcome'], detail?: string): void {
    this.rest.trace?.push({ rule: rule.ref, outcome, detail });
  }
}

const noAsks: readonly Decision[] = [];

/** Combines a decision with the asks of rules whose condition is unknown. The stricter one wins. */
function withUnknownAsks(unknownAsks: readonly Decision[], decided: Decision): Decision {
  const denying = [decided, ...unknownAsks].find(({ effect }) => effect === 'deny');
  if (denying !== undefined) return denying;
  const [first, ...others] = unknownAsks as readonly [Decision, ...Decision[]];
  const additionalQuestions = decided.effect === 'ask' ? [...others, decided] : others;
  const grant = [...others, decided].reduce(narrower, first.grant);
  const mayFallToDefault = decided.rule === undefined;
  const additional = additionalQuestions.length === 0 ? undefined : additionalQuestions;
  return { ...first, grant, mayFallToDefault, additionalQuestions: additional };
}

function narrower(grant: Grant | undefined, decision: Decision): Grant | undefined {
  return grant === undefined ? decision.grant : narrowGrant(grant, decision.grant);
}

/** The decision if no rule applies, and the one if it is unknown whether an allow rule applies. */
export interface PolicyDefault {
  readonly effect: Effect;
  readonly noMatch: (call: ToolCall) => Decision;
  readonly uncertain: (call: ToolCall, why: string) => Decision;
}

function pathsText(paths: readonly CheckedPath[]): string {
  return JSON.stringify(paths.map(({ at, path }) => [at, path]));
}
