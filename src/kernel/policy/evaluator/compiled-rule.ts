/** A rule prepared for evaluation: its order, its constant decision, its condition. */

import type { Decision, RuleCheckResult, Grant, RuleRef, ToolCall } from '../../call.ts';
import { callWithAliases } from '../../catalog/argument-aliases.ts';
import { kindOf } from '../../kind-of.ts';
import { pairText } from '../../names.ts';
import type { Clock } from '../../clock.ts';
import { type Deadlines, timedOut, withTimeout } from '../../deadlines.ts';
import { BridleError, messageOf } from '../../errors.ts';
import { cutText } from '../../json.ts';
import { defaultLimits } from '../../limits.ts';
import { isPromise, type MaybePromise } from '../../maybe-promise.ts';
import type { ToolDeclaration } from '../../tool.ts';
import { genericReason, unknownDenial, unknownQuestion } from './reasons.ts';
import type { RuleContext, Rule, ScopeValues } from '../rules/rule.ts';
import { bucketOf, targetText } from '../rules/target.ts';

/** The result of evaluating a rule's condition. `failed`: it could not be evaluated. `unknown`: a fact was unknown. */
export type RuleMatch = RuleCheckResult & {
  readonly failed?: string | undefined;
  readonly unknown?: string | undefined;
};

export const noPaths: Decision['paths'] = Object.freeze([]);
/** The fields of a decision that no rule made. */
export const decisionWithoutRule = Object.freeze({ rule: undefined, grant: undefined, paths: noPaths });

const matches: RuleMatch = Object.freeze({ matched: true });
const matchesNot: RuleMatch = Object.freeze({ matched: false });

export interface PredicateTimeout {
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly timeoutMs: number;
}

/** Reads the values of the scopes on demand. */
export interface ScopeReader {
  readonly scopeValues: () => ScopeValues;
}

const noState: ScopeValues = Object.freeze({ session: {}, turn: {} });

/** A call under evaluation, with everything that predicates can read. */
export class EvaluatedCall implements RuleContext {
  readonly call: ToolCall;

  constructor(
    call: ToolCall,
    readonly tool: ToolDeclaration,
    private readonly reader: ScopeReader | undefined,
  ) {
    // A call from elsewhere, for example a journal record, may lack the aliases.
    this.call = callWithAliases(tool, call);
  }

  get state(): ScopeValues {
    return this.reader?.scopeValues() ?? noState;
  }
}

export class CompiledRule {
  readonly ref: RuleRef;
  /** The decision, if it does not depend on the call. */
  readonly constantDecision: Decision | undefined;
  readonly isConditional: boolean;
  /** The decision for every call the rule applies to, if its reason does not depend on the call. */
  private readonly commonDecision: Decision | undefined;

  constructor(
    readonly rule: Rule,
    /** Its position among all rules. */
    readonly order: number,
    private readonly limit: PredicateTimeout,
  ) {
    const { name, effect, when, check, reason } = rule;
    const target = targetText(rule.target);
    const named = rule.target.type === 'tool';
    this.ref = Object.freeze({
      name: name ?? `${effect} ${target}`,
      effect,
      target,
      bucket: bucketOf(effect, rule.target),
      at: rule.at,
    });
    this.isConditional = when !== undefined || check !== undefined;
    const hasReason = typeof reason === 'string' && reason.trim() !== '';
    const simple = check === undefined && (hasReason || (reason === undefined && (effect === 'allow' || named)));
    this.commonDecision = simple ? this.decision(undefined, undefined) : undefined;
    this.constantDecision = this.isConditional ? undefined : this.commonDecision;
  }

  /**
   * Evaluates whether the rule applies: `when` first, then `check`. Never throws: an error or a timeout is a failure, and a
   * failure denies the call.
   */
  evaluate(subject: EvaluatedCall): MaybePromise<RuleMatch> {
    if (!this.isConditional) return matches;
    const { check, when } = this.rule;
    const started = this.limit.clock.now();
    if (when === undefined) return this.evaluatePart('check', subject, started);
    const met = this.evaluatePart('when', subject, started);
    if (check === undefined) return met;
    const runCheck = (match: RuleMatch): MaybePromise<RuleMatch> =>
      match.matched ? this.evaluatePart('check', subject, this.limit.clock.now()) : match;
    return isPromise(met) ? met.then(runCheck) : runCheck(met);
  }

  /** The effect of this rule alone; undefined if it does not apply. An unknown condition is resolved strictly (X01). */
  effectOf({ matched, failed, unknown: why }: RuleMatch): Decision['effect'] | undefined {
    const { effect, unknown } = this.rule;
    const certain = effect === 'forbid' ? 'deny' : effect;
    if (failed !== undefined) return 'deny';
    if (why === undefined) return matched ? certain : undefined;
    if (effect === 'allow') return undefined;
    return unknown === 'ask' ? 'ask' : certain;
  }

