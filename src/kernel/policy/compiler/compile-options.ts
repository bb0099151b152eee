/** The options of `compilePolicy`. They are checked strictly: a misspelled option must not make a policy more permissive. */

import type { Approver } from '../../approval.ts';
import type { Decision, Effect } from '../../call.ts';
import * as is from '../../shapes.ts';
import { Invalid } from '../../shapes.ts';
import { throwProblems } from '../../errors.ts';
import { quoteName } from '../../names.ts';
import type { Clock } from '../../clock.ts';
import { cutText } from '../../json.ts';
import { defaultLimits, type Limits } from '../../limits.ts';
import type { ServerDeclaration, ToolDeclaration } from '../../tool.ts';
import { decisionWithoutRule } from '../evaluator/compiled-rule.ts';
import { defaultReason, unknownDefault } from '../evaluator/reasons.ts';
import type { PolicyDefault } from '../evaluator/call-evaluation.ts';

export interface CompileOptions {
  /** The tools that rules may name. Without them, tool names are not checked. */
  readonly tools?: readonly ToolDeclaration[] | undefined;
  /** The servers that rules may name: their declarations or their names. */
  readonly servers?: readonly (ServerDeclaration | string)[] | undefined;
  /** Answers asks of rules without a handler. */
  readonly approver?: Approver | undefined;
  /** The effect for a call that no rule matches. Default: `allow`. */
  readonly default?: Effect | undefined;
  /** Short for `default: 'deny'`. */
  readonly strict?: boolean | undefined;
  /** Time limit for a predicate or a schema. */
  readonly timeoutMs?: number | undefined;
  /** Limits for calls, as in the guard. */
  readonly limits?: Partial<Limits> | undefined;
  /** True for rules from a file: an unknown name is a warning for every effect, not only for allow. */
  readonly lenient?: boolean | undefined;
  /**
   * Part of the policy's version. Predicates are compared by their source text. If they close over something that changes,
   * change this string too; otherwise approvals given under the old policy still count under the new one.
   */
  readonly version?: string | undefined;
  readonly clock?: Clock | undefined;
}

const shape = is.options<CompileOptions>({
  tools: is.anyList,
  servers: is.anyList,
  approver: is.func,
  default: is.oneOf('allow', 'deny', 'ask'),
  strict: is.flag,
  timeoutMs: is.positive,
  limits: is.limitOptions,
  lenient: is.flag,
  version: is.text,
  clock: is.clock,
});

/** A checked copy of the options. */
export function readCompileOptions(options: CompileOptions): CompileOptions {
  const read = shape(options, defaultLimits);
  const problems = read instanceof Invalid ? read.texts().map((problem) => `option ${problem}`) : [];
  const { strict, default: given, approver } = read instanceof Invalid ? options : read;
  if (strict === true && given !== undefined && given !== 'deny') {
    problems.push(`strict and default: ${quoteName(given)} contradict each other`);
  }
  if (given === 'ask' && approver === undefined) {
    problems.push(`default: 'ask' needs an approver; there is nobody to answer`);
  }
  throwProblems('POLICY_INVALID', problems);
  return read as CompileOptions;
}

function defaulted(effect: Effect, text: string): Decision {
  return Object.freeze({
    ...decisionWithoutRule,
    effect,
    reason: cutText(text, defaultLimits.reasonLength),
    constant: true,
  });
}

const allowed = defaulted('allow', '');

/** The decision about a call that no rule matches. If an allow rule might match, the decision is at most an ask. */
export function policyDefaultOf({ strict, default: given, approver }: CompileOptions): PolicyDefault {
  const effect = given ?? (strict === true ? 'deny' : 'allow');
  const cautious = effect === 'allow' ? (approver === undefined ? 'deny' : 'ask') : effect;
  return {
    effect,
    noMatch: (call) => (effect === 'allow' ? allowed : defaulted(effect, defaultReason(call, effect))),
    uncertain: (call, why) => {
      const reason = unknownDefault(call, why, effect === 'allow' && cautious === 'deny' ? 'nobody' : cautious);
      return Object.freeze({ ...defaulted(cautious, reason), constant: false, uncertainty: why });
    },
  };
}
