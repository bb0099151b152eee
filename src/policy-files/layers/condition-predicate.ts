/** Compiles the condition of a rule to a predicate of the policy engine. */

import type { Catalog } from '../../kernel/catalog/catalog.ts';
import type { Target, RuleCondition } from '../../kernel/policy/rules/rule.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { compileCondition, type CompiledCondition } from '../cel/compile-condition.ts';
import { builtInFacts } from '../cel/built-in-facts.ts';
import type { CompileContext } from './compile-context.ts';
import type { PolicyFileCondition, FilePosition } from '../policy-file.ts';
import { positionInCondition } from '../read/shapes/condition.ts';

interface PredicateContext {
  readonly target: Target;
  readonly context: CompileContext;
  readonly report: (severity: 'error' | 'warning', at: FilePosition, message: string) => void;
}

/** Reports problems immediately. A condition that was checked before is compiled on first use. */
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

/** The known tools a rule can apply to, and whether the list is complete. */
function toolsForTarget(
  target: Target,
  catalog: Catalog,
): { readonly tools: readonly ToolDeclaration[]; readonly complete: boolean } {
  if (target.type === 'tool') {
    const tool = catalog.resolveTool(target.server, target.tool);
    return { tools: tool === undefined ? [] : [tool], complete: tool !== undefined };
  }
  // A server may add tools later, and the list of all tools is never complete.
  const tools = catalog.list().filter((tool) => target.type === 'all' || tool.server === target.server);
  return { tools, complete: false };
}
