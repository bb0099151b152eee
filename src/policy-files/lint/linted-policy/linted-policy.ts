/** The policy that is linted, with ways to try calls on it. */

import { resolve } from 'node:path';
import type { ToolDeclaration } from '../../../kernel/tool.ts';
import { candidateCalls, callOfTest } from '../../sample-calls/candidate-calls.ts';
import { type CallClass, sampleCallOf, visibleClasses } from '../../sample-calls/call-classes.ts';
import { argumentsWith } from '../../sample-calls/sample-args.ts';
import type { CheckRequest, LoadedPolicy } from '../../loaded-policy.ts';
import { type RuleEntry, targetCovers, PolicyRules } from '../../policy-rules.ts';
import type { TriedCall } from './finding.ts';
import { hasExpired, RuleReach } from './rule-reach.ts';

export interface LintOptions {
  /** False if there is no approver. */
  readonly answerable?: boolean | undefined;
  /** Additional tools that the policy was not loaded with. */
  readonly tools?: readonly ToolDeclaration[] | undefined;
  /** Milliseconds since 1970. Default: the current time. */
  readonly now?: number | undefined;
}

/** The maximum number of calls to try for one rule. */
export const maxTries = 300;

export class LintedPolicy {
  readonly policyRules: PolicyRules;
  readonly classes: readonly CallClass[];
  readonly reach: RuleReach;
  readonly now: number;
  private readonly sampleCalls = new Map<CallClass, Promise<TriedCall>>();

  constructor(
    readonly policy: LoadedPolicy,
    readonly options: LintOptions,
  ) {
    this.now = options.now ?? Date.now();
    this.policyRules = new PolicyRules(policy);
    this.classes = visibleClasses(policy, options.tools);
    this.reach = new RuleReach(policy, this.policyRules, { classes: this.classes, now: this.now });
  }

  /** Rules that are in force: not expired, and not shadow rules. */
  get activeRules(): readonly RuleEntry[] {
    return this.policyRules.entries.filter(({ rule }) => rule.shadow !== true && !hasExpired(rule.expires, this.now));
  }

  classesCoveredBy({ target }: RuleEntry): readonly CallClass[] {
    return this.classes.filter(({ server, tool }) => targetCovers(target, server, tool));
  }

  /** Calls that run these lines, for the tools that reach a rule. */
  commandCalls(entry: RuleEntry, lines: readonly string[]): readonly CheckRequest[] {
    return this.reach.classesOf(entry).flatMap((each) => {
      const names = each.declared === undefined ? [] : argumentsWith('command', each.declared);
      return names.flatMap((name) => lines.map((line) => sampleCallOf(each, { [name]: line })));
    });
  }

  async tryCall(call: CheckRequest): Promise<TriedCall> {
    return { call, explanation: await this.policy.explain(call) };
  }

  /** Tries a sample call of a class. */
  trySampleCall(each: CallClass): Promise<TriedCall> {
    const known = this.sampleCalls.get(each) ?? this.tryCall(sampleCallOf(each));
    this.sampleCalls.set(each, known);
    return known;
  }

  /** Calls that probably match the condition of a rule, those of tests first. */
  *callsFor(entry: RuleEntry): Iterable<CheckRequest> {
    const { layers, cwd } = this.policy;
    const { when } = entry.rule;
    for (const test of layers.flatMap(({ policyFile }) => policyFile.tests)) {
      const folder = test.cwd === undefined ? undefined : resolve(cwd, test.cwd);
      if (targetCovers(entry.target, test.server, test.tool)) yield callOfTest(test, folder);
    }
    // Classes that an earlier rule decides would prove nothing.
    for (const each of this.reach.classesOf(entry)) {
      yield sampleCallOf(each);
      if (when !== undefined) yield* candidateCalls(when.text, each);
    }
  }

  /** The first call that a rule decides, in its layer and for the whole policy. */
  async findCallDecidedBy(
    entry: RuleEntry,
    calls: Iterable<CheckRequest> = this.callsFor(entry),
  ): Promise<TriedCall | undefined> {
    const effect = entry.rule.effect === 'forbid' ? 'deny' : entry.rule.effect;
    let tries = 0;
    for (const call of calls) {
      if (++tries > maxTries) return undefined;
      const tried = await this.tryCall(call);
      if (tried.explanation.decision.effect === effect && this.outcomeOf(entry, tried) === 'decided') return tried;
    }
    return undefined;
  }

  /** The outcome of a rule for a call; undefined if the rule does not apply to the tool. */
  outcomeOf(entry: RuleEntry, { explanation }: TriedCall): string | undefined {
    const layer = explanation.layers.find((each) => each.layer === entry.layer);
    return layer?.considered.find(({ rule }) => this.policyRules.entryOf(rule) === entry)?.outcome;
  }

  /** The rule that decided a call in the layer of `entry`. */
  decider(entry: RuleEntry, { explanation }: TriedCall): RuleEntry | undefined {
    const layer = explanation.layers.find((each) => each.layer === entry.layer);
    return this.policyRules.entryOf(layer?.decision.rule);
  }
}
