/** Starting is refused while a tool with side effects is covered by no rule. */

import { pairText, quoteName } from '../catalog/names.ts';
import { BridleError } from '../errors.ts';
import type { Hook } from '../hooks/hook.ts';
import type { ToolDeclaration } from '../tool.ts';
import type { Assembly } from './assemble.ts';

/** Tells of a tool whether it has side effects, somebody sees it, and nobody said what happens to its calls. */
export function uncoveredIn(
  { options, hides, hiddenFrom, ownPolicy }: Assembly,
  hooks: readonly Hook[],
): (tool: ToolDeclaration) => boolean {
  if (options.default !== undefined) return () => false;
  const gates = hooks.filter((hook) => hook.gate === true && typeof hook.preToolCall === 'function');
  const everyView = [hides, ...hiddenFrom.values()];
  return (tool) =>
    tool.tier !== 'observe' &&
    ownPolicy.isUncovered(tool) &&
    !gates.some((gate) => isAbout(gate, tool)) &&
    everyView.some((hidden) => !hidden(tool));
}

/** A gate that names its tools looks at no others. */
function isAbout({ tools }: Hook, { server, name }: ToolDeclaration): boolean {
  if (tools === undefined) return true;
  const about = ['*', pairText(server, name), ...(server === undefined ? [] : [`${server}/*`])];
  return tools.some((target) => about.includes(target));
}

/** Nothing with side effects runs because nobody thought of it. */
export function refuseUncovered({ parts }: Assembly, isUncovered: (tool: ToolDeclaration) => boolean): void {
  const open = parts.guard.tools.filter(isUncovered);
  if (open.length === 0) return;
  const names = open.map(({ server, name }) => quoteName(pairText(server, name)));
  const message =
    `no rule is about ${names.slice(0, 20).join(', ')}${names.length > 20 ? ` and ${names.length - 20} more` : ''}, ` +
    'which can have side effects: give rules in "policy" (safeDefaults() asks about all of them), hide them with ' +
    '"capabilities", or say with "default" what happens to calls no rule is about';
  throw new BridleError('AGENT_UNSAFE', message);
}
