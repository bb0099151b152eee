/** A policy that is looked over, and the ways to ask it. */

import { resolve } from 'node:path';
import type { ToolDeclaration } from '../../tool.ts';
import { candidateCalls, testCall } from '../candidate-calls.ts';
import { type CallClass, callOf, visibleClasses } from '../call-classes.ts';
import type { CheckRequest, LoadedPolicy, PolicyExplanation } from '../loaded-policy.ts';
import { type BookRule, covers, RuleBook } from '../rule-book.ts';
import { hasExpired, Reach } from './reach.ts';

export interface LintOptions {
  /** False: nobody answers asks. */
  readonly answerable?: boolean | undefined;
  /** Tools that the policy was not loaded with. */
  readonly tools?: readonly ToolDeclaration[] | undefined;
  /** Milliseconds since 1970; the time of day if not given. */
  readonly now?: number | undefined;
}

/** A call, and what became of it. */
export interface Shown {
  readonly call: CheckRequest;
  readonly explanation: PolicyExplanation;
}

/** Calls that are tried for one rule. */
export const mostTries = 300;

export class LintSubject {
  readonly book: RuleBook;
  readonly classes: readonly CallClass[];
  readonly reach: Reach;
  readonly now: number;
  private readonly plain = new Map<CallClass, Promise<Shown>>();

  constructor(
    readonly policy: LoadedPolicy,
    readonly options: LintOptions,
  ) {
    this.now = options.now ?? Date.now();
    this.book = new RuleBook(policy);
    this.classes = visibleClasses(policy, options.tools);
    this.reach = new Reach(policy, this.book, { classes: this.classes, now: this.now });
  }

  /** Rules that count now. */
  get enforced(): readonly BookRule[] {
    return this.book.entries.filter(({ rule }) => rule.shadow !== true && !hasExpired(rule.expires, this.now));
  }

  covered({ target }: BookRule): readonly CallClass[] {
    return this.classes.filter(({ server, tool }) => covers(target, server, tool));
  }

  async ask(call: CheckRequest): Promise<Shown> {
    return { call, explanation: await this.policy.explain(call) };
  }

  /** A plain call of a class. */
  show(each: CallClass): Promise<Shown> {
    const known = this.plain.get(each) ?? this.ask(callOf(each));
    this.plain.set(each, known);
    return known;
  }

  /** Calls that may well meet the condition of a rule: those of tests first. */
  *callsFor(entry: BookRule): Iterable<CheckRequest> {
    const { layers, cwd } = this.policy;
    const { when } = entry.rule;
    for (const test of layers.flatMap(({ document }) => document.tests)) {
      const folder = test.cwd === undefined ? undefined : resolve(cwd, test.cwd);
      if (covers(entry.target, test.server, test.tool)) yield testCall(test, folder);
    }
    // A class that another rule keeps from this one shows nothing.
    for (const each of this.reach.classesOf(entry)) {
      yield callOf(each);
      if (when !== undefined) yield* candidateCalls(when.text, each);
    }
  }

  /** The first of some calls that a rule decides, for its layer and for the whole policy. */
  async decidedBy(entry: BookRule, calls: Iterable<CheckRequest> = this.callsFor(entry)): Promise<Shown | undefined> {
    const effect = entry.rule.effect === 'forbid' ? 'deny' : entry.rule.effect;
    let tries = 0;
    for (const call of calls) {
      if (++tries > mostTries) return undefined;
      const shown = await this.ask(call);
      if (shown.explanation.decision.effect === effect && this.outcomeOf(entry, shown) === 'decided') return shown;
    }
    return undefined;
  }

  /** What a layer said of a rule while a call was decided; undefined if the rule is not about the call. */
  outcomeOf(entry: BookRule, { explanation }: Shown): string | undefined {
    const layer = explanation.layers.find((each) => each.layer === entry.layer);
    return layer?.considered.find(({ rule }) => this.book.of(rule) === entry)?.outcome;
  }

  /** The rule of a file that decided a call in one layer. */
  decider(entry: BookRule, { explanation }: Shown): BookRule | undefined {
    const layer = explanation.layers.find((each) => each.layer === entry.layer);
    return this.book.of(layer?.decision.rule);
  }
}
