/**
 * Evaluates several policies as layers (D05). Each layer decides alone, and the strictest decision wins. A layer
 * without a matching rule abstains. If all layers of a group abstain, the group's default decides. A layer without a
 * group can only make decisions stricter.
 */

import type { Approver } from '../../kernel/approval.ts';
import type { Decision, RuleRef, ToolCall } from '../../kernel/call.ts';
import { BridleError } from '../../kernel/errors.ts';
import { isPromise, type MaybePromise } from '../../kernel/maybe-promise.ts';
import type { ScopeReader } from '../../kernel/policy/evaluator/compiled-rule.ts';
import { stricterDecision } from '../../kernel/policy/evaluator/layered-policy.ts';
import type { Explanation, PolicyEvaluator, Policy, ShadowDecision } from '../../kernel/policy/evaluator/policy.ts';
import type { PolicyDefault } from '../../kernel/policy/evaluator/call-evaluation.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';

/** One policy of a stack. */
export interface StackedLayer {
  readonly policy: Policy;
  /** A policy with only the rules for this call's tool, if that saves work. It decides the call in the same way. */
  readonly policyFor?: ((call: ToolCall) => Policy | undefined) | undefined;
  /** The call as this layer sees it: its file may declare more about a tool than the tool itself. */
  readonly view: (call: ToolCall, tool: ToolDeclaration) => CallView;
  /** The group it belongs to. A layer without a group can only make decisions stricter. */
  readonly group: LayerGroup | undefined;
}

/**
 * Layers that share a default: if all of them abstain, the default decides. If there are several groups, the strictest
 * decision wins.
 */
export interface LayerGroup {
  readonly fallback: PolicyDefault;
}

export interface CallView {
  readonly call: ToolCall;
  readonly tool: ToolDeclaration;
}

/** Added to the order of a rule for each layer above it. */
const orderStride = 1_000_000;

export class LayerStack implements PolicyEvaluator {
  private readonly groups: readonly LayerGroup[];
  private cachedVersion: string | undefined;
  private cachedTimeoutMs: number | undefined;

  constructor(
    /** The highest first. */
    readonly layers: readonly StackedLayer[],
    private readonly computeVersion: () => string,
  ) {
    this.groups = [...new Set(layers.flatMap(({ group }) => group ?? []))];
  }

  get timeoutMs(): number {
    return (this.cachedTimeoutMs ??= Math.max(...this.layers.map(({ policy }) => policy.timeoutMs)));
  }

  get version(): string {
    return (this.cachedVersion ??= this.computeVersion());
  }

  get rules(): readonly RuleRef[] {
    return this.layers.flatMap(({ policy }) => policy.rules);
  }

  get warnings(): readonly string[] {
    return [...new Set(this.layers.flatMap(({ policy }) => policy.warnings))];
  }

  evaluate(call: ToolCall, tool: ToolDeclaration, reader?: ScopeReader): MaybePromise<Decision> {
    return this.evaluateRemaining([], { call, tool, reader });
  }

  /** The decision, and how each layer evaluated the call, the highest layer first. */
  async explainCall(
    call: ToolCall,
    tool: ToolDeclaration,
    reader?: ScopeReader,
  ): Promise<{ readonly decision: Decision; readonly layers: readonly Explanation[] }> {
    const layers = await Promise.all(
      this.layers.map(({ policy, view }) => {
        const viewed = view(call, tool);
        return policy.explainCall(viewed.call, viewed.tool, reader);
      }),
    );
    const decisions = layers.map(({ decision }) => decision);
    return { decision: this.strictest(decisions, call), layers };
  }

  shadows(call: ToolCall, tool: ToolDeclaration, reader?: ScopeReader): readonly Promise<ShadowDecision>[] {
    return this.layers.flatMap(({ policy, view }) => {
      const viewed = view(call, tool);
      return policy.shadows(viewed.call, viewed.tool, reader);
    });
  }

  hasShadows(call: ToolCall, tool?: ToolDeclaration): boolean {
    return this.layers.some(({ policy }) => policy.hasShadows(call, tool));
  }

  handlerOf(rule: RuleRef): Approver | undefined {
    return this.layers.map(({ policy }) => policy.handlerOf(rule)).find((handler) => handler !== undefined);
  }

  orderOf(rule: RuleRef): number {
    const places = this.layers.map(({ policy }, index) => [policy.orderOf(rule), index] as const);
    const [place, index] = places.find(([order]) => order !== -1) ?? [-1, 0];
    return place === -1 ? -1 : place + index * orderStride;
  }

  private evaluateRemaining(decisions: Decision[], input: EvaluationInput): MaybePromise<Decision> {
    for (let i = decisions.length; i < this.layers.length; i++) {
      const layer = this.layers[i] as StackedLayer;
      const { call, tool } = layer.view(input.call, input.tool);
      const decision = (layer.policyFor?.(call) ?? layer.policy).evaluate(call, tool, input.reader);
      if (isPromise(decision)) return decision.then((settled) => this.continueAfter([...decisions, settled], input));
      if (isFinal(decision)) return decision;
      decisions.push(decision);
    }
    return this.strictest(decisions, input.call);
  }

  private continueAfter(decisions: Decision[], input: EvaluationInput): MaybePromise<Decision> {
    const last = decisions.at(-1);
    return last !== undefined && isFinal(last) ? last : this.evaluateRemaining(decisions, input);
  }

  private strictest(decisions: readonly Decision[], call: ToolCall): Decision {
    const [first, ...others] = this.groups;
    if (first === undefined) throw new BridleError('POLICY_INVALID', 'the policy has no layers');
    let strictest = this.decisionOf(first, decisions, call);
    for (const group of others) strictest = stricterDecision(strictest, this.decisionOf(group, decisions, call));
    for (const [index, each] of decisions.entries()) {
      if (decides(each) && this.layers[index]?.group === undefined) strictest = stricterDecision(strictest, each);
    }
    // Paths that were resolved count even if the layer abstained.
    for (const each of decisions) {
      if (!decides(each) && addsInformation(strictest, each)) strictest = stricterDecision(strictest, abstention(each));
    }
    return strictest;
  }

  private decisionOf(group: LayerGroup, decisions: readonly Decision[], call: ToolCall): Decision {
    const own = decisions.filter((_, index) => this.layers[index]?.group === group);
    const deciding = own.filter(decides);
    const isDecided = deciding.some(({ mayFallToDefault }) => mayFallToDefault !== true);
    // A rule's question comes first: it is more specific than the default.
    const all = isDecided ? deciding : [...deciding, defaultOf(group, own, call)];
    return all.reduce(stricterDecision);
  }
}

function defaultOf({ fallback }: LayerGroup, decisions: readonly Decision[], call: ToolCall): Decision {
  const uncertainty = decisions.find((each) => !decides(each) && each.uncertainty !== undefined)?.uncertainty;
  return uncertainty === undefined ? fallback.noMatch(call) : fallback.uncertain(call, uncertainty);
}

interface EvaluationInput extends CallView {
  readonly reader?: ScopeReader | undefined;
}

/** Nothing is stricter than a deny, so the remaining layers are not evaluated. */
function isFinal({ effect, rule }: Decision): boolean {
  return effect === 'deny' && rule !== undefined;
}

function decides({ rule }: Decision): boolean {
  return rule !== undefined;
}

function addsInformation(strictest: Decision, { paths, constant }: Decision): boolean {
  return paths.length > 0 || (!constant && strictest.constant);
}

function abstention({ paths, constant }: Decision): Decision {
  return { effect: 'allow', rule: undefined, reason: '', grant: undefined, paths, constant };
}
