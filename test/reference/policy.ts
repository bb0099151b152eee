/**
 * What the contract says of policies, as plainly as it can be written: filter, sort, evaluate one after the other.
 * It knows nothing of the engine, is slow, and is right when read beside the table of buckets.
 */

type Effect = 'allow' | 'deny' | 'ask';

/** What a predicate gives: a boolean, that no fact tells, or the one way in which it fails. */
export type Answer = boolean | 'unknown' | 'failure';

interface ReferenceRule {
  /** Its place in the list the policy was made of. */
  readonly id: number;
  readonly effect: Effect | 'forbid';
  /** `*`, a tool, `server/tool` or `server/*`, maybe by an alias. */
  readonly target: string;
  readonly shadow: boolean;
  /** What a deny or forbid rule does if its predicate is unknown. */
  readonly unknown: 'deny' | 'ask' | undefined;
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
  /** The rules that ask too. */
  readonly further: readonly (number | undefined)[];
  /** The rule that was looked at last. */
  readonly last: number | undefined;
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
  /** Whether there is somebody to ask. */
  readonly answerable: boolean;
}

export function decideByReference(policy: ReferencePolicy, call: ReferenceCall): ReferenceDecision {
  const tool = findTool(policy.tools, call.server, call.tool);
  // A tool that nobody declared is refused, whatever the rules say.
  if (tool === undefined) return refusedUnread;
  const fitting = policy.rules.filter((rule) => levelOf(rule, tool, policy.tools) !== undefined);
  const rank = (rule: ReferenceRule): number => bucketOf(rule, levelOf(rule, tool, policy.tools) ?? 0);
  const enforced = fitting.filter((rule) => !rule.shadow).toSorted((a, b) => rank(a) - rank(b) || a.id - b.id);
  const shadows = fitting.filter((rule) => rule.shadow).map((rule) => [rule.id, answerOf(rule, call)] as const);
  return { ...decideFrom(enforced, call, policy), shadows };
}

const nothing = { evaluated: [], notReached: [], further: [], last: undefined };
const refusedUnread: ReferenceDecision = { effect: 'deny', rule: undefined, shadows: [], ...nothing };

/** The first rule, then what follows without it. */
function decideFrom(
  [rule, ...rest]: readonly ReferenceRule[],
  call: ReferenceCall,
  policy: Pick<ReferencePolicy, 'fallback' | 'answerable'>,
): Omit<ReferenceDecision, 'shadows'> & { readonly isForced?: boolean } {
  const { fallback, answerable } = policy;
  if (rule === undefined) return { effect: fallback, rule: undefined, ...nothing };
  const answer = answerOf(rule, call);
  const evaluated = rule.predicate === undefined ? [] : [rule.id];
  const denies = rule.effect === 'deny' || rule.effect === 'forbid';
  if (answer === true || answer === 'failure' || (answer === 'unknown' && denies && rule.unknown !== 'ask')) {
    const effect = denies || answer === 'failure' ? 'deny' : (rule.effect as Effect);
    return { ...nothing, effect, rule: rule.id, evaluated, notReached: rest.map(({ id }) => id), last: rule.id };
  }
  // An allow of which nothing is known leaves at most an ask for the default.
  const isDoubted = answer === 'unknown' && rule.effect === 'allow' && fallback === 'allow';
  const then = decideFrom(rest, call, isDoubted ? { ...policy, fallback: answerable ? 'ask' : 'deny' } : policy);
  const met = { ...then, evaluated: [...evaluated, ...then.evaluated], last: then.last ?? rule.id };
  if (answer === false || rule.effect === 'allow' || (then.effect === 'deny' && then.isForced !== true)) return met;
  // A deny that became an ask needs somebody to ask; the first such rule is named.
  if (denies && !answerable) return { ...met, effect: 'deny', rule: rule.id, further: [], isForced: true };
  if (then.effect === 'deny') return met;
  return { ...met, effect: 'ask', rule: rule.id, further: then.effect === 'ask' ? [then.rule, ...then.further] : [] };
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
