/** Counts which rules a set of calls reaches. */

import type { RuleRef } from '../../kernel/call.ts';
import type { FilePosition } from '../policy-file.ts';
import type { PolicyExplanation } from '../loaded-policy.ts';
import type { RuleEntry, PolicyRules } from '../policy-rules.ts';

/** How often one target of a rule was used over all calls. */
export interface RuleCoverage {
  readonly file: string;
  readonly at: FilePosition;
  readonly name?: string | undefined;
  readonly effect: RuleRef['effect'];
  readonly target: string;
  readonly shadow: boolean;
  /**
   * `decided`: it decided a call in its file (a shadow rule: would have). `reached`: it was evaluated but never
   * decided.
   */
  readonly status: 'decided' | 'reached' | 'never';
  readonly decided: number;
  readonly reached: number;
}

export class CoverageCounter {
  private readonly counts = new Map<RuleEntry, { decided: number; reached: number }>();

  constructor(private readonly policyRules: PolicyRules) {
    for (const entry of policyRules.entries) this.counts.set(entry, { decided: 0, reached: 0 });
  }

  add({ layers }: PolicyExplanation): void {
    for (const { decision, considered, shadows } of layers) {
      for (const { rule, outcome } of considered) {
        // A rule with an unknown condition also decides, if it is the reason for an ask.
        if (outcome !== 'not reached') this.count(rule, outcome === 'decided' || decision.rule === rule);
      }
      for (const { rule, would } of shadows) this.count(rule, would !== undefined);
    }
  }

  report(): readonly RuleCoverage[] {
    return Array.from(this.counts, ([{ layer, rule, writtenTarget }, { decided, reached }]) => ({
      file: layer.policyFile.file,
      at: rule.at,
      ...(rule.name === undefined ? {} : { name: rule.name }),
      effect: rule.effect,
      target: writtenTarget.text,
      shadow: rule.shadow === true,
      status: decided > 0 ? 'decided' : reached > 0 ? 'reached' : 'never',
      decided,
      reached,
    }));
  }

  private count(ref: RuleRef, decided: boolean): void {
    const entry = this.policyRules.entryOf(ref);
    const counts = entry === undefined ? undefined : this.counts.get(entry);
    if (counts === undefined) return;
    counts.reached++;
    if (decided) counts.decided++;
  }
}
