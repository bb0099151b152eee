/**
 * Combines policies (D05, A13): the files of a policy, or the policies of an agent and its subagent. Each layer decides
 * alone, and the strictest decision wins.
 */

import {
  type CheckedPath,
  type Decision,
  type Effect,
  narrowGrant,
  type RuleRef,
  type ToolCall,
} from '../../kernel/call.ts';
import { BridleError } from '../../kernel/errors.ts';
import { isPromise, type MaybePromise } from '../../kernel/maybe-promise.ts';
import type { PolicyDefault } from '../../kernel/policy/evaluator/call-evaluation.ts';
import type { ScopeReader } from '../../kernel/policy/evaluator/compiled-rule.ts';
import type {
  Explanation,
  Policy,
  PolicyEvaluator,
  RuleDetails,
  ShadowEvaluation,
} from '../../kernel/policy/evaluator/policy.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';

export interface Layer<P extends PolicyEvaluator = PolicyEvaluator> {
  readonly policy: P;
  /** A policy with only the rules for this call's tool, if that saves work. It decides the call in the same way. */
  readonly policyFor?: ((call: ToolCall) => P | undefined) | undefined;
  /** The call as this layer sees it: its file may declare more about a tool than the tool itself. */
  readonly view?: CallViewer | undefined;
  /**
   * What counts if no rule of the layer matches. `own`: the default of its policy. `none`: the layer abstains, so it can
   * only make decisions stricter. A default: it decides if all layers with the same default abstain.
   */
  readonly default: 'own' | 'none' | PolicyDefault;
}

interface CallView {
  readonly call: ToolCall;
  readonly tool: ToolDeclaration;
}

export type CallViewer = (call: ToolCall, tool: ToolDeclaration) => CallView;

interface LayeredCall extends CallView {
  readonly reader?: ScopeReader | undefined;
}

export class Layers<P extends PolicyEvaluator = PolicyEvaluator> implements PolicyEvaluator {
  private readonly defaults: readonly PolicyDefault[];

  constructor(
    /** The highest first. */
    readonly layers: readonly Layer<P>[],
    private readonly versionOf: () => string,
  ) {
    this.defaults = [...new Set(layers.flatMap((layer) => (typeof layer.default === 'string' ? [] : layer.default)))];
  }

  get version(): string {
    return this.versionOf();
  }

  get timeoutMs(): number {
    return Math.max(...this.layers.map(({ policy }) => policy.timeoutMs));
  }

  evaluate(call: ToolCall, tool: ToolDeclaration, reader?: ScopeReader): MaybePromise<Decision> {
    return this.evaluateRemaining([], { call, tool, reader });
  }

  shadows(call: ToolCall, tool: ToolDeclaration, reader?: ScopeReader): readonly ShadowEvaluation[] {
    return this.layers.flatMap((layer) => {
      const viewed = viewOf(layer, { call, tool });
      return layer.policy.shadows(viewed.call, viewed.tool, reader);
    });
  }

  /** The number of the layer is part of the id, so that no two rules have the same one. */
  detailsOf(rule: RuleRef): RuleDetails | undefined {
    for (const [index, { policy }] of this.layers.entries()) {
      const found = policy.detailsOf(rule);
      if (found !== undefined) return { id: `${index}.${found.id}`, handler: found.handler };
    }
    return undefined;
  }

  /** The decision that follows from those of the layers. */
  strictest(decisions: readonly Decision[], call: ToolCall): Decision {
    const abstains = decisions.map(({ rule }, index) => rule === undefined && this.layers[index]?.default !== 'own');
    const alone = decisions.filter((_, index) => typeof this.layers[index]?.default === 'string' && !abstains[index]);
    const all = [...this.defaults.map((each) => this.withDefault(each, decisions, call)), ...alone];
    if (all.length === 0) throw new BridleError('POLICY_INVALID', 'the policy has no layers');
    let strictest = all.reduce(stricterDecision);
    // Paths that were resolved count even if the layer abstained.
    for (const { paths, constant } of decisions.filter((_, index) => abstains[index])) {
      const isNew = paths.length > 0 || (!constant && strictest.constant);
      if (isNew) strictest = stricterDecision(strictest, { ...abstention, paths, constant });
    }
    return strictest;
  }

