/** Two policy layers. Each decides on its own, and the stricter decision wins. */

import type { Approver } from '../../approval.ts';
import type { CheckedPath, Decision, Effect, RuleRef, ToolCall } from '../../call.ts';
import { narrowGrant } from './narrow-grant.ts';
import { isPromise, type MaybePromise } from '../../maybe-promise.ts';
import type { ToolDeclaration } from '../../tool.ts';
import type { ScopeReader } from './compiled-rule.ts';
import type { PolicyEvaluator, ShadowDecision } from './policy.ts';

const strictness: Readonly<Record<Effect, number>> = { deny: 2, ask: 1, allow: 0 };

export class LayeredPolicy implements PolicyEvaluator {
  constructor(
    private readonly upper: PolicyEvaluator,
    private readonly lower: PolicyEvaluator,
  ) {}

  get version(): string {
    return `${this.upper.version}+${this.lower.version}`;
  }

  get timeoutMs(): number {
    return Math.max(this.upper.timeoutMs, this.lower.timeoutMs);
  }

  evaluate(call: ToolCall, tool: ToolDeclaration, reader?: ScopeReader): MaybePromise<Decision> {
    const upper = this.upper.evaluate(call, tool, reader);
    const withLower = (decision: Decision): MaybePromise<Decision> => {
      if (decision.effect === 'deny') return decision;
      const lower = this.lower.evaluate(call, tool, reader);
      return isPromise(lower)
        ? lower.then((other) => stricterDecision(decision, other))
        : stricterDecision(decision, lower);
    };
    return isPromise(upper) ? upper.then(withLower) : withLower(upper);
  }

  shadows(call: ToolCall, tool: ToolDeclaration, reader?: ScopeReader): readonly Promise<ShadowDecision>[] {
    return [...this.upper.shadows(call, tool, reader), ...this.lower.shadows(call, tool, reader)];
  }

  hasShadows(call: ToolCall, tool?: ToolDeclaration): boolean {
    return this.upper.hasShadows(call, tool) || this.lower.hasShadows(call, tool);
  }

  handlerOf(rule: RuleRef): Approver | undefined {
    return this.upper.handlerOf(rule) ?? this.lower.handlerOf(rule);
  }

  /** Rules of the lower layer get a large offset, so that no two rules have the same order. */
  orderOf(rule: RuleRef): number {
    const upper = this.upper.orderOf(rule);
    if (upper !== -1) return upper;
    const lower = this.lower.orderOf(rule);
    return lower === -1 ? -1 : lower + 1_000_000_000;
  }
}

/** The stricter of two decisions about one call. If both ask, both questions are asked; grants narrow. */
export function stricterDecision(upper: Decision, lower: Decision): Decision {
  const deciding = strictness[lower.effect] > strictness[upper.effect] ? lower : upper;
  const paths = mergedPaths(upper.paths, lower.paths);
  if (paths === undefined) return pathChanged;
  const bothAsk = upper.effect === 'ask' && lower.effect === 'ask';
  return Object.freeze({
    effect: deciding.effect,
    rule: deciding.rule,
    reason: deciding.reason,
    // An answer for one layer does not count for the other.
    additionalQuestions: bothAsk ? [...asksOf(upper).slice(1), ...asksOf(lower)] : deciding.additionalQuestions,
    grant: upper.grant === undefined ? lower.grant : narrowGrant(upper.grant, lower.grant),
    paths,
    constant: upper.constant && lower.constant,
    problem: deciding.problem,
    uncertainty: deciding.uncertainty,
  });
}

function asksOf(decision: Decision): readonly Pick<Decision, 'rule' | 'reason'>[] {
  return [{ rule: decision.rule, reason: decision.reason }, ...(decision.additionalQuestions ?? [])];
}

const pathChanged: Decision = Object.freeze({
  effect: 'deny',
  rule: undefined,
  reason: 'A path of this call changed while the call was being decided',
  grant: undefined,
  paths: Object.freeze([]),
  constant: false,
});

/** The paths of both layers without duplicates; undefined if the layers resolved the same argument differently. */
function mergedPaths(upper: readonly CheckedPath[], lower: readonly CheckedPath[]): readonly CheckedPath[] | undefined {
  if (upper.length === 0 || lower.length === 0) return upper.length === 0 ? lower : upper;
  const found = new Map(upper.map((path) => [JSON.stringify(path.at), path]));
  for (const path of lower) {
    const at = JSON.stringify(path.at);
    const known = found.get(at);
    if (known !== undefined && pathIdentity(known) !== pathIdentity(path)) return undefined;
    found.set(at, known ?? path);
  }
  return Object.freeze([...found.values()]);
}

function pathIdentity({ path, identity }: CheckedPath): string {
  return JSON.stringify([path, identity?.device, identity?.inode]);
}
