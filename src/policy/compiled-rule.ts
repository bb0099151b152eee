/** A rule ready to be evaluated: its place, its fixed answer, its condition. */

import type { Decision, Finding, Grant, RuleRef, ToolCall } from '../call.ts';
import { readableArgs } from '../catalog/arguments.ts';
import { kindOf } from '../catalog/names.ts';
import type { Clock } from '../clock.ts';
import { type Deadlines, timedOut, within } from '../deadlines.ts';
import { messageOf } from '../errors.ts';
import { cutText, type JsonObject } from '../json.ts';
import { defaultLimits } from '../limits.ts';
import { isPromise, type MaybePromise } from '../maybe-promise.ts';
import type { ToolDeclaration } from '../tool.ts';
import type { Rule } from './rule.ts';
import { bucketOf, targetText } from './target.ts';

/** What evaluating the condition of a rule gave; `failed` if it could not be evaluated. */
export type Verdict = Finding & { readonly failed?: string | undefined };

const matches: Verdict = Object.freeze({ matched: true });
const matchesNot: Verdict = Object.freeze({ matched: false });

export interface PredicateLimit {
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly timeoutMs: number;
}

/** What is decided: a call, and what holds if no rule applies to it. */
export class Subject {
  private readable: JsonObject | undefined;

  constructor(
    readonly call: ToolCall,
    readonly tool: ToolDeclaration,
    readonly fallback: Decision,
  ) {}

  /** Its args, which predicates can read under their aliases too. */
  get args(): JsonObject {
    this.readable ??= readableArgs(this.tool, this.call.args);
    return this.readable;
  }
}

export class CompiledRule {
  readonly ref: RuleRef;
  /** The decision, where it does not depend on the call. */
  readonly fixed: Decision | undefined;
  readonly isConditional: boolean;
  /** The decision for a call the rule applies to, where it says nothing about the call. */
  private readonly plain: Decision | undefined;

  constructor(
    readonly rule: Rule,
    /** Its place among all rules. */
    readonly order: number,
    private readonly limit: PredicateLimit,
  ) {
    const { name, effect, when, check, reason } = rule;
    const target = targetText(rule.target);
    this.ref = Object.freeze({
      name: name ?? `${effect} ${target}`,
      effect,
      target,
      bucket: bucketOf(effect, rule.target),
    });
    this.isConditional = when !== undefined || check !== undefined;
    const simple = check === undefined && typeof reason !== 'function';
    this.plain = simple ? this.decision(undefined, { fixed: !this.isConditional }) : undefined;
    this.fixed = this.isConditional ? undefined : this.plain;
  }

  /** {@link evaluate}; a synchronous condition that takes longer than its limit has failed. */
  evaluateTimed(subject: Subject): MaybePromise<Verdict> {
    const { clock, timeoutMs } = this.limit;
    const started = clock.now();
    const verdict = this.evaluate(subject);
    if (!this.isConditional || clock.now() - started < timeoutMs) return verdict;
    return failure(`its predicate took more than ${timeoutMs} ms`);
  }

  /** Whether the rule applies. Never throws: what cannot be evaluated has failed, and a failure denies. */
  evaluate(subject: Subject): MaybePromise<Verdict> {
    const { check, when } = this.rule;
    if (check === undefined && when === undefined) return matches;
    try {
      const result: unknown =
        check === undefined ? when?.(subject.args, subject.call) : check(subject.call, subject.tool);
      return isPromise(result) ? this.wait(result) : this.read(result);
    } catch (error) {
      return failure(`its predicate threw: ${messageOf(error)}`);
    }
  }

  /** The decision of this rule for a call it applies to. */
  decide(call: ToolCall, verdict: Verdict): Decision {
    return this.plain ?? this.decision(call, { found: verdict.reason, fixed: !this.isConditional });
  }

  /** The deny of a rule whose condition could not be evaluated. */
  denyFailed(problem: string): Decision {
    return this.make('deny', { reason: `Rule "${this.ref.name}" could not be evaluated: ${problem}`, fixed: false });
  }

  private decision(call: ToolCall | undefined, how: { found?: string | undefined; fixed: boolean }): Decision {
    const effect = this.rule.effect === 'forbid' ? 'deny' : this.rule.effect;
    const found = how.found?.trim() === '' ? undefined : how.found;
    return this.make(effect, { reason: found ?? this.reasonFor(call) ?? this.stockReason(), fixed: how.fixed });
  }

  private make(effect: Decision['effect'], how: { reason: string; fixed: boolean }): Decision {
    const reason = cutText(how.reason.toWellFormed(), defaultLimits.reasonLength);
    const grant: Grant | undefined = effect === 'deny' ? undefined : this.rule.grant;
    return Object.freeze({ effect, rule: this.ref, reason, grant, paths: none, fixed: how.fixed });
  }

  private reasonFor(call: ToolCall | undefined): string | undefined {
    const { reason } = this.rule;
    if (typeof reason !== 'function') return reason?.trim() === '' ? undefined : reason;
    try {
      const text: unknown = call === undefined ? undefined : reason(call);
      // Nobody waits for a wording, so nobody else would hear a rejection either.
      if (isPromise(text)) text.then(undefined, () => undefined);
      return typeof text === 'string' && text.trim() !== '' ? text : undefined;
    } catch {
      // The decision stands; only its wording falls back to the stock text.
      return undefined;
    }
  }

  private stockReason(): string {
    const named = this.rule.name === undefined ? `policy for ${this.ref.target}` : `rule "${this.rule.name}"`;
    switch (this.rule.effect) {
      case 'allow':
        return '';
      case 'ask':
        return `Asked by ${named}`;
      case 'deny':
        return `Denied by ${named}`;
      case 'forbid':
        return `Forbidden by ${named}`;
      default:
        return this.rule.effect satisfies never;
    }
  }

  private async wait(result: PromiseLike<unknown>): Promise<Verdict> {
    try {
      const settled = await within(result, this.limit.timeoutMs, { deadlines: this.limit.deadlines });
      if (settled === timedOut) return failure(`its predicate did not answer within ${this.limit.timeoutMs} ms`);
      return this.read(settled);
    } catch (error) {
      return failure(`its predicate rejected: ${messageOf(error)}`);
    }
  }

  private read(result: unknown): Verdict {
    if (this.rule.check !== undefined)
      return isFinding(result) ? result : failure('its check found nothing it could say');
    if (result === true) return matches;
    return result === false ? matchesNot : failure(`its predicate answered ${kindOf(result)}, not true or false`);
  }
}

const none: Decision['paths'] = Object.freeze([]);

function isFinding(result: unknown): result is Finding {
  if (typeof result !== 'object' || result === null) return false;
  const { matched, reason, paths } = result as Record<keyof Finding, unknown>;
  const worded = reason === undefined || typeof reason === 'string';
  return typeof matched === 'boolean' && worded && (paths === undefined || Array.isArray(paths));
}

function failure(failed: string): Verdict {
  return { matched: false, failed };
}
