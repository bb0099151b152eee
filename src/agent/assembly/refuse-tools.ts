/**
 * Refuses to start an agent if a restricting rule or a hook names a tool that does not exist, because it would have no
 * effect, and if no rule or hook covers a tool with side effects (A02).
 */

import { didYouMean, quoteName } from '../../kernel/names.ts';
import { BridleError } from '../../kernel/errors.ts';
import type { Guard } from '../../kernel/guard/guard.ts';
import type { Hook } from '../../kernel/hooks/registration/hook.ts';
import type { GuardPolicy } from '../../kernel/policy/evaluator/policy.ts';
import { parseTarget } from '../../kernel/policy/rules/target.ts';
import { refuseUncovered, uncoveredBy } from '../../kernel/guard/refuse-uncovered.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import type { Assembly } from './assemble.ts';

/** Tool names by server; the key is undefined for local tools. */
export type KnownTools = ReadonlyMap<string | undefined, ReadonlySet<string>>;

/** The tools of all servers and the local tools. */
export function knownToolsOf({ tools }: Pick<Guard, 'tools'>, ofServers: KnownTools): KnownTools {
  const local = tools.flatMap(({ server, name }) => (server === undefined ? [name] : []));
  return new Map([...ofServers, [undefined, new Set(local)] as const]);
}

/** Rules for local tools are checked when the agent is created. The tools of servers are known only now. */
export function refuseUnknownTools(
  policies: readonly Pick<GuardPolicy, 'rules'>[],
  hooks: readonly Hook[],
  known: KnownTools,
): void {
  // An allow rule for an unknown tool is harmless, so it only causes a warning. So does any rule in a policy file.
  const all = policies.flatMap(({ rules }) => rules);
  const rules = all.filter(({ effect, target, at }) => effect !== 'allow' && at === undefined && target.includes('/'));
  const problems = [
    ...rules.flatMap(({ name, target }) => problemsOf(`rule "${name}"`, target, known)),
    ...hooks.flatMap(({ name, tools = [] }) => tools.flatMap((each) => problemsOf(`hook "${name}"`, each, known))),
  ];
  if (problems.length > 0) throw new BridleError('POLICY_INVALID', problems.join('; '), { problems });
}

function problemsOf(who: string, text: string, known: KnownTools): readonly string[] {
  const target = parseTarget(text);
  if (target.type === 'all') return [];
  const tools = known.get(target.server);
  const where = target.server === undefined ? '' : ` on server ${quoteName(target.server)}`;
  if (tools === undefined) return [`${who}: no server is named ${quoteName(target.server)}`];
  // A server without tools may list some later.
  if (target.type === 'server' || tools.has(target.tool) || (target.server !== undefined && tools.size === 0))
    return [];
  return [`${who}: no tool is named ${quoteName(target.tool)}${where}${didYouMean(target.tool, tools)}`];
}

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
