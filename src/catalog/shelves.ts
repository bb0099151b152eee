/** Sorting declarations by server, and refusing what does not fit together: all problems at once. */

import { BridleError } from '../errors.ts';
import { grantProblems } from '../grant.ts';
import { defaultLimits } from '../limits.ts';
import type { ServerDeclaration, ToolDeclaration } from '../tool.ts';
import { flattenName, nameProblem, pairText, quoteName } from './names.ts';

/** The tools of one server, or the local ones. */
export interface Shelf {
  readonly tools: ReadonlyMap<string, ToolDeclaration>;
  readonly aliases: ReadonlyMap<string, string>;
  readonly hidden: ReadonlySet<string>;
}

/** One shelf for each server, and one under undefined for the local tools. */
export function buildShelves(
  tools: readonly ToolDeclaration[],
  servers: readonly ServerDeclaration[],
): ReadonlyMap<string | undefined, Shelf> {
  const problems: string[] = [];
  checkServers(servers, problems);
  const ofServer = new Map<string | undefined, ToolDeclaration[]>([[undefined, []]]);
  for (const server of servers) ofServer.set(server.name, []);
  for (const tool of tools) {
    const place = ofServer.get(tool.server);
    if (place !== undefined) place.push(tool);
    else
      problems.push(`tool ${quoteName(tool.name)} names the server ${quoteName(tool.server)}, which is not declared`);
  }
  const shelves = new Map<string | undefined, Shelf>();
  for (const [name, own] of ofServer) {
    const server = servers.find((each) => each.name === name);
    shelves.set(name, fill(own, server, problems));
  }
  checkFlatNames(shelves, problems);
  if (problems.length > 0) throw new BridleError('TOOL_INVALID', problems.join('; '), { problems });
  return shelves;
}

function checkServers(servers: readonly ServerDeclaration[], problems: string[]): void {
  const seen = new Set<string>();
  for (const { name, enabledTools, disabledTools } of servers) {
    const problem = nameProblem(name, defaultLimits.nameLength) ?? (name.includes('/') ? 'holds a "/"' : undefined);
    if (problem !== undefined) problems.push(`the server name ${quoteName(name)} ${problem}`);
    if (seen.has(name)) problems.push(`two servers are named ${quoteName(name)}`);
    seen.add(name);
    if (enabledTools !== undefined && disabledTools !== undefined) {
      problems.push(`server ${quoteName(name)} has both enabledTools and disabledTools`);
    }
  }
}

function fill(own: readonly ToolDeclaration[], server: ServerDeclaration | undefined, problems: string[]): Shelf {
  const tools = new Map<string, ToolDeclaration>();
  const aliases = new Map<string, string>();
  for (const tool of own) {
    const problem = toolProblem(tool);
    if (problem !== undefined) problems.push(problem);
    else if (tools.has(tool.name)) problems.push(`two tools are named ${quoteName(pairText(tool.server, tool.name))}`);
    else tools.set(tool.name, withServerPaths(tool, server));
  }
  for (const tool of tools.values()) {
    for (const alias of tool.aliases?.names ?? []) {
      const other = tools.has(alias) ? alias : aliases.get(alias);
      if (other !== undefined && other !== tool.name) {
        problems.push(`alias ${quoteName(alias)} of tool ${quoteName(tool.name)} means ${quoteName(other)} already`);
      } else aliases.set(alias, tool.name);
    }
  }
  return { tools, aliases, hidden: hiddenTools(tools, server) };
}

function toolProblem(tool: ToolDeclaration): string | undefined {
  if (typeof tool !== 'object' || tool === null) return `a tool declaration is ${String(tool)}, not an object`;
  const where = `the tool name ${quoteName(tool.name)}`;
  const problem = nameProblem(tool.name, defaultLimits.nameLength);
  if (problem !== undefined) return `${where} ${problem}`;
  if (tool.server === undefined && tool.name.includes('/')) return `${where} holds a "/", which means server/tool`;
  if (tool.tier !== undefined && tool.tier !== 'observe' && tool.tier !== 'confirm') {
    return `tool ${quoteName(tool.name)} has the tier ${quoteName(tool.tier)}; it is observe or confirm`;
  }
  if (tool.schema !== undefined && typeof tool.schema['~standard']?.validate !== 'function') {
    return `the schema of tool ${quoteName(tool.name)} is not a Standard Schema`;
  }
  const [grant] = grantProblems(tool.grant);
  return grant === undefined ? undefined : `tool ${quoteName(tool.name)}: ${grant}`;
}

function withServerPaths(tool: ToolDeclaration, server: ServerDeclaration | undefined): ToolDeclaration {
  const declared = server?.paths;
  const paths = declared !== undefined && Object.hasOwn(declared, tool.name) ? declared[tool.name] : undefined;
  return Object.freeze(paths === undefined ? { ...tool } : { ...tool, paths: [...(tool.paths ?? []), ...paths] });
}

function hiddenTools(tools: ReadonlyMap<string, unknown>, server: ServerDeclaration | undefined): ReadonlySet<string> {
  const { enabledTools, disabledTools } = server ?? {};
  if (enabledTools !== undefined) return new Set([...tools.keys()].filter((name) => !enabledTools.includes(name)));
  return new Set(disabledTools);
}

/** Two pairs that flatten to one name could be taken for each other at a wire. */
function checkFlatNames(shelves: ReadonlyMap<string | undefined, Shelf>, problems: string[]): void {
  const seen = new Map<string, string>();
  for (const [server, shelf] of shelves) {
    for (const name of shelf.tools.keys()) {
      const flat = server === undefined ? name : flattenName(server, name);
      const pair = pairText(server, name);
      const other = seen.get(flat);
      if (other !== undefined)
        problems.push(`${quoteName(other)} and ${quoteName(pair)} both flatten to ${quoteName(flat)}`);
      seen.set(flat, pair);
    }
  }
}
