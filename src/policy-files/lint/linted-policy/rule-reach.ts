/**
 * Which calls reach which rules in each layer, by targets alone: a rule without a condition stops all calls that it
 * covers.
 */

import type { Effect, RuleRef } from '../../../kernel/call.ts';
import { bucketOf, parseTarget } from '../../../kernel/policy/rules/target.ts';
import type { CallClass } from '../../sample-calls/call-classes.ts';
import type { LoadedPolicy, PolicyLayer } from '../../loaded-policy.ts';
import { type RuleEntry, targetCovers, type PolicyRules } from '../../policy-rules.ts';

/** A rule that a class of calls reaches. */
interface RuleStep {
  /** Undefined for a rule that is not in a file. */
  readonly entry: RuleEntry | undefined;
  readonly effect: RuleRef['effect'];
  /** True if it has a condition or expires, so it does not decide all calls of its target. */
  readonly conditional: boolean;
}

/** The range of a layer's strictness; -1 if it can abstain. */
interface StrictnessRange {
  readonly least: number;
  readonly most: number;
}

const abstains = -1;
const strictness: Readonly<Record<Effect | 'forbid', number>> = { allow: 0, ask: 1, deny: 2, forbid: 2 };

interface RankedRule extends RuleStep {
  readonly rank: number;
  readonly target: RuleEntry['target'];
}

export class RuleReach {
  private readonly rankedRules: ReadonlyMap<PolicyLayer, readonly RankedRule[]>;
  private readonly reached = new Map<RuleEntry, CallClass[]>();
  private readonly blockers = new Map<RuleEntry, Map<CallClass, RuleEntry>>();

  constructor(
    private readonly policy: LoadedPolicy,
    policyRules: PolicyRules,
    { classes, now }: { readonly classes: readonly CallClass[]; readonly now: number },
  ) {
    this.rankedRules = new Map(policy.layers.map((layer) => [layer, rankRules(layer, policyRules, now)]));
    for (const layer of policy.layers) for (const each of classes) this.traceClass(layer, each);
  }

  /** The classes whose calls reach a rule. */
  classesOf(entry: RuleEntry): readonly CallClass[] {
    return this.reached.get(entry) ?? [];
  }

  /** The rules that decide before this one, by the class they decide. */
  blockersOf(entry: RuleEntry): ReadonlyMap<CallClass, RuleEntry> {
    return this.blockers.get(entry) ?? new Map();
  }

  /** True if a layer above is always at least as strict as this rule, and as the decision without it. */
  isShadowedByLayer(entry: RuleEntry): boolean {
    const above = this.policy.layers.slice(0, this.policy.layers.indexOf(entry.layer));
    const isConditional = this.rankedRules.get(entry.layer)?.find((step) => step.entry === entry)?.conditional === true;
    const own = isConditional ? strictness.deny : strictness[entry.rule.effect];
    const classes = this.classesOf(entry);
    return (
      classes.length > 0 &&
      classes.every((each) => {
        const most = Math.max(own, this.rangeOf(entry.layer, each, entry).most);
        return above.some((layer) => this.rangeOf(layer, each).least >= most);
      })
    );
  }

  private traceClass(layer: PolicyLayer, each: CallClass): void {
    let blocker: RuleEntry | undefined;
    for (const { entry, conditional } of this.stepsOf(layer, each)) {
      if (entry === undefined) continue;
      if (blocker === undefined) listIn(this.reached, entry).push(each);
      else mapIn(this.blockers, entry).set(each, blocker);
      if (!conditional) blocker ??= entry;
    }
  }

  private stepsOf(layer: PolicyLayer, { server, tool }: CallClass): readonly RankedRule[] {
    return (this.rankedRules.get(layer) ?? []).filter(({ target }) => targetCovers(target, server, tool));
  }

  private rangeOf(layer: PolicyLayer, each: CallClass, without?: RuleEntry): StrictnessRange {
    let least = Number.POSITIVE_INFINITY;
    let most = abstains;
    for (const { entry, effect, conditional } of this.stepsOf(layer, each)) {
      if (entry !== undefined && entry === without) continue;
      least = Math.min(least, strictness[effect]);
      // A condition that fails denies the call.
      most = Math.max(most, conditional ? strictness.deny : strictness[effect]);
      if (!conditional) return { least, most };
    }
    return { least: abstains, most };
  }
}

/** The active rules of a layer in evaluation order. */
function rankRules(layer: PolicyLayer, policyRules: PolicyRules, now: number): readonly RankedRule[] {
  const own = policyRules
    .entriesIn(layer)
    .filter(({ rule }) => rule.shadow !== true && !hasExpired(rule.expires, now))
    .map((entry) => ({
      entry,
      effect: entry.rule.effect,
      conditional: entry.rule.when !== undefined || entry.rule.expires !== undefined,
      target: entry.target,
    }));
  const unlisted = policyRules.rulesWithoutEntry(layer).map((ref) => ({
    entry: undefined,
    effect: ref.effect,
    conditional: true,
    target: parseTarget(ref.target),
  }));
  return [...own, ...unlisted].map((step) => ({ ...step, rank: rankOf(step) })).toSorted((a, b) => a.rank - b.rank);
}

/** Forbid rules come first: those for a tool before those for its server. */
function rankOf({ effect, target }: Pick<RankedRule, 'effect' | 'target'>): number {
  return effect === 'forbid' ? bucketOf('deny', target) - 9 : bucketOf(effect, target);
}

export function hasExpired(expires: number | undefined, now: number): boolean {
  return expires !== undefined && expires <= now;
}

function listIn<K, V>(map: Map<K, V[]>, key: K): V[] {
  const list = map.get(key) ?? [];
  map.set(key, list);
  return list;
}

function mapIn<K, A, B>(map: Map<K, Map<A, B>>, key: K): Map<A, B> {
  const inner = map.get(key) ?? new Map<A, B>();
  map.set(key, inner);
  return inner;
}
