/** What a guard of a framework checks and prepares before its first session: policy, tools, and the points of hooks. */

import { combineSchemas } from '../kernel/catalog/foreign-tool.ts';
import { BridleError, throwProblems } from '../kernel/errors.ts';
import { didYouMean, quoteName } from '../kernel/names.ts';
import { type PointName, pointNames } from '../kernel/hooks/points/points.ts';
import type { Hook } from '../kernel/hooks/registration/hook.ts';
import { compilePolicyFor } from '../kernel/policy/compiler/compile-policy.ts';
import type { PolicySource } from '../kernel/guard/guard-options.ts';
import type { Rules } from '../kernel/policy/rules/rule.ts';
import type { ToolDeclaration } from '../kernel/tool.ts';

/** The policy for any list of tools: others may be attached later, so a rule for a missing tool is a warning. */
export function policyOf(source: PolicySource | undefined, rules: Rules): PolicySource {
  return {
    ...source,
    type: 'policy-source',
    compileFor: (catalog, context) =>
      source === undefined
        ? compilePolicyFor(catalog, rules, { ...context, lenient: true })
        : source.compileFor(catalog, context, rules),
  };
}

/** The servers that rules name. */
export function serversIn(rules: Rules): readonly string[] {
  if ('type' in rules)
    return 'server' in rules.target && rules.target.server !== undefined ? [rules.target.server] : [];
  return rules.flatMap(serversIn);
}

/** A hook that is silently never called protects nothing (B04). */
export function refuseUnreachable(hooks: readonly Hook[], reached: ReadonlySet<PointName>, framework: string): void {
  const problems = hooks.flatMap((hook) =>
    pointNames
      .filter((point) => typeof hook[point] === 'function' && !reached.has(point))
      .map((point) => `hook "${hook.name}" is registered at ${point}`),
  );
  if (problems.length === 0) return;
  const points = [...reached].join(', ');
  throw new BridleError(
    'HOOK_UNREACHABLE',
    `${problems.join('; ')}, which ${framework} does not reach as it is set up here. Reached are: ${points}`,
    { problems },
  );
}

/** Tools that run at the provider or in the client cannot be guarded, so the user must accept them (B03). */
export function refuseElsewhere(names: readonly string[], accepted: 'unguarded' | undefined): void {
  if (names.length === 0 || accepted === 'unguarded') return;
  throw new BridleError(
    'TOOL_INVALID',
    `${names.map(quoteName).join(', ')}: the provider, the client or another machine runs it, so Bridle cannot guard it. ` +
      `Remove it, or set providerTools: 'unguarded'`,
  );
}

/** Both schemas are enforced; everything else that the user declares wins. */
export function mergeDeclarations(declared: ToolDeclaration | undefined, tool: ToolDeclaration): ToolDeclaration {
  if (declared === undefined) return tool;
  const given = Object.fromEntries(Object.entries(declared).filter(([, value]) => value !== undefined));
  return { ...tool, ...given, schema: combineSchemas(declared.schema, tool.schema) };
}

/** Plain JavaScript could pass misspelled options unnoticed. */
export function refuseUnknownOptions(what: string, given: object, known: readonly string[]): void {
  const problems = Object.keys(given)
    .filter((name) => !known.includes(name))
    .map((name) => `${what}: option ${quoteName(name)} is not known${didYouMean(name, known) || ''}`);
  throwProblems('OPTION_INVALID', problems);
}
