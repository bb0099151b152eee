/** The condition of a rule in a file as a predicate of the engine. */

import type { Catalog } from '../catalog/catalog.ts';
import type { Target, When } from '../policy/rule.ts';
import type { ToolDeclaration } from '../tool.ts';
import { compileCondition, type CompiledCondition } from './cel/compile-condition.ts';
import { celFacts } from './cel-facts.ts';
import type { LayerSurroundings } from './layer-surroundings.ts';
import type { DocumentCondition, Place } from './document.ts';
import { placeIn } from './place-in.ts';

interface ConditionParts {
  readonly target: Target;
  readonly around: LayerSurroundings;
  readonly tell: (severity: 'error' | 'warning', at: Place, message: string) => void;
}

/** What is wrong with it is told at once, unless it was checked before: then it is compiled when first needed. */
export function conditionFor(condition: DocumentCondition, { target, around, tell }: ConditionParts): When {
  const compile = (): CompiledCondition => {
    const { tools, complete } = toolsOf(target, around.catalog);
    return compileCondition(condition.text, { tools, complete, facts: celFacts, tree: condition.tree });
  };
  let compiled: CompiledCondition | undefined;
  if (!around.checked) {
    compiled = compile();
    for (const { severity, offset, message } of compiled.problems) tell(severity, placeIn(condition, offset), message);
  }
  return (args, call, about) => {
    compiled ??= compile();
    return compiled.evaluate(args, call, about);
  };
}

/** The tools a rule can be about, and whether these are all. */
function toolsOf(
  target: Target,
  catalog: Catalog,
): { readonly tools: readonly ToolDeclaration[]; readonly complete: boolean } {
  if (target.type === 'tool') {
    const tool = catalog.canonical(target.server, target.tool);
    return { tools: tool === undefined ? [] : [tool], complete: tool !== undefined };
  }
  // A server may list others tomorrow, and nobody else knows all tools either.
  const tools = catalog.list().filter((tool) => target.type === 'all' || tool.server === target.server);
  return { tools, complete: false };
}
