/** A starter policy as data: what is written, and what is compared with it when it is read back. */

import type { Effect } from '../../../kernel/call.ts';
import type { JsonObject } from '../../../kernel/json.ts';

export interface StarterTest {
  /** `tool`, or `server/tool`. */
  readonly call: string;
  readonly args: JsonObject;
  readonly expect: Effect;
  /** True: which rule decides depends on what else lies on the machine. */
  readonly anyRule?: boolean | undefined;
}

export interface StarterRule {
  readonly effect: Effect | 'forbid';
  readonly targets: readonly string[];
  readonly name: string;
  readonly reason?: string | undefined;
  /** A condition in CEL, line by line. */
  readonly when?: readonly string[] | undefined;
  /** Of a deny or forbid rule: ask if it is unknown whether the condition holds. */
  readonly unknown?: 'ask' | undefined;
  /** Calls that this rule decides. */
  readonly tests: readonly StarterTest[];
}

export interface StarterSection {
  readonly title: string;
  /** What it is for, line by line. */
  readonly text: readonly string[];
  readonly rules: readonly StarterRule[];
}

export interface StarterPolicy {
  readonly preset: string;
  readonly default: Effect;
  readonly servers: readonly string[];
  readonly sections: readonly StarterSection[];
  /** Calls that no rule decides, so that the default does. */
  readonly undecided: readonly StarterTest[];
}

/** The name by which a decision names a rule: with its target, if it has several. */
export function decidingRuleName({ name, targets }: StarterRule, { call, anyRule }: StarterTest): string | undefined {
  if (anyRule === true) return undefined;
  const target = targets.find((each) => each === call) ?? targets.find((each) => each === `${call.split('/')[0]}/*`);
  return targets.length === 1 ? name : `${name}: ${target ?? ''}`;
}
