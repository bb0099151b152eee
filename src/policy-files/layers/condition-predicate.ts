/** The condition of a rule in a file as a predicate of the engine. */

import type { Catalog } from '../../kernel/catalog/catalog.ts';
import type { Target, RuleCondition } from '../../kernel/policy/rules/rule.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { compileCondition, type CompiledCondition } from '../cel/compile-condition.ts';
import { builtInFacts } from '../cel/built-in-facts.ts';
import type { CompileContext } from './compile-context.ts';
import type { PolicyFileCondition, FilePosition } from '../policy-file.ts';
import { positionInCondition } from '../condition-position.ts';

interface PredicateContext {
  readonly target: Target;
  readonly context: CompileContext;
  readonly report: (severity: 'error' | 'warning', at: FilePosition, message: string) => void;
}

/** What is wrong with it is told at once, unless it was checked before: then it is compiled when first needed. */
export function conditionPredicate(
  condition: PolicyFileCondition,
  { target, context, report }: PredicateContext,
): RuleCondition {
  const compile = (): CompiledCondition => {
    const { tools, complete } = toolsForTarget(target, context.catalog);
    return compileCondition(condition.text, { tools, complete, facts: builtInFacts, tree: condition.tree });
  };
  let compiled: CompiledCondition | undefined;
  if (!context.alreadyChecked) {
    compiled = compile();
    for (const { severity, offset, message } of compiled.problems)
      report(severity, positionInCondition(condition, offset), message);
  }
  return (args, call, about) => {
    compiled ??= compile();
    return compiled.evaluate(args, call, about);
  };
}

/** The tools a rule can be about, and whether these are all. */
function toolsForTarget(
  target: Target,
  catalog: Catalog,
): { readonly tools: readonly ToolDeclaration[]; readonly complete: boolean } {
  if (target.type === 'tool') {
    const tool = catalog.resolveTool(target.server, target.tool);
    return { tools: tool === undefined ? [] : [tool], complete: tool !== undefined };
  }
  // A server may list others tomorrow, and nobody else knows all tools either.
  const tools = catalog.list().filter((tool) => target.type === 'all' || tool.server === target.server);
  return { tools, complete: false };
}
