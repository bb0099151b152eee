import { argumentNames } from '../../kernel/catalog/argument-aliases.ts';
import { didYouMean, quoteName } from '../../kernel/names.ts';
import { isJsonObject, type JsonValue } from '../../kernel/json.ts';
import type { CheckRequest, LoadedPolicy } from '../loaded-policy.ts';
import { targetCovers, type PolicyRules } from '../policy-rules.ts';

/**
 * Describes a tool, server or argument of a call that does not exist and is probably misspelled. The default would
 * decide such a call, and a test of it would pass without testing anything.
 */
export function misnamedProblem(
  { tool: name, server, args }: CheckRequest,
  { catalog, tools, servers }: LoadedPolicy,
  policyRules: PolicyRules,
): string | undefined {
  const { tool } = catalog.find(server, name);
  const own = tools.filter((each) => each.server === server);
  const isDeclared = own.some((each) => each.name === tool?.name);
  const isInRules = policyRules.entries.some(
    ({ target }) => target.type === 'tool' && targetCovers(target, server, name),
  );
  if (!isDeclared && !isInRules) {
    const names = own.flatMap((each) => [each.name, ...(each.aliases?.names ?? [])]);
    const serverNames = servers.map((each) => each.name);
    const isServerKnown = server === undefined || serverNames.includes(server);
    const hint = isServerKnown ? didYouMean(name, names) : didYouMean(server, serverNames);
    if (hint !== '')
      return `no ${isServerKnown ? 'tool' : 'server'} is named ${quoteName(isServerKnown ? name : server)}${hint}`;
  }
  const known = tool === undefined ? undefined : argumentNames(tool);
  if (known === undefined || args === undefined || !isJsonObject(args as JsonValue)) return undefined;
  const unknown = Object.keys(args as object).find((each) => !known.has(each));
  return unknown === undefined
    ? undefined
    : `${quoteName(name)} has no argument ${quoteName(unknown)}${didYouMean(unknown, known) || '.'}`;
}
