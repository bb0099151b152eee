/** Starting is refused while a tool with side effects is covered by no rule (A02). */

import { refuseUncovered, uncoveredBy } from '../../kernel/guard/refuse-uncovered.ts';
import type { Hook } from '../../kernel/hooks/registration/hook.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import type { Assembly } from './assemble.ts';

/** True for a tool that some agent sees and nobody covers. */
export function uncoveredToolCheck(
  { options, hides, hiddenFrom, parts }: Assembly,
  hooks: readonly Hook[],
): (tool: ToolDeclaration) => boolean {
  if (options.default !== undefined) return () => false;
  const isUncovered = uncoveredBy(parts.guard.policy, hooks);
  const everyView = [hides, ...hiddenFrom.values()];
  return (tool) => isUncovered(tool) && everyView.some((hidden) => !hidden(tool));
}

/** Nothing with side effects runs because nobody thought of it. */
export function refuseUncoveredTools({ parts }: Assembly, isUncovered: (tool: ToolDeclaration) => boolean): void {
  refuseUncovered(parts.guard.tools.filter(isUncovered), 'AGENT_UNSAFE', ['hide them with "capabilities"']);
}
