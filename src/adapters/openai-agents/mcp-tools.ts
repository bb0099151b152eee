/** The tools of an agent's MCP servers. The SDK does not say which server a tool comes from, so each server is asked alone. */

import { BridleError } from '../../kernel/errors.ts';
import type { McpServer, NativeAgent, NativeTool, RunContext } from './agents-sdk.ts';

/** Where a tool comes from, by the server's own names. */
export interface McpOrigin {
  readonly server: string;
  readonly name: string;
}

/** The SDK's `getMcpTools`. */
export type ListMcpTools = (this: object, runContext: RunContext, tracingParent?: unknown) => Promise<NativeTool[]>;

/** Lists the tools as the SDK's `getMcpTools` does, and notes their origins. */
export async function listMcpTools(
  agent: NativeAgent,
  list: (from: object) => Promise<NativeTool[]>,
  origins: WeakMap<object, McpOrigin>,
): Promise<NativeTool[]> {
  const listings = (agent.mcpServers as readonly McpServer[]).map((server) => new ServerListing(server));
  const byServer: { readonly origin: McpOrigin; readonly tool: NativeTool }[] = [];
  for (const listing of listings) {
    const tools = await list(withServers(agent, [listing], { ...agent.mcpConfig, includeServerInToolNames: false }));
    for (const tool of tools) byServer.push({ tool, origin: await listing.originOf(tool.name) });
  }
  const isUnique = new Set(byServer.map(({ tool }) => tool.name)).size === byServer.length;
  // With server names in the tool names, or with a clash, the SDK chooses the names, or refuses.
  const isPlain = isUnique && agent.mcpConfig?.includeServerInToolNames !== true;
  const tools = isPlain
    ? byServer.map(({ tool }) => tool)
    : await list(withServers(agent, listings, agent.mcpConfig ?? {}));
  if (tools.length !== byServer.length) {
    throw new BridleError('TOOL_INVALID', 'the tools of the MCP servers changed while they were listed');
  }
  for (const [index, { origin }] of byServer.entries()) origins.set(tools[index] as NativeTool, origin);
  return tools;
}

function withServers(agent: NativeAgent, listings: readonly ServerListing[], mcpConfig: object): object {
  const mcpServers = listings.map(({ server }) => server);
  return Object.create(agent, { mcpServers: { value: mcpServers }, mcpConfig: { value: mcpConfig } }) as object;
}

/** A server that lists its tools once, so that all lists have the same order. */
class ServerListing {
  readonly server: McpServer;
  private listed: Promise<readonly { readonly name: string }[]> | undefined;

  constructor(private readonly given: McpServer) {
    this.server = new Proxy(given, {
      get: (target, key) => {
        if (key === 'listTools') return () => this.list();
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  }

  /** The server's own name of a tool. The SDK replaces characters in it. */
  async originOf(tool: string): Promise<McpOrigin> {
    const names = (await this.list()).map(({ name }) => name);
    const replaced = names.filter((name) => name.replaceAll(/[^a-zA-Z0-9]/g, '_') === tool);
    const name = names.includes(tool) ? tool : (replaced[0] ?? tool);
    return { server: this.given.name, name };
  }

  private list(): Promise<readonly { readonly name: string }[]> {
    return (this.listed ??= this.given.listTools());
  }
}
