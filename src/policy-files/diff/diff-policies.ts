/**
 * Finds calls that two policies decide differently (D09). For rules without conditions, every class of calls is tried,
 * so the result is complete. For rules with conditions, calls are generated from the conditions and taken from the
 * tests.
 */

import { resolve } from 'node:path';
import type { Decision, Effect, RuleRef } from '../../kernel/call.ts';
import { candidateCalls, callOfTest } from '../sample-calls/candidate-calls.ts';
import { type CallClass, callClasses, sampleCallOf } from '../sample-calls/call-classes.ts';
import type { CheckRequest, LoadedPolicy } from '../loaded-policy.ts';
import { targetCovers, PolicyRules, ruleTitle } from '../policy-rules.ts';
import { argumentsWith, sampleArgs } from '../sample-calls/sample-args.ts';
import { type ChangedRule, changedRules, changedTerms } from './changed-rules.ts';
import { changedDeclarations, changedDefaults, changedHooks, serverToolCalls } from './changed-settings.ts';
import { changedSchemas, schemaCalls } from './schema-changes.ts';

export type { ChangedRule };

/** A call that the two policies decide differently. */
export interface DecisionChange {
  readonly call: CheckRequest;
  readonly before: DecisionSide;
  readonly after: DecisionSide;
  readonly change: 'stricter' | 'looser';
  /** Where the call comes from. `target`: it represents all calls of its tool. */
  readonly from: CallSource;
  /** The number of other calls of the tool that change in the same way. */
  readonly similar: number;
}

export interface DecisionSide {
  readonly decision: Effect;
  readonly rule?: RuleRef | undefined;
  readonly reason?: string | undefined;
}

type CallSource = 'target' | 'condition' | 'test' | 'given';

export interface PolicyDiff {
  readonly flips: readonly DecisionChange[];
  /** Changes that no call of `flips` shows: of rules, schemas, hook modules, servers, tools, workspaces, the default. */
  readonly unshown: readonly ChangedRule[];
  readonly summary: {
    readonly calls: number;
    readonly stricter: number;
    readonly looser: number;
    /**
     * True if no rule has a condition or expires, and schemas, hooks, tools and workspaces are the same, so no other
     * call can change.
     */
    readonly complete: boolean;
    /** True if the limit stopped the search. */
    readonly cut: boolean;
  };
}

export interface DiffOptions {
  /** Additional calls to compare, such as those of a journal. */
  readonly calls?: Iterable<CheckRequest> | undefined;
  /** The maximum number of generated calls. Default: 20,000. */
  readonly maxCalls?: number | undefined;
}

const strictness: Readonly<Record<Effect, number>> = { allow: 0, ask: 1, deny: 2 };

export async function diffPolicies(
  before: LoadedPolicy,
  after: LoadedPolicy,
  options: DiffOptions = {},
): Promise<PolicyDiff> {
  const { calls = [], maxCalls = 20_000 } = options;
  const flips = new Map<string, DecisionChange>();
  const terms = new Map<string, ChangedRule>();
  const afterRules = new PolicyRules(after);
  const seen = new Set<string>();
  let cut = false;
  for (const { call, from } of callsToTry([before, after], calls)) {
    const key = JSON.stringify(call);
    if (seen.has(key)) continue;
    if (from !== 'given' && seen.size >= maxCalls) {
      cut = true;
      continue;
    }
    seen.add(key);
    const [was, now] = [await before.decide(call), await after.decide(call)];
    const flip = flipOf(was, now);
    if (flip !== undefined) addFlip(flips, { ...flip, call, from, similar: 0 });
    else addTerms(terms, { was, now, rules: afterRules });
  }
  const all = [...flips.values()];
  const count = (change: DecisionChange['change']): number =>
    all.filter((flip) => flip.change === change).reduce((sum, { similar }) => sum + 1 + similar, 0);
  const hooks = changedHooks(before, after);
  const declared = [...changedSchemas(before, after), ...changedDeclarations(before, after)];
  const areAllTried = isUnconditional(before) && isUnconditional(after) && declared.length === 0 && !cut;
  const untried = areAllTried ? [] : [...declared, ...changedDefaults(before, after), ...changedRules(before, after)];
  const complete = areAllTried && hooks.length === 0;
  return {
    flips: all,
    unshown: withoutShown([...terms.values(), ...hooks, ...untried], all),
    summary: { calls: seen.size, stricter: count('stricter'), looser: count('looser'), complete, cut },
  };
}

