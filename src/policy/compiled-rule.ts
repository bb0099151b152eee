/** A rule ready to be evaluated: its place, its fixed answer, its condition. */

import type { Decision, Grant, RuleRef, ToolCall } from '../call.ts';
import { type Deadlines, timedOut, within } from '../deadlines.ts';
import { messageOf } from '../errors.ts';
import { cutText } from '../json.ts';
import { defaultLimits } from '../limits.ts';
import { isPromise, type MaybePromise } from '../maybe-promise.ts';
import type { ToolDeclaration } from '../tool.ts';
import type { Finding, Rule, When } from './rule.ts';
import { targetText } from './target.ts';

/** What evaluating the condition of a rule gave; `failed` if it could not be evaluated. */
export type Verdict = Finding & { readonly failed?: string | undefined };

const matches: Verdict = Object.freeze({ matched: true });
const matchesNot: Verdict = Object.freeze({ matched: false });

export interface PredicateLimit {
  readonly deadlines: Deadlines;
  readonly timeoutMs: number;
}

export class CompiledRule {
  readonly ref: RuleRef;
  /** The decision, where it does not depend on the call. */
  readonly fixed: Decision | undefined;
  private readonly when: When | undefined;

  constructor(
    readonly rule: Rule,
    options: { readonly bucket: number; readonly when: When | undefined },
    private readonly limit: PredicateLimit,
  ) {
    const target = targetText(rule.target);
    this.ref = Object.freeze({
      name: rule.name ?? `${rule.effect} ${target}`,
      effect: rule.effect,
      target,
      bucket: options.bucket,
    });
    this.when = options.when;
    const simple = options.when === undefined && rule.check === undefined && typeof rule.reason !== 'function';
    this.fixed = simple ? this.decision(undefined, { fixed: true }) : undefined;
  }

  get isConditional(): boolean {
    return this.when !== undefined || this.rule.check !== undefined;
  }

  /** Whether the rule applies. Never throws: what cannot be evaluated has failed, and a failure denies. */
  evaluate(call: ToolCall, tool: ToolDeclaration): MaybePromise<Verdict> {
    try {
      if (this.rule.check !== undefined) return this.rule.check(call, tool);
      if (this.when === undefined) return matches;
      const result = this.when(call.args, call);
      return isPromise(result) ? this.wait(result) : verdictOf(result);
    } catch (error) {
      return failure(`its predicate threw: ${messageOf(error)}`);
    }
  }

  /** The decision of this rule for a call it applies to. */
  decide(call: ToolCall, verdict: Verdict): Decision {
    return this.fixed ?? this.decision(call, { found: verdict.reason, fixed: !this.isConditional });
  }

  /** The deny of a rule whose condition could not be evaluated. */
  denyFailed(problem: string): Decision {
    return this.make('deny', { reason: `Rule "${this.ref.name}" could not be evaluated: ${problem}`, fixed: false });
  }

  private decision(call: ToolCall | undefined, how: { found?: string | undefined; fixed: boolean }): Decision {
    const effect = this.rule.effect === 'forbid' ? 'deny' : this.rule.effect;
    return this.make(effect, { reason: how.found ?? this.reasonFor(call) ?? this.stockReason(), fixed: how.fixed });
  }

  private make(effect: Decision['effect'], how: { reason: string; fixed: boolean }): Decision {
    const reason = cutText(how.reason, defaultLimits.reasonLength);
    const grant: Grant | undefined = effect === 'deny' ? undefined : this.rule.grant;
    return Object.freeze({ effect, rule: this.ref, reason, grant, paths: none, fixed: how.fixed });
  }

  private reasonFor(call: ToolCall | undefined): string | undefined {
    const { reason } = this.rule;
    if (typeof reason !== 'function') return reason?.trim() === '' ? undefined : reason;
    try {
      const text: unknown = call === undefined ? undefined : reason(call);
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

  private async wait(result: PromiseLike<boolean>): Promise<Verdict> {
    try {
      const settled = await within(result, this.limit.timeoutMs, { deadlines: this.limit.deadlines });
      if (settled === timedOut) return failure(`its predicate did not answer within ${this.limit.timeoutMs} ms`);
      return verdictOf(settled);
    } catch (error) {
      return failure(`its predicate rejected: ${messageOf(error)}`);
    }
  }
}

const none: Decision['paths'] = Object.freeze([]);

function verdictOf(result: unknown): Verdict {
  if (result === true) return matches;
  if (result === false) return matchesNot;
  return failure(`its predicate answered ${result === null ? 'null' : `a ${typeof result}`}, not true or false`);
}

function failure(failed: string): Verdict {
  return { matched: false, failed };
}
