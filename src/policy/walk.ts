/** Deciding one call: forbid rules first, then the buckets in order, until a rule applies. */

import type { CheckedPath, Decision, RuleRef, ToolCall } from '../call.ts';
import { isPromise, type MaybePromise } from '../maybe-promise.ts';
import type { ToolDeclaration } from '../tool.ts';
import type { CompiledRule, Verdict } from './compiled-rule.ts';
import type { Lanes } from './rule-index.ts';

/** What became of one rule while a call was decided. */
export interface Consideration {
  readonly rule: RuleRef;
  readonly outcome: 'decided' | 'did not apply' | 'could not be evaluated' | 'not reached';
  readonly detail?: string | undefined;
}

export class Walk {
  private readonly lists: readonly (readonly CompiledRule[])[];
  private list = 0;
  private at = 0;
  private conditional = false;
  private paths: readonly CheckedPath[] = [];
  readonly considered: Consideration[] = [];

  constructor(
    lanes: Lanes,
    private readonly subject: { readonly call: ToolCall; readonly tool: ToolDeclaration; readonly fallback: Decision },
    private readonly tracing: boolean,
  ) {
    this.lists = [...lanes.map((lane) => lane.forbid), ...lanes.map((lane) => lane.rules)];
  }

  run(): MaybePromise<Decision> {
    const { call, tool, fallback } = this.subject;
    for (let rule = this.next(); rule !== undefined; rule = this.next()) {
      const now = rule;
      const verdict = now.evaluate(call, tool);
      if (isPromise(verdict)) return verdict.then((settled) => this.take(now, settled) ?? this.run());
      const decision = this.take(now, verdict);
      if (decision !== undefined) return decision;
    }
    return this.finish(fallback);
  }

  /** The rules that were not looked at because one had decided. */
  notReached(): readonly Consideration[] {
    const rest: Consideration[] = [];
    for (let rule = this.next(); rule !== undefined; rule = this.next()) {
      rest.push({ rule: rule.ref, outcome: 'not reached' });
    }
    return rest;
  }

  private next(): CompiledRule | undefined {
    while (this.list < this.lists.length) {
      const rules = this.lists[this.list] as readonly CompiledRule[];
      if (this.at < rules.length) return rules[this.at++];
      this.list++;
      this.at = 0;
    }
    return undefined;
  }

  private take(rule: CompiledRule, verdict: Verdict): Decision | undefined {
    this.conditional ||= rule.isConditional;
    if (verdict.paths !== undefined && verdict.paths.length > 0) this.paths = verdict.paths;
    if (verdict.failed !== undefined) {
      this.note(rule, 'could not be evaluated', verdict.failed);
      return this.finish(rule.denyFailed(verdict.failed));
    }
    this.note(rule, verdict.matched ? 'decided' : 'did not apply', verdict.reason);
    return verdict.matched ? this.finish(rule.decide(this.subject.call, verdict)) : undefined;
  }

  private finish(decision: Decision): Decision {
    if (!this.conditional) return decision;
    return Object.freeze({ ...decision, paths: this.paths, fixed: false });
  }

  private note(rule: CompiledRule, outcome: Consideration['outcome'], detail?: string): void {
    if (this.tracing) this.considered.push({ rule: rule.ref, outcome, ...(detail === undefined ? {} : { detail }) });
  }
}