/** A change that can loosen a decision is shown only by a call that gets looser, because others may hide it. */
function withoutShown(changed: readonly ChangedRule[], flips: readonly DecisionChange[]): readonly ChangedRule[] {
  const keysOf = (shown: readonly DecisionChange[]): ReadonlySet<string> =>
    new Set(shown.flatMap(({ before, after }) => [`before ${before.rule?.at}`, `after ${after.rule?.at}`]));
  const shownBy = { stricter: keysOf(flips), looser: keysOf(flips.filter(({ change }) => change === 'looser')) };
  const unshown = new Map<string, ChangedRule>();
  for (const each of changed) {
    const { side, rule, at, change } = each;
    const key = `${side} ${at} ${rule}`;
    if (!shownBy[change].has(`${side} ${at}`) && unshown.get(key)?.change !== 'looser') unshown.set(key, each);
  }
  return [...unshown.values()];
}

function flipOf(before: Decision, after: Decision): Pick<DecisionChange, 'before' | 'after' | 'change'> | undefined {
  if (before.effect === after.effect) return undefined;
  const change = strictness[after.effect] > strictness[before.effect] ? 'stricter' : 'looser';
  return { before: sideOf(before), after: sideOf(after), change };
}

function sideOf({ effect, rule, reason }: Decision): DecisionSide {
  return { decision: effect, ...(rule === undefined ? {} : { rule }), ...(reason === '' ? {} : { reason }) };
}

/** Adds the rule that decides a call under other terms: without a signature, or with another grant. */
function addTerms(
  terms: Map<string, ChangedRule>,
  { was, now, rules }: { readonly was: Decision; readonly now: Decision; readonly rules: PolicyRules },
): void {
  const change = changedTerms(was, now);
  if (change === undefined) return;
  const [side, ref] = now.rule === undefined ? (['before', was.rule] as const) : (['after', now.rule] as const);
  const entry = rules.entryOf(ref);
  const rule = entry === undefined ? (ref?.name ?? 'default') : ruleTitle(entry);
  const at = ref?.at ?? '';
  const known = terms.get(`${side} ${at}`);
  if (known?.change !== 'looser') terms.set(`${side} ${at}`, { side, rule, at, change });
}

/**
 * Generated calls that change in the same way are reported once. Calls from tests and given calls are reported
 * individually.
 */
function addFlip(flips: Map<string, DecisionChange>, flip: DecisionChange): void {
  const { call, before, after, from } = flip;
  const isGenerated = from === 'condition' || from === 'target';
  const groupKey = [call.tool, call.server, before.decision, before.rule, after.decision, after.rule];
  const key = JSON.stringify(isGenerated ? groupKey : [call]);
  const known = flips.get(key);
  flips.set(key, known === undefined ? flip : { ...known, similar: known.similar + 1 });
}

interface SourcedCall {
  readonly call: CheckRequest;
  readonly from: CallSource;
}

function* callsToTry(policies: readonly LoadedPolicy[], given: Iterable<CheckRequest>): Iterable<SourcedCall> {
  const classes = callClasses(policies);
  for (const each of classes) yield { call: sampleCallOf(each), from: 'target' };
  for (const { layers, cwd } of policies) {
    for (const test of layers.flatMap(({ policyFile }) => policyFile.tests)) {
      yield { call: callOfTest(test, test.cwd === undefined ? undefined : resolve(cwd, test.cwd)), from: 'test' };
    }
  }
  for (const call of given) yield { call, from: 'given' };
  for (const call of serverToolCalls(policies)) yield { call, from: 'target' };
  for (const call of schemaCalls(policies, classes)) yield { call, from: 'condition' };
  for (const policy of policies) yield* conditionCalls(policy, classes);
}

function* conditionCalls(policy: LoadedPolicy, classes: readonly CallClass[]): Iterable<SourcedCall> {
  for (const { rule, target } of new PolicyRules(policy).entries) {
    if (rule.when === undefined) continue;
    for (const each of classes) {
      if (!targetCovers(target, each.server, each.tool)) continue;
      for (const call of candidateCalls(rule.when.text, each)) yield { call, from: 'condition' };
    }
  }
  const folders = policy.layers.flatMap(({ policyFile }) => policyFile.workspaces ?? []).map(({ text }) => text);
  for (const each of classes) for (const call of pathCalls(each, folders)) yield { call, from: 'condition' };
}

/** Calls with paths inside and outside of the workspaces. */
function* pathCalls(each: CallClass, folders: readonly string[]): Iterable<CheckRequest> {
  const { declared } = each;
  if (declared === undefined || folders.length === 0) return;
  const paths = [...folders.map((folder) => `${folder}/example.txt`), '../example.txt', '/etc/hosts'];
  for (const name of argumentsWith('path', declared)) {
    for (const path of paths) yield sampleCallOf(each, { ...sampleArgs(declared), [name]: path });
  }
}

function isUnconditional({ layers }: LoadedPolicy): boolean {
  return layers.every(({ policyFile }) =>
    policyFile.rules.every(({ when, expires }) => when === undefined && expires === undefined),
  );
}
