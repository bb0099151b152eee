/** The rules of a policy as they appear in its files, one entry per target, each linked to its compiled rule. */

import type { RuleRef } from '../kernel/call.ts';
import { conditionParts } from './cel/syntax/condition-parts.ts';
import { pairText } from '../kernel/names.ts';
import type { Target } from '../kernel/policy/rules/rule.ts';
import { parseTarget } from '../kernel/policy/rules/target.ts';
import type { ToolDeclaration } from '../kernel/tool.ts';
import type { PolicyFileRule, LocatedText } from './policy-file.ts';
import type { LoadedPolicy, PolicyLayer } from './loaded-policy.ts';

/** One target of one rule in a file. */
export interface RuleEntry {
  readonly layer: PolicyLayer;
  readonly rule: PolicyFileRule;
  /** The target as written in the file. */
  readonly writtenTarget: LocatedText;
  /** The target with aliases replaced by canonical names. */
  readonly target: Target;
  /** Undefined if the rule has expired and was not compiled. */
  readonly ref: RuleRef | undefined;
}

export class PolicyRules {
  /** The highest layer first, in file order. */
  readonly entries: readonly RuleEntry[];
  private readonly byRef = new Map<RuleRef, RuleEntry>();
  private readonly byKey = new Map<string, RuleEntry>();

  constructor(policy: LoadedPolicy) {
    this.entries = policy.layers.flatMap((layer) => entriesOf(layer, policy.tools));
    for (const entry of this.entries) {
      if (entry.ref === undefined) continue;
      this.byRef.set(entry.ref, entry);
      const key = refKey(entry.ref);
      if (!this.byKey.has(key)) this.byKey.set(key, entry);
    }
  }

  /** The entry of a compiled rule; undefined for a rule that is not in a file. */
  entryOf(ref: RuleRef | undefined): RuleEntry | undefined {
    return ref === undefined ? undefined : (this.byRef.get(ref) ?? this.byKey.get(refKey(ref)));
  }

  entriesIn(layer: PolicyLayer): readonly RuleEntry[] {
    return this.entries.filter((entry) => entry.layer === layer);
  }

  /**
   * Compiled rules of a layer that are not in its file: those for workspaces, and those that protect the policy itself.
   */
  rulesWithoutEntry(layer: PolicyLayer): readonly RuleRef[] {
    return layer.policy.rules.filter((ref) => this.entryOf(ref) === undefined);
  }
}

/** How messages name a rule: by its name, or by its effect and target. */
export function ruleTitle({ rule, writtenTarget }: Pick<RuleEntry, 'rule' | 'writtenTarget'>): string {
  return rule.name === undefined ? `${rule.effect} ${writtenTarget.text}` : `"${rule.name}"`;
}

/** `bridle.yaml:14` */
export function ruleLocation({ layer, rule }: Pick<RuleEntry, 'layer' | 'rule'>): string {
  return `${layer.policyFile.file}:${rule.at.line}`;
}

function refKey({ name, effect, target, at }: RuleRef): string {
  return JSON.stringify([name, effect, target, at]);
}

/** Compiled rules are in file order, but some rules of the file may be missing, and other rules may be in between. */
function entriesOf(layer: PolicyLayer, tools: readonly ToolDeclaration[]): RuleEntry[] {
  const pairs = layer.policyFile.rules.flatMap((rule) =>
    rule.targets.map((writtenTarget) => ({ layer, rule, writtenTarget })),
  );
  const found = new Map<(typeof pairs)[number], RuleRef>();
  let next = 0;
  for (const ref of layer.policy.rules) {
    let index = next;
    while (index < pairs.length && !isSourceOf(pairs[index] as RuleAndTarget, ref, tools)) index++;
    const pair = pairs[index];
    if (pair === undefined) continue;
    found.set(pair, ref);
    next = index + 1;
  }
  return pairs.map((pair) => ({
    ...pair,
    ref: found.get(pair),
    target: canonicalTarget(parseTarget(pair.writtenTarget.text), tools),
  }));
}

type RuleAndTarget = Pick<RuleEntry, 'layer' | 'rule' | 'writtenTarget'>;

function isSourceOf(pair: RuleAndTarget, ref: RuleRef, tools: readonly ToolDeclaration[]): boolean {
  const { rule, writtenTarget } = pair;
  if (ref.at !== ruleLocation(pair) || ref.effect !== rule.effect) return false;
  if (rule.name !== undefined && !ref.name.startsWith(rule.name)) return false;
  return (
    targetKey(canonicalTarget(parseTarget(writtenTarget.text), tools)) ===
    targetKey(canonicalTarget(parseTarget(ref.target), tools))
  );
}

function targetKey(target: Target): string {
  return JSON.stringify([
    target.type,
    'server' in target ? target.server : null,
    'tool' in target ? target.tool : null,
  ]);
}

/** A rule may name a tool by an alias. */
function canonicalTarget(target: Target, tools: readonly ToolDeclaration[]): Target {
  if (target.type !== 'tool') return target;
  const { server, tool } = target;
  const own = tools.filter((each) => each.server === server);
  if (own.some(({ name }) => name === tool)) return target;
  const named = own.find(({ aliases }) => aliases?.names?.includes(tool) === true);
  return named === undefined ? target : { ...target, tool: named.name };
}

const listsCommands: ReadonlySet<string> = new Set(['runsOnly', 'runsListed']);

/** The commands that allow rules name in `runsOnly` or `runsListed`. */
export function commandsAllowedBy(layers: readonly Pick<PolicyLayer, 'policyFile'>[]): readonly string[] {
  const rules = layers.flatMap(({ policyFile }) => policyFile.rules);
  return rules.flatMap(({ effect, shadow, when }) =>
    effect !== 'allow' || shadow === true || when === undefined
      ? []
      : conditionParts(when.text).flatMap((part) =>
          part.type === 'fact' && listsCommands.has(part.name) && !part.negated ? part.entries : [],
        ),
  );
}

/** True if a target matches a tool. */
export function targetCovers(target: Target, server: string | undefined, tool: string): boolean {
  switch (target.type) {
    case 'all':
      return true;
    case 'server':
      return target.server === server;
    case 'tool':
      return pairText(target.server, target.tool) === pairText(server, tool) && target.server === server;
    default:
      return target satisfies never;
  }
}
