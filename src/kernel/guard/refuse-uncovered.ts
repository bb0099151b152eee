/** Refuses tools with side effects that no rule and no hook with `gate: true` covers (G17, A02). */

import { listTools, pairText } from '../names.ts';
import { BridleError, type ErrorCode } from '../errors.ts';
import type { Hook } from '../hooks/registration/hook.ts';
import type { GuardPolicy } from '../policy/evaluator/policy.ts';
import type { ToolDeclaration } from '../tool.ts';

/** Returns a function that is true for a `confirm` tool that no rule and no hook with `gate: true` covers. */
export function uncoveredBy(
  policy: Pick<GuardPolicy, 'isUncovered'>,
  hooks: readonly Hook[],
): (tool: ToolDeclaration) => boolean {
  const gates = hooks.filter((hook) => hook.gate === true && typeof hook.preToolCall === 'function');
  return (tool) => tool.tier !== 'observe' && policy.isUncovered(tool) && !gates.some((hook) => isAbout(hook, tool));
}

/** A hook with `tools` covers only these. */
function isAbout({ tools }: Hook, { server, name }: ToolDeclaration): boolean {
  if (tools === undefined) return true;
  const about = ['*', pairText(server, name), ...(server === undefined ? [] : [`${server}/*`])];
  return tools.some((target) => about.includes(target));
}

/** Throws if there are uncovered tools. `ways` are additional ways to fix it, for the message. */
export function refuseUncovered(
  uncovered: readonly ToolDeclaration[],
  code: Extract<ErrorCode, 'AGENT_UNSAFE' | 'TOOL_UNCOVERED'>,
  ways: readonly string[] = [],
): void {
  if (uncovered.length === 0) return;
  const all = [
    'add a rule for them to "policy" (safeDefaults() asks before each call, forbid alone is not enough)',
    'declare tier: "observe" if they have no side effects',
    'set "default" for calls that no rule matches',
    'add a hook with gate: true and preToolCall',
    ...ways,
  ];
  throw new BridleError(
    code,
    `no rule covers ${listTools(uncovered, 20)}, which can have side effects. To fix this: ${all.join('; or ')}`,
  );
}
