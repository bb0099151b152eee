/** A policy that is looked over, and the ways to ask it. */

import { resolve } from 'node:path';
import type { ToolDeclaration } from '../../../kernel/tool.ts';
import { candidateCalls, callOfTest } from '../../sample-calls/candidate-calls.ts';
import { type CallClass, sampleCallOf, visibleClasses } from '../../sample-calls/call-classes.ts';
import type { CheckRequest, LoadedPolicy, PolicyExplanation } from '../../loaded-policy.ts';
import { type RuleEntry, targetCovers, PolicyRules } from '../../policy-rules.ts';
import { hasExpired, RuleReach } from './rule-reach.ts';

export interface LintOptions {
  /** False: nobody answers asks. */
  readonly answerable?: boolean | undefined;
  /** Tools that the policy was not loaded with. */
  readonly tools?: readonly ToolDeclaration[] | undefined;
  /** Milliseconds since 1970; the time of day if not given. */
  readonly now?: number | undefined;
}

/** A call, and what became of it. */
export interface TriedCall {
  readonly call: CheckRequest;
  readonly explanation: PolicyExplanation;
}

/** Calls that are tried for one rule. */
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

  /** Rules that count now. */
  get activeRules(): readonly RuleEntry[] {
    return this.policyRules.entries.filter(({ rule }) => rule.shadow !== true && !hasExpired(rule.expires, this.now));
  }

  classesCoveredBy({ target }: RuleEntry): readonly CallClass[] {
    return this.classes.filter(({ server, tool }) => targetCovers(target, server, tool));
  }

  async tryCall(call: CheckRequest): Promise<TriedCall> {
    return { call, explanation: await this.policy.explain(call) };
  }

  /** A plain call of a class. */
  trySampleCall(each: CallClass): Promise<TriedCall> {
    const known = this.sampleCalls.get(each) ?? this.tryCall(sampleCallOf(each));
    this.sampleCalls.set(each, known);
    return known;
  }

  /** Calls that may well meet the condition of a rule: those of tests first. */
  *callsFor(entry: RuleEntry): Iterable<CheckRequest> {
    const { layers, cwd } = this.policy;
    const { when } = entry.rule;
    for (const test of layers.flatMap(({ policyFile }) => policyFile.tests)) {
      const folder = test.cwd === undefined ? undefined : resolve(cwd, test.cwd);
      if (targetCovers(entry.target, test.server, test.tool)) yield callOfTest(test, folder);
    }
    // A class that another rule keeps from this one shows nothing.
    for (const each of this.reach.classesOf(entry)) {
      yield sampleCallOf(each);
      if (when !== undefined) yield* candidateCalls(when.text, each);
    }
  }

  /** The first of some calls that a rule decides, for its layer and for the whole policy. */
  async findCallDecidedBy(
    entry: RuleEntry,
    calls: Iterable<CheckRequest> = this.callsFor(entry),
  ): Promise<TriedCall | undefined> {
    const effect = entry.rule.effect === 'forbid' ? 'deny' : entry.rule.effect;
    let tries = 0;
    for (const call of calls) {
      if (++tries > maxTries) return undefined;
      const shown = await this.tryCall(call);
      if (shown.explanation.decision.effect === effect && this.outcomeOf(entry, shown) === 'decided') return shown;
    }
    return undefined;
  }

  /** What a layer said of a rule while a call was decided; undefined if the rule is not about the call. */
  outcomeOf(entry: RuleEntry, { explanation }: TriedCall): string | undefined {
    const layer = explanation.layers.find((each) => each.layer === entry.layer);
    return layer?.considered.find(({ rule }) => this.policyRules.entryOf(rule) === entry)?.outcome;
  }

  /** The rule of a file that decided a call in one layer. */
  decider(entry: RuleEntry, { explanation }: TriedCall): RuleEntry | undefined {
    const layer = explanation.layers.find((each) => each.layer === entry.layer);
    return this.policyRules.entryOf(layer?.decision.rule);
  }
}
