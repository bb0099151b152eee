/** A rule prepared for evaluation: whether it applies to a call, and what it decides then. */

import type { Decision, Effect, RuleCheckResult, RuleRef, ToolCall } from '../../call.ts';
import { callWithAliases } from '../../catalog/read-call.ts';
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
  readonly isConditional: boolean;
  /** Its effect on a call it applies to. */
  private readonly effect: Effect;
  /** Its effect if it is unknown whether it applies (X01): it denies or asks, and never allows. */
  readonly unknownEffect: 'deny' | 'ask' | undefined;
  /** The decision for every call the rule applies to, if its reason does not depend on the call. */
  private readonly commonDecision: Decision | undefined;
  /** Decisions with the generic reason, by tool: building the text takes longer than deciding. */
  private byTool: Map<string, Decision> | undefined;

  constructor(
    readonly rule: Rule,
    /** Its position among all rules. */
    readonly order: number,
    private readonly limit: PredicateTimeout,
  ) {
    const { name, effect, target, when, check, reason, unknown, at, approval } = rule;
    const text = targetText(target);
    const bucket = bucketOf(effect, target);
    this.ref = Object.freeze({ name: name ?? `${effect} ${text}`, effect, target: text, bucket, at, approval });
    this.isConditional = when !== undefined || check !== undefined;
    this.effect = effect === 'forbid' ? 'deny' : effect;
    this.unknownEffect = effect === 'allow' ? undefined : unknown === 'ask' ? 'ask' : (this.effect as 'deny' | 'ask');
    // A generic reason names the tool of the call, so only a rule for one tool has the same one for all calls.
    const generic = effect === 'allow' || target.type === 'tool' ? genericReason(this.ref, text) : undefined;
    const common = ownText(reason) ?? generic;
    if (check === undefined && typeof reason !== 'function' && common !== undefined)
      this.commonDecision = this.make(this.effect, common, !this.isConditional);
  }

  /** The decision, if it depends on nothing or, for a given call, only on its tool. */
  constantDecision(call?: ToolCall): Decision | undefined {
    if (this.isConditional) return undefined;
    const dependsOnCall = call === undefined || typeof this.rule.reason === 'function';
    return this.commonDecision ?? (dependsOnCall ? undefined : this.genericDecision(call));
  }

  /**
   * Evaluates whether the rule applies: `when` first, then `check`. Never throws: an error or a timeout is a failure, and a
   * failure denies the call.
   */
  evaluate(subject: EvaluatedCall): MaybePromise<RuleMatch> {
    const { check, when } = this.rule;
    if (when === undefined) return check === undefined ? matches : this.evaluatePart('check', subject);
    const met = this.evaluatePart('when', subject);
    if (check === undefined) return met;
    const runCheck = (match: RuleMatch): MaybePromise<RuleMatch> =>
      match.matched ? this.evaluatePart('check', subject) : match;
    return isPromise(met) ? met.then(runCheck) : runCheck(met);
  }

  /** The effect of this rule alone; undefined if it does not apply. */
  effectOf({ matched, failed, unknown }: RuleMatch): Effect | undefined {
    if (failed !== undefined) return 'deny';
    if (unknown !== undefined) return this.unknownEffect;
    return matched ? this.effect : undefined;
  }

  /** The decision of this rule for a call it applies to. `found` is the reason that its check gave. */
  decide(call: ToolCall, found: string | undefined): Decision {
    if (this.commonDecision !== undefined) return this.commonDecision;
    const reason = ownText(found) ?? this.reasonFor(call);
    return reason === undefined ? this.genericDecision(call) : this.make(this.effect, reason, !this.isConditional);
  }

  private genericDecision({ server, tool }: ToolCall): Decision {
    const key = this.rule.target.type === 'server' ? tool : pairText(server, tool);
    const known = this.byTool?.get(key);
    if (known !== undefined) return known;
    const made = this.make(this.effect, genericReason(this.ref, pairText(server, tool)), !this.isConditional);
    // Without a list of tools, a model can name any number of them.
    if (this.byTool === undefined || this.byTool.size >= 256) this.byTool = new Map();
    this.byTool.set(key, made);
    return made;
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

  private make(effect: Effect, text: string, constant: boolean): Decision {
    const reason = cutText(text.toWellFormed(), defaultLimits.reasonLength);
    const grant = effect === 'deny' ? undefined : this.rule.grant;
    return Object.freeze({ effect, rule: this.ref, reason, grant, paths: noPaths, constant });
  }

  private reasonFor(call: ToolCall): string | undefined {
    const { reason } = this.rule;
    try {
      const text: unknown = typeof reason === 'function' ? reason(call) : reason;
      // The reason cannot be asynchronous. A rejection must not become an unhandled one.
      if (isPromise(text)) text.then(undefined, () => undefined);
      return ownText(text);
    } catch {
      // The decision stays the same; only its reason falls back to the generic text.
      return undefined;
    }
  }

  private evaluatePart(part: Part, subject: EvaluatedCall): MaybePromise<RuleMatch> {
    const { check, when } = this.rule;
    const started = this.limit.clock.now();
    try {
      const result: unknown =
        part === 'when' ? when?.(subject.call.args, subject.call, subject) : check?.(subject.call, subject.tool);
      return isPromise(result) ? this.wait(part, result, started) : this.read(part, result, started);
    } catch (error) {
      return matchFromError('threw', error);
    }
  }

  private async wait(part: Part, result: PromiseLike<unknown>, started: number): Promise<RuleMatch> {
    try {
      return this.read(part, await withTimeout(result, this.limit.timeoutMs, this.limit), started);
    } catch (error) {
      return matchFromError('rejected', error);
    }
  }

  private read(part: Part, result: unknown, started: number): RuleMatch {
    const { clock, timeoutMs } = this.limit;
    // Blocking code delays the deadline, so check the clock too.
    if (result === timedOut || clock.now() - started >= timeoutMs) {
      return failure(`its predicate did not answer within ${timeoutMs} ms`);
    }
    if (part === 'check') return readCheck(result);
    if (typeof result !== 'boolean') return failure(`its predicate returned ${kindOf(result)}, not true or false`);
    return result ? matches : matchesNot;
  }
}

/** The parts of a condition. */
type Part = 'when' | 'check';

/** A text that says something. */
function ownText(text: unknown): string | undefined {
  return typeof text === 'string' && text.trim() !== '' ? text : undefined;
}

function readCheck(result: unknown): RuleMatch {
  const { matched, reason, paths } = Object(result) as RuleCheckResult;
  const isValid = typeof matched === 'boolean' && ['undefined', 'string'].includes(typeof reason);
  if (!isValid || !(paths === undefined || Array.isArray(paths)))
    return failure('its check returned an invalid result');
  return { matched, reason, paths };
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
