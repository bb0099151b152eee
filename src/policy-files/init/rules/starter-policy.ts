/** A starter policy as data: rendered as YAML, and compared with the result of parsing it again. */

import type { Effect } from '../../../kernel/call.ts';
import type { JsonObject } from '../../../kernel/json.ts';

export interface StarterTest {
  /** `tool`, or `server/tool`. */
  readonly call: string;
  readonly args: JsonObject;
  readonly expect: Effect;
  /** True if the deciding rule depends on the machine. */
  readonly anyRule?: boolean | undefined;
}

export interface StarterRule {
  readonly effect: Effect | 'forbid';
  readonly targets: readonly string[];
  readonly name: string;
  readonly reason?: string | undefined;
  /** A condition in CEL, line by line. */
  readonly when?: readonly string[] | undefined;
  /** For a deny or forbid rule: ask if the condition is unknown. */
  readonly unknown?: 'ask' | undefined;
  /** Calls that this rule decides. */
  readonly tests: readonly StarterTest[];
}

export interface StarterSection {
  readonly title: string;
  /** The explanation, as lines. */
  readonly text: readonly string[];
  readonly rules: readonly StarterRule[];
}

export interface StarterPolicy {
  readonly preset: string;
  readonly default: Effect;
  readonly servers: readonly string[];
  readonly sections: readonly StarterSection[];
  /** Calls that no rule decides, so the default does. */
  readonly undecided: readonly StarterTest[];
}

/** The rule name in a decision: with the target, if the rule has several. */
export function decidingRuleName({ name, targets }: StarterRule, { call, anyRule }: StarterTest): string | undefined {
  if (anyRule === true) return undefined;
  const target = targets.find((each) => each === call) ?? targets.find((each) => each === `${call.split('/')[0]}/*`);
  return targets.length === 1 ? name : `${name}: ${target ?? ''}`;
}
