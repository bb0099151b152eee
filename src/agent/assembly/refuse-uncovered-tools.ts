/** Refuses to start an agent if no rule or hook covers a tool with side effects (A02). */

import { refuseUncovered, uncoveredBy } from '../../kernel/guard/refuse-uncovered.ts';
import type { Hook } from '../../kernel/hooks/registration/hook.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import type { Assembly } from './assemble.ts';

/** True for a tool with side effects that the agent or a subagent can see and that no rule or hook covers. */
export function uncoveredToolCheck(
  { options, hides, hiddenFrom, parts }: Assembly,
  hooks: readonly Hook[],
): (tool: ToolDeclaration) => boolean {
  if (options.default !== undefined) return () => false;
  const isUncovered = uncoveredBy(parts.guard.policy, hooks);
  const everyView = [hides, ...hiddenFrom.values()];
  return (tool) => isUncovered(tool) && everyView.some((hidden) => !hidden(tool));
}

/** Fails if a tool is uncovered, so that no tool with side effects runs by oversight. */
export function refuseUncoveredTools({ parts }: Assembly, isUncovered: (tool: ToolDeclaration) => boolean): void {
  refuseUncovered(parts.guard.tools.filter(isUncovered), 'AGENT_UNSAFE', ['hide them with "capabilities"']);
}
