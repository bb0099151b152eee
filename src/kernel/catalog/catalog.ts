/**
 * All tools and their declarations. A tool is found only by its exact pair (server, name) or by an alias that it declares.
 * Hidden tools are not listed and not found.
 */

import { BridleError } from '../errors.ts';
import type { ServerDeclaration, ToolDeclaration } from '../tool.ts';
import { declaredFields, freezeServer, freezeTool } from './read-declaration.ts';
import { didYouMean, nameProblem, pairText, pollutedFields, quoteName } from '../names.ts';
import { groupTools, type ToolGroup } from './tool-groups.ts';

export type ToolLookup =
  | { readonly tool: ToolDeclaration; readonly problem?: undefined }
  | { readonly tool?: undefined; readonly problem: string };

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
      return { problem: `Unknown tool ${quoteName(pairText(server, name))}.` };
    },
  };
}

/** For policies compiled without a list of tools: every well-formed name counts as a tool without declarations. */
export const anyTool: ToolFinder = {
  find(server, name) {
    for (const each of server === undefined ? [name] : [server, name]) {
      const problem = nameProblem(each);
      if (problem !== undefined) return { problem: `The name ${quoteName(each)} ${problem}.` };
    }
    return { tool: { name, server } };
  },
};

export class Catalog implements ToolView {
  private readonly declaredServers: readonly ServerDeclaration[];
  private tools: readonly ToolDeclaration[];
  private groups: ReadonlyMap<string | undefined, ToolGroup>;

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
    return [...this.groups.values()].flatMap((group) =>
      [...group.tools.values()].filter((tool) => !group.hidden.has(tool.name)),
    );
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
    check(listed.filter(({ name }) => groups.get(server)?.hidden.has(name) !== true));
    this.groups = groups;
    this.tools = next;
  }

  find(server: string | undefined, name: string): ToolLookup {
    const group = this.groups.get(server);
    if (group === undefined)
      return { problem: `Unknown server ${quoteName(server)}${didYouMean(server ?? '', this.servers) || '.'}` };
    const tool = lookUp(group, name);
    if (tool !== undefined && !group.hidden.has(tool.name)) return { tool };
    const visible = [...group.tools.keys()].filter((each) => !group.hidden.has(each));
    const where = server === undefined ? '' : ` on server ${quoteName(server)}`;
    return { problem: `Unknown tool ${quoteName(name)}${where}${didYouMean(name, visible) || '.'}` };
  }

  /** The declared tool with this name or alias, including hidden tools. */
  resolveTool(server: string | undefined, name: string): ToolDeclaration | undefined {
    const group = this.groups.get(server);
    return group && lookUp(group, name);
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
    const group = this.groups.get(server);
    return group === undefined ? [] : [...group.tools.keys(), ...group.aliases.keys()];
  }
}

function lookUp({ tools, aliases }: ToolGroup, name: string): ToolDeclaration | undefined {
  return tools.get(name) ?? tools.get(aliases.get(name) ?? '');
}