  private evaluateRemaining(decisions: Decision[], input: LayeredCall): MaybePromise<Decision> {
    for (let i = decisions.length; i < this.layers.length; i++) {
      const layer = this.layers[i] as Layer<P>;
      const { call, tool } = viewOf(layer, input);
      const decision = (layer.policyFor?.(call) ?? layer.policy).evaluate(call, tool, input.reader);
      if (isPromise(decision)) {
        return decision.then((settled) =>
          isFinal(layer, settled) ? settled : this.evaluateRemaining([...decisions, settled], input),
        );
      }
      if (isFinal(layer, decision)) return decision;
      decisions.push(decision);
    }
    return this.strictest(decisions, input.call);
  }

  /** The decision of all layers that share a default. */
  private withDefault(fallback: PolicyDefault, decisions: readonly Decision[], call: ToolCall): Decision {
    const own = decisions.filter((_, index) => this.layers[index]?.default === fallback);
    const deciding = own.filter(({ rule }) => rule !== undefined);
    if (deciding.some(({ mayFallToDefault }) => mayFallToDefault !== true)) return deciding.reduce(stricterDecision);
    const uncertainty = own.find(({ rule, uncertainty: why }) => rule === undefined && why !== undefined)?.uncertainty;
    const defaulted = uncertainty === undefined ? fallback.noMatch(call) : fallback.uncertain(call, uncertainty);
    // A rule's question comes first: it is more specific than the default.
    return [...deciding, defaulted].reduce(stricterDecision);
  }
}

/** The decision, and how each layer evaluated the call, the highest layer first. */
export async function explainLayers(
  layers: Layers<Policy>,
  { call, tool, reader }: LayeredCall,
): Promise<{ readonly decision: Decision; readonly layers: readonly Explanation[] }> {
  const explained = await Promise.all(
    layers.layers.map((layer) => {
      const viewed = viewOf(layer, { call, tool });
      return layer.policy.explainCall(viewed.call, viewed.tool, reader);
    }),
  );
  const decisions = explained.map(({ decision }) => decision);
  return { decision: layers.strictest(decisions, call), layers: explained };
}

function viewOf({ view }: Layer, { call, tool }: CallView): CallView {
  return view === undefined ? { call, tool } : view(call, tool);
}

/** Nothing is stricter than a deny, so the remaining layers are not evaluated. */
function isFinal(layer: Layer, { effect, rule }: Decision): boolean {
  return effect === 'deny' && (rule !== undefined || layer.default === 'own');
}

const abstention = Object.freeze({ effect: 'allow', rule: undefined, reason: '', grant: undefined } as const);

const strictness: Readonly<Record<Effect, number>> = { deny: 2, ask: 1, allow: 0 };

/** The stricter of two decisions about one call. If both ask, both questions are asked; grants narrow. */
function stricterDecision(upper: Decision, lower: Decision): Decision {
  const deciding = strictness[lower.effect] > strictness[upper.effect] ? lower : upper;
  const paths = mergedPaths(upper.paths, lower.paths);
  if (paths === undefined) return pathChanged;
  const bothAsk = upper.effect === 'ask' && lower.effect === 'ask';
  return Object.freeze({
    effect: deciding.effect,
    rule: deciding.rule,
    reason: deciding.reason,
    // An answer for one layer does not count for the other.
    additionalQuestions: bothAsk
      ? [...(upper.additionalQuestions ?? []), lower, ...(lower.additionalQuestions ?? [])].map(questionOf)
      : deciding.additionalQuestions,
    grant: upper.grant === undefined ? lower.grant : narrowGrant(upper.grant, lower.grant),
    paths,
    constant: upper.constant && lower.constant,
    problem: deciding.problem,
    uncertainty: deciding.uncertainty,
  });
}

function questionOf({ rule, reason }: Pick<Decision, 'rule' | 'reason'>): Pick<Decision, 'rule' | 'reason'> {
  return { rule, reason };
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
