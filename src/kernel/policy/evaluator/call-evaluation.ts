/** Deciding one call: forbid rules first, then the buckets in order, until a rule applies. */

import type { CheckedPath, Decision, Effect, Grant, RuleRef, ToolCall } from '../../call.ts';
import { narrowGrant } from './narrow-grant.ts';
import { isPromise, type MaybePromise } from '../../maybe-promise.ts';
import type { CompiledRule, EvaluatedCall, RuleMatch } from './compiled-rule.ts';
import type { TargetRules, CallRules } from './rule-index.ts';

/** What became of one rule while a call was decided. */
export interface ConsideredRule {
  readonly rule: RuleRef;
  readonly outcome: 'decided' | 'did not apply' | 'could not be told' | 'could not be evaluated' | 'not reached';
  readonly detail?: string | undefined;
}

export class CallEvaluation {
  /** Lists of rules passed: first the forbid rules of each lane, then its other rules. */
  private list = 0;
  private at = 0;
  private conditional = false;
  private paths: readonly CheckedPath[] | undefined;
  /** What is asked because no fact tells whether it must be. */
  private doubts: readonly Decision[] = noDoubts;
  /** Why an allow rule could not be told to apply. */
  private unsure: string | undefined;

  constructor(
    private readonly lanes: CallRules,
    private readonly subject: EvaluatedCall,
    /** What holds if no rule applies; `trace` collects what became of each rule, where somebody wants to know. */
    private readonly rest: { readonly fallback: PolicyDefault; readonly trace?: ConsideredRule[] },
  ) {}

  run(): MaybePromise<Decision> {
    for (let rule = this.next(); rule !== undefined; rule = this.next()) {
      const verdict = rule.evaluate(this.subject);
      if (isPromise(verdict)) return this.resume(rule, verdict);
      const decision = this.take(rule, verdict);
      if (decision !== undefined) return decision;
    }
    const { plain, unsure } = this.rest.fallback;
    const { call } = this.subject;
    return this.finish(this.unsure === undefined ? plain(call) : unsure(call, this.unsure));
  }

  /** The rules that were not looked at because one had decided. */
  notReached(): readonly ConsideredRule[] {
    const rest: ConsideredRule[] = [];
    for (let rule = this.next(); rule !== undefined; rule = this.next()) {
      rest.push({ rule: rule.ref, outcome: 'not reached' });
    }
    return rest;
  }

  private async resume(rule: CompiledRule, verdict: Promise<RuleMatch>): Promise<Decision> {
    return this.take(rule, await verdict) ?? this.run();
  }

  private next(): CompiledRule | undefined {
    const { lanes } = this;
    while (this.list < 2 * lanes.length) {
      const lane = lanes[this.list % lanes.length] as TargetRules;
      const rules = this.list < lanes.length ? lane.forbid : lane.rules;
      if (this.at < rules.length) return rules[this.at++];
      this.list++;
      this.at = 0;
    }
    return undefined;
  }

  private take(rule: CompiledRule, verdict: RuleMatch): Decision | undefined {
    this.conditional ||= rule.isConditional;
    if (verdict.paths !== undefined && verdict.paths.length > 0) {
      if (this.paths !== undefined && placesOf(this.paths) !== placesOf(verdict.paths)) {
        return this.fail(rule, 'another rule resolves the paths of this call otherwise');
      }
      this.paths = verdict.paths;
    }
    if (verdict.failed !== undefined) return this.fail(rule, verdict.failed);
    if (verdict.unknown !== undefined) return this.doubt(rule, verdict.unknown);
    this.note(rule, verdict.matched ? 'decided' : 'did not apply', verdict.reason);
    return verdict.matched ? this.finish(rule.decide(this.subject.call, verdict)) : undefined;
  }

  private fail(rule: CompiledRule, problem: string): Decision {
    this.note(rule, 'could not be evaluated', problem);
    return this.finish(rule.denyFailed(problem));
  }

  /** Rounds an unknown condition to the strict side (X01): it denies, or asks if nothing denies (P19); it never allows. */
  private doubt(rule: CompiledRule, why: string): Decision | undefined {
    const { effect, unknown } = rule.rule;
    const denies = (effect === 'deny' || effect === 'forbid') && unknown !== 'ask';
    const how = unknown === 'ask' ? `${why}; the rule asks then (unknown: ask)` : why;
    this.note(rule, denies ? 'decided' : 'could not be told', how);
    if (effect === 'allow') this.unsure ??= why;
    else if (denies) return this.finish(rule.decideUnsure(this.subject.call, why));
    else this.doubts = [...this.doubts, rule.decideUnsure(this.subject.call, why)];
    return undefined;
  }

  private finish(decided: Decision): Decision {
    const decision = this.doubts.length === 0 ? decided : withDoubts(this.doubts, decided);
    const fixed = decision.fixed && !this.conditional;
    if (fixed === decision.fixed && this.paths === undefined) return decision;
    return Object.freeze({ ...decision, paths: this.paths ?? decision.paths, fixed });
  }

  private note(rule: CompiledRule, outcome: ConsideredRule['outcome'], detail?: string): void {
    this.rest.trace?.push({ rule: rule.ref, outcome, detail });
  }
}

const noDoubts: readonly Decision[] = [];

/** What is decided, together with what is asked because it is unknown whether it must be: the stricter of both. */
function withDoubts(doubts: readonly Decision[], decided: Decision): Decision {
  const denying = [decided, ...doubts].find(({ effect }) => effect === 'deny');
  if (denying !== undefined) return denying;
  const [first, ...others] = doubts as readonly [Decision, ...Decision[]];
  const further = decided.effect === 'ask' ? [...others, decided] : others;
  const grant = [...others, decided].reduce(narrower, first.grant);
  const elseDefault = decided.rule === undefined;
  return { ...first, grant, elseDefault, further: further.length === 0 ? undefined : further };
}

function narrower(grant: Grant | undefined, decision: Decision): Grant | undefined {
  return grant === undefined ? decision.grant : narrowGrant(grant, decision.grant);
}

/** What holds if no rule applies, and what does if it cannot be told whether one would have. */
export interface PolicyDefault {
  readonly effect: Effect;
  readonly plain: (call: ToolCall) => Decision;
  readonly unsure: (call: ToolCall, why: string) => Decision;
}

function placesOf(paths: readonly CheckedPath[]): string {
  return JSON.stringify(paths.map(({ at, path }) => [at, path]));
}
