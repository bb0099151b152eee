/**
 * All tools and their declarations. A tool is found only by its exact pair (server, name) or by an alias that it declares.
 * Hidden tools are not listed and not found.
 */

import { BridleError, throwProblems } from '../errors.ts';
import type { ServerDeclaration, ToolDeclaration } from '../tool.ts';
import { declaredFields, freezeServer, freezeTool } from './read-declaration.ts';
import { didYouMean, flattenName, nameProblem, pairText, pollutedFields, quoteName } from '../names.ts';

export type ToolLookup =
  | { readonly tool: ToolDeclaration; readonly problem?: undefined }
  // A function, because comparing names is slow and many lookups only ask whether a tool exists.
  | { readonly tool?: undefined; readonly problem: () => string };

export interface ToolFinder {
  find(server: string | undefined, name: string): ToolLookup;
}

export interface ToolView extends ToolFinder {
  list(): readonly ToolDeclaration[];
}

/** A view without the tools for which `hides` returns true. */
export function hideTools(view: ToolView, hides: (tool: ToolDeclaration) => boolean): ToolView {
  return {
    list: () => view.list().filter((tool) => !hides(tool)),
    find(server, name) {
      const found = view.find(server, name);
      if (found.tool === undefined || !hides(found.tool)) return found;
      return { problem: () => `Unknown tool ${quoteName(pairText(server, name))}.` };
    },
  };
}

/** For policies compiled without a list of tools: every well-formed name counts as a tool without declarations. */
export const anyTool: ToolFinder = {
  find(server, name) {
    for (const each of server === undefined ? [name] : [server, name]) {
      const problem = nameProblem(each);
      if (problem !== undefined) return { problem: () => `The name ${quoteName(each)} ${problem}.` };
    }
    return { tool: { name, server } };
  },
};

/** The tools of one server, or the local ones. */
interface ToolGroup {
  /** By name and alias, including hidden tools. */
  readonly byName: ReadonlyMap<string, ToolDeclaration>;
  /** The tools that a model may see. */
  readonly visible: ReadonlySet<ToolDeclaration>;
}

type ToolGroups = ReadonlyMap<string | undefined, ToolGroup>;

export class Catalog implements ToolView {
  private readonly declaredServers: readonly ServerDeclaration[];
  private tools: readonly ToolDeclaration[];
  private groups: ToolGroups;

  constructor(tools: readonly ToolDeclaration[], servers: readonly ServerDeclaration[]) {
    const problems = pollutedFields(declaredFields);
    this.declaredServers = Array.from(servers, (server) => freezeServer(server, problems));
    const byName = new Map(this.declaredServers.map((server) => [server.name, server]));
    this.tools = Array.from(tools, (tool) => freezeTool(tool, byName.get(tool?.server ?? ''), problems));
    this.groups = groupTools(this.tools, this.declaredServers, problems);
  }

  get servers(): readonly string[] {
    return this.declaredServers.map((server) => server.name);
  }

  /** Every tool that a model may see. */
  list(): readonly ToolDeclaration[] {
    return [...this.groups.values()].flatMap(({ visible }) => [...visible]);
  }

  /** Replaces the tools of a server, all or none. `check` gets the visible ones and throws to refuse the new list. */
  replaceServerTools(
    server: string,
    tools: readonly ToolDeclaration[],
    check: (listed: readonly ToolDeclaration[]) => void = () => undefined,
  ): void {
    const declared = this.declaredServers.find(({ name }) => name === server);
    if (declared === undefined) throw new BridleError('TOOL_INVALID', `no server is named ${quoteName(server)}`);
    const problems: string[] = [];
    const listed = Array.from(tools, (tool) => freezeTool(tool, declared, problems));
    const next = [...this.tools.filter((tool) => tool.server !== server), ...listed];
    const groups = groupTools(next, this.declaredServers, problems);
    check([...(groups.get(server)?.visible ?? [])]);
    this.groups = groups;
    this.tools = next;
  }

  find(server: string | undefined, name: string): ToolLookup {
    const group = this.groups.get(server);
    if (group === undefined)
      return { problem: () => `Unknown server ${quoteName(server)}${didYouMean(server ?? '', this.servers) || '.'}` };
    const tool = group.byName.get(name);
    if (tool !== undefined && group.visible.has(tool)) return { tool };
    const where = (): string => (server === undefined ? '' : ` on server ${quoteName(server)}`);
    const known = (): readonly string[] => Array.from(group.visible, (each) => each.name);
    return { problem: () => `Unknown tool ${quoteName(name)}${where()}${didYouMean(name, known()) || '.'}` };
  }

