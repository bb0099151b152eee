/**
 * What the contract says of policies, as plainly as it can be written: filter, sort, evaluate one after the other.
 * It knows nothing of the engine, is slow, and is right when read beside the table of buckets.
 */

type Effect = 'allow' | 'deny' | 'ask';

/** What a predicate gives: a boolean, or the one way in which it fails. */
export type Answer = boolean | 'failure';

interface ReferenceRule {
  /** Its place in the list the policy was made of. */
  readonly id: number;
  readonly effect: Effect | 'forbid';
  /** `*`, a tool, `server/tool` or `server/*`, maybe by an alias. */
  readonly target: string;
  readonly shadow: boolean;
  /** Undefined: no predicate, so it applies to every call its target fits. */
  readonly predicate: ((call: ReferenceCall) => Answer) | undefined;
}

export interface ReferenceTool {
  readonly server: string | undefined;
  readonly name: string;
  readonly aliases: readonly string[];
}

export interface ReferenceCall {
  readonly server: string | undefined;
  /** The name that was called, maybe an alias. */
  readonly tool: string;
  readonly mood: number;
}

export interface ReferenceDecision {
  readonly effect: Effect;
  /** The rule that decided; none where the default did. */
  readonly rule: number | undefined;
  /** The rules whose predicates were asked, in order. */
  readonly evaluated: readonly number[];
  /** The rules that stand for the call but were not looked at any more. */
  readonly notReached: readonly number[];
  /** What each shadow rule would have said. */
  readonly shadows: readonly (readonly [rule: number, answer: Answer])[];
}

export interface ReferencePolicy {
  readonly rules: readonly ReferenceRule[];
  readonly tools: readonly ReferenceTool[];
  readonly fallback: Effect;
}

export function decideByReference(policy: ReferencePolicy, call: ReferenceCall): ReferenceDecision {
  const tool = findTool(policy.tools, call.server, call.tool);
  // A tool that nobody declared is refused, whatever the rules say.
  if (tool === undefined) return { effect: 'deny', rule: undefined, evaluated: [], notReached: [], shadows: [] };
  const fitting = policy.rules.filter((rule) => levelOf(rule, tool, policy.tools) !== undefined);
  const rank = (rule: ReferenceRule): number => bucketOf(rule, levelOf(rule, tool, policy.tools) ?? 0);
  const enforced = fitting.filter((rule) => !rule.shadow).toSorted((a, b) => rank(a) - rank(b) || a.id - b.id);
  const shadows = fitting.filter((rule) => rule.shadow).map((rule) => [rule.id, answerOf(rule, call)] as const);
  const evaluated: number[] = [];
  for (const [index, rule] of enforced.entries()) {
    if (rule.predicate !== undefined) evaluated.push(rule.id);
    const answer = answerOf(rule, call);
    if (answer === false) continue;
    const effect = answer === 'failure' || rule.effect === 'forbid' ? 'deny' : rule.effect;
    const notReached = enforced.slice(index + 1).map(({ id }) => id);
    return { effect, rule: rule.id, evaluated, notReached, shadows };
  }
  return { effect: policy.fallback, rule: undefined, evaluated, notReached: [], shadows };
}

function answerOf(rule: ReferenceRule, call: ReferenceCall): Answer {
  return rule.predicate === undefined ? true : rule.predicate(call);
}

/** The nine buckets of the contract; forbid stands above them in the order of its levels. */
function bucketOf({ effect }: ReferenceRule, level: 0 | 1 | 2): number {
  if (effect === 'forbid') return level - 3;
  const table = [
    { deny: 0, ask: 1, allow: 2 },
    { deny: 3, ask: 4, allow: 5 },
    { deny: 6, ask: 7, allow: 8 },
  ] as const;
  return table[level][effect];
}

/** How specific a rule is about a tool: 0 for the tool itself, 1 for its server, 2 for everything; or not at all. */
function levelOf(
  { target }: ReferenceRule,
  tool: ReferenceTool,
  tools: readonly ReferenceTool[],
): 0 | 1 | 2 | undefined {
  if (target === '*') return 2;
  const [first = '', second] = target.split('/');
  if (second === '*') return tool.server === first ? 1 : undefined;
  const meant = second === undefined ? findTool(tools, undefined, first) : findTool(tools, first, second);
  return meant === tool ? 0 : undefined;
}

function findTool(
  tools: readonly ReferenceTool[],
  server: string | undefined,
  name: string,
): ReferenceTool | undefined {
  return tools.find((tool) => tool.server === server && (tool.name === name || tool.aliases.includes(name)));
}
