/** Starting is refused while a rule that holds back, or a hook, is about a tool that does not exist: it would do nothing. */

import { didYouMean, quoteName } from '../../kernel/names.ts';
import { BridleError } from '../../kernel/errors.ts';
import type { Guard } from '../../kernel/guard/guard.ts';
import type { Hook } from '../../kernel/hooks/registration/hook.ts';
import type { GuardPolicy } from '../../kernel/policy/evaluator/policy.ts';
import { parseTarget } from '../../kernel/policy/rules/target.ts';

/** The names of tools by server; undefined for the local ones. */
export type KnownTools = ReadonlyMap<string | undefined, ReadonlySet<string>>;

/** What servers have, and the tools of the agent itself. */
export function knownToolsOf({ tools }: Pick<Guard, 'tools'>, ofServers: KnownTools): KnownTools {
  const local = tools.flatMap(({ server, name }) => (server === undefined ? [name] : []));
  return new Map([...ofServers, [undefined, new Set(local)] as const]);
}

/** Rules for local tools were checked when the agent was put together; what servers have is known only now. */
export function refuseUnknownTools(
  policies: readonly Pick<GuardPolicy, 'rules'>[],
  hooks: readonly Hook[],
  known: KnownTools,
): void {
  // An allow that names nothing opens nothing, so it is told as a warning; so is what a file says.
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
  // A server that lists nothing now may do so later.
  if (target.type === 'server' || tools.has(target.tool) || (target.server !== undefined && tools.size === 0))
    return [];
  return [`${who}: no tool is named ${quoteName(target.tool)}${where}${didYouMean(target.tool, tools)}`];
}