  /** The decision of this rule for a call it applies to. */
  decide(call: ToolCall, match: RuleMatch): Decision {
    return this.commonDecision ?? this.decision(call, match.reason);
  }

  /** The deny decision for a condition that could not be evaluated. */
  denyFailed(problem: string): Decision {
    return this.make('deny', `Rule "${this.ref.name}" could not be evaluated: ${problem}`, false);
  }

  /** The decision if it is unknown whether this rule applies. */
  decideUnknown(call: ToolCall, why: string): Decision {
    const { effect, unknown, unanswerable } = this.rule;
    const asks = effect === 'ask' || (unknown === 'ask' && unanswerable === undefined);
    const about = { rule: this.ref, call, why, own: this.reasonFor(call) };
    const reason = asks ? unknownQuestion(about) : unknownDenial(about, unknown === 'ask');
    return Object.freeze({ ...this.make(asks ? 'ask' : 'deny', reason, false), uncertainty: why });
  }

  private decision(call: ToolCall | undefined, found: string | undefined): Decision {
    const effect = this.rule.effect === 'forbid' ? 'deny' : this.rule.effect;
    const own = found?.trim() === '' ? undefined : found;
    return this.make(effect, own ?? this.reasonFor(call) ?? this.genericReasonFor(call), !this.isConditional);
  }

  private make(effect: Decision['effect'], text: string, constant: boolean): Decision {
    const reason = cutText(text.toWellFormed(), defaultLimits.reasonLength);
    const grant: Grant | undefined = effect === 'deny' ? undefined : this.rule.grant;
    return Object.freeze({ effect, rule: this.ref, reason, grant, paths: noPaths, constant });
  }

  private reasonFor(call: ToolCall | undefined): string | undefined {
    const { reason } = this.rule;
    if (typeof reason !== 'function') return reason?.trim() === '' ? undefined : reason;
    try {
      const text: unknown = call === undefined ? undefined : reason(call);
      // The reason cannot be asynchronous. A rejection must not become an unhandled one.
      if (isPromise(text)) text.then(undefined, () => undefined);
      return typeof text === 'string' && text.trim() !== '' ? text : undefined;
    } catch {
      // The decision stays the same; only its reason falls back to the generic text.
      return undefined;
    }
  }

  private genericReasonFor(call: ToolCall | undefined): string {
    const tool = call === undefined ? this.ref.target : pairText(call.server, call.tool);
    return this.rule.effect === 'allow' ? '' : genericReason(this.ref, tool);
  }

  private evaluatePart(part: Part, subject: EvaluatedCall, started: number): MaybePromise<RuleMatch> {
    const { check, when } = this.rule;
    try {
      const result: unknown =
        part === 'when' ? when?.(subject.call.args, subject.call, subject) : check?.(subject.call, subject.tool);
      if (isPromise(result)) return this.wait(part, result, started);
      return this.isLate(started) ? this.late() : read[part](result);
    } catch (error) {
      return matchFromError('threw', error);
    }
  }

  private async wait(part: Part, result: PromiseLike<unknown>, started: number): Promise<RuleMatch> {
    try {
      const settled = await withTimeout(result, this.limit.timeoutMs, this.limit);
      // Blocking code delays the deadline, so check the clock too.
      return settled === timedOut || this.isLate(started) ? this.late() : read[part](settled);
    } catch (error) {
      return matchFromError('rejected', error);
    }
  }

  private late(): RuleMatch {
    return failure(`its predicate did not answer within ${this.limit.timeoutMs} ms`);
  }

  private isLate(started: number): boolean {
    return this.limit.clock.now() - started >= this.limit.timeoutMs;
  }
}

/** The parts of a condition. */
type Part = 'when' | 'check';

const read: Readonly<Record<Part, (result: unknown) => RuleMatch>> = {
  when: (result) => {
    if (result === true) return matches;
    return result === false ? matchesNot : failure(`its predicate returned ${kindOf(result)}, not true or false`);
  },
  check: (result) => (isRuleCheckResult(result) ? result : failure('its check returned an invalid result')),
};

function isRuleCheckResult(result: unknown): result is RuleCheckResult {
  if (typeof result !== 'object' || result === null) return false;
  const { matched, reason, paths } = result as Record<keyof RuleCheckResult, unknown>;
  const worded = reason === undefined || typeof reason === 'string';
  return typeof matched === 'boolean' && worded && (paths === undefined || Array.isArray(paths));
}

function failure(failed: string): RuleMatch {
  return { matched: false, failed };
}

/** FACT_UNKNOWN is the signal of an unknown fact; any other error is a failure. */
function matchFromError(how: string, error: unknown): RuleMatch {
  const text = messageOf(error);
  if (error instanceof BridleError && error.code === 'FACT_UNKNOWN') return { matched: false, unknown: text };
  return failure(`its predicate ${how}: ${text}`);
}