  /** The declared tool with this name or alias, including hidden tools. */
  resolveTool(server: string | undefined, name: string): ToolDeclaration | undefined {
    return this.groups.get(server)?.byName.get(name);
  }

  /** Warnings about names in a server's configuration that match none of its tools and so have no effect. */
  serverWarnings(): readonly string[] {
    return this.declaredServers.flatMap(({ name, enabledTools = [], disabledTools = [], paths = {}, touches = {} }) => {
      const known = this.knownNames(name);
      const given = Object.entries({ enabledTools, disabledTools, paths: Object.keys({ ...paths, ...touches }) });
      return given.flatMap(([field, tools]) =>
        tools
          // A server that has not listed its tools yet may have them.
          .filter((tool) => known.length > 0 && !known.includes(tool))
          .map((tool) => `${quoteName(tool)}, which it does not have${didYouMean(tool, known)}`)
          .map((which) => `server ${quoteName(name)}: ${field} names ${which}`),
      );
    });
  }

  /** Tool names and aliases of a server, or of the local tools, to suggest for an unknown target. */
  knownNames(server: string | undefined): readonly string[] {
    return [...(this.groups.get(server)?.byName.keys() ?? [])];
  }
}

/**
 * One group for each server, and one under undefined for the local tools. Refuses contradictory declarations, with all
 * problems in one error.
 */
function groupTools(
  tools: readonly ToolDeclaration[],
  servers: readonly ServerDeclaration[],
  problems: string[],
): ToolGroups {
  const ofServer = new Map<string | undefined, ToolDeclaration[]>([[undefined, []]]);
  for (const { name } of servers) {
    if (ofServer.has(name)) problems.push(`two servers are named ${quoteName(name)}`);
    ofServer.set(name, []);
  }
  for (const tool of tools) {
    const group = ofServer.get(tool.server);
    if (group !== undefined) group.push(tool);
    else
      problems.push(`tool ${quoteName(tool.name)} names the server ${quoteName(tool.server)}, which is not declared`);
  }
  throwProblems('TOOL_INVALID', problems);
  const configured = new Map(servers.map((server) => [server.name as string | undefined, server]));
  const groups = new Map(
    Array.from(ofServer, ([name, own]) => [name, toolGroup(own, configured.get(name) ?? {}, problems)]),
  );
  checkFlatNames(groups, problems);
  throwProblems('TOOL_INVALID', problems);
  return groups;
}

function toolGroup(
  tools: readonly ToolDeclaration[],
  { enabledTools, disabledTools }: Partial<ServerDeclaration>,
  problems: string[],
): ToolGroup {
  const byName = new Map<string, ToolDeclaration>();
  for (const tool of tools) {
    if (byName.has(tool.name)) problems.push(`two tools are named ${quoteName(pairText(tool.server, tool.name))}`);
    else byName.set(tool.name, tool);
  }
  for (const tool of tools) {
    for (const alias of tool.aliases?.names ?? []) {
      const other = byName.get(alias) ?? tool;
      if (other === tool) byName.set(alias, tool);
      else
        problems.push(
          `alias ${quoteName(alias)} of tool ${quoteName(tool.name)} means ${quoteName(other.name)} already`,
        );
    }
  }
  const enabled = enabledTools && new Set(enabledTools.map((name) => byName.get(name)));
  const disabled = new Set(disabledTools?.map((name) => byName.get(name)));
  const isVisible = (tool: ToolDeclaration): boolean => enabled?.has(tool) !== false && !disabled.has(tool);
  return { byName, visible: new Set(tools.filter(isVisible)) };
}

/** Two pairs with the same flat name, aliases included, could be confused by a protocol that uses flat names. */
function checkFlatNames(groups: ToolGroups, problems: string[]): void {
  const seen = new Map<string, string>();
  for (const [server, { byName }] of groups) {
    for (const name of byName.keys()) {
      const flat = server === undefined ? name : flattenName(server, name);
      const pair = pairText(server, name);
      const other = seen.get(flat);
      if (other !== undefined)
        problems.push(`${quoteName(other)} and ${quoteName(pair)} both flatten to ${quoteName(flat)}`);
      seen.set(flat, pair);
    }
  }
}
