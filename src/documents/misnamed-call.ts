import { argumentNames } from '../catalog/arguments.ts';
import { meant, quoteName } from '../catalog/names.ts';
import { isJsonObject, type JsonValue } from '../json.ts';
import type { CheckRequest, LoadedPolicy } from './loaded-policy.ts';
import { covers, type RuleBook } from './rule-book.ts';

/**
 * What a call names that nothing bears, where that is most likely a slip: such a call falls to a default, and a test of
 * it would pass without testing anything.
 */
export function misnamed(
  { tool: name, server, args }: CheckRequest,
  { catalog, tools, servers }: LoadedPolicy,
  book: RuleBook,
): string | undefined {
  const { tool } = catalog.find(server, name);
  const own = tools.filter((each) => each.server === server);
  const isDeclared = own.some((each) => each.name === tool?.name);
  const isInRules = book.entries.some(({ target }) => target.type === 'tool' && covers(target, server, name));
  if (!isDeclared && !isInRules) {
    const names = own.flatMap((each) => [each.name, ...(each.aliases?.names ?? [])]);
    const homes = servers.map((each) => each.name);
    const inHome = server === undefined || homes.includes(server);
    const hint = inHome ? meant(name, names) : meant(server, homes);
    if (hint !== '') return `no ${inHome ? 'tool' : 'server'} is named ${quoteName(inHome ? name : server)}${hint}`;
  }
  const known = tool === undefined ? undefined : argumentNames(tool);
  if (known === undefined || args === undefined || !isJsonObject(args as JsonValue)) return undefined;
  const unknown = Object.keys(args as object).find((each) => !known.has(each));
  return unknown === undefined
    ? undefined
    : `${quoteName(name)} has no argument ${quoteName(unknown)}${meant(unknown, known) || '.'}`;
}
