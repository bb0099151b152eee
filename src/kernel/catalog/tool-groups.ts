/** Groups declarations by server and refuses contradictory ones, with all problems in one error. */

import { throwProblems } from '../errors.ts';
import type { ServerDeclaration, ToolDeclaration } from '../tool.ts';
import { flattenName, pairText, quoteName } from '../names.ts';

/** The tools of one server, or the local ones. */
export interface ToolGroup {
  readonly tools: ReadonlyMap<string, ToolDeclaration>;
  readonly aliases: ReadonlyMap<string, string>;
  readonly hidden: ReadonlySet<string>;
}

/** One group for each server, and one under undefined for the local tools. Expects checked, frozen declarations. */
export function groupTools(
  tools: readonly ToolDeclaration[],
  servers: readonly ServerDeclaration[],
  problems: string[],
): ReadonlyMap<string | undefined, ToolGroup> {
  const ofServer = new Map<string | undefined, ToolDeclaration[]>([[undefined, []]]);
  for (const { name } of servers) {
    if (ofServer.has(name)) problems.push(`two servers are named ${quoteName(name)}`);
    ofServer.set(name, []);
  }
  for (const tool of tools) {
    const place = ofServer.get(tool.server);
    if (place !== undefined) place.push(tool);
    else
      problems.push(`tool ${quoteName(tool.name)} names the server ${quoteName(tool.server)}, which is not declared`);
  }
  throwProblems('TOOL_INVALID', problems);
  const groups = new Map<string | undefined, ToolGroup>();
  for (const [name, own] of ofServer) {
    groups.set(name, fill(own, servers.find((server) => server.name === name) ?? {}, problems));
  }
  checkFlatNames(groups, problems);
  throwProblems('TOOL_INVALID', problems);
  return groups;
}

function fill(own: readonly ToolDeclaration[], server: Partial<ServerDeclaration>, problems: string[]): ToolGroup {
  const tools = new Map<string, ToolDeclaration>();
  const aliases = new Map<string, string>();
  for (const tool of own) {
    if (tools.has(tool.name)) problems.push(`two tools are named ${quoteName(pairText(tool.server, tool.name))}`);
    else tools.set(tool.name, tool);
  }
  for (const tool of tools.values()) {
    for (const alias of tool.aliases?.names ?? []) {
      const other = tools.has(alias) ? alias : aliases.get(alias);
      if (other !== undefined && other !== tool.name) {
        problems.push(`alias ${quoteName(alias)} of tool ${quoteName(tool.name)} means ${quoteName(other)} already`);
      } else aliases.set(alias, tool.name);
    }
  }
  const canonical = (name: string): string => (tools.has(name) ? name : (aliases.get(name) ?? name));
  const enabled = server.enabledTools?.map(canonical);
  const disabled = server.disabledTools?.map(canonical);
  const isHidden = (name: string): boolean => enabled?.includes(name) === false || disabled?.includes(name) === true;
  return { tools, aliases, hidden: new Set([...tools.keys()].filter(isHidden)) };
}

/** Two pairs with the same flat name, aliases included, could be confused by a protocol that uses flat names. */
function checkFlatNames(groups: ReadonlyMap<string | undefined, ToolGroup>, problems: string[]): void {
  const seen = new Map<string, string>();
  for (const [server, { tools, aliases }] of groups) {
    for (const name of new Set([...tools.keys(), ...aliases.keys()])) {
      const flat = server === undefined ? name : flattenName(server, name);
      const pair = pairText(server, name);
      const other = seen.get(flat);
      if (other !== undefined)
        problems.push(`${quoteName(other)} and ${quoteName(pair)} both flatten to ${quoteName(flat)}`);
      seen.set(flat, pair);
    }
  }
}
