/** Connects and closes the MCP servers of an agent, and passes their current tools to the guard. */

import { quoteName } from '../../kernel/names.ts';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import type { Guard } from '../../kernel/guard/guard.ts';
import type { EventBody } from '../../kernel/hooks/points/events.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { connectServer } from '../../mcp/connect-server.ts';
import type { McpConnection } from '../../mcp/mcp-connection.ts';
import type { Pins } from '../../mcp/pins/pins.ts';
import type { McpServerConfig } from '../../mcp/protocol/server-config.ts';
import { forbid } from '../../kernel/policy/rules/builders.ts';
import type { Rule } from '../../kernel/policy/rules/rule.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { toStandardSchema } from '../../tools/json-schema/standard-schema.ts';
import type { RunnableTool, ToolContext } from '../../tools/definition/runnable-tool.ts';
import type { ToolRegistry } from '../model/tool-registry.ts';

type StatusEvent = Extract<EventBody, { type: 'server_status' }>;

export interface McpServersContext {
  readonly guard: Guard;
  readonly toolRegistry: ToolRegistry;
  readonly pins: Pins;
  readonly emit: (event: StatusEvent) => void;
  /** True for a tool that must not be added while the agent runs, because no rule covers it. */
  readonly isExcluded: (tool: ToolDeclaration) => boolean;
}

/** Rules that deny every tool that has changed since it was pinned. No other rule can allow it. */
export function pinRules(configs: readonly McpServerConfig[], pins: Pins): readonly Rule[] {
  return configs.map(({ name }) =>
    forbid(`${name}/*`, {
      name: `changed_since_pinned_${name}`,
      when: (_args, call) => pins.isHeld(name, call.tool),
      reason: (call) => pins.whyHeld(name, call.tool) ?? 'The tool has changed since it was pinned.',
    }),
  );
}

export class McpServers {
  private readonly connections: McpConnection[] = [];
  private closing: Promise<void> | undefined;

  constructor(private readonly context: McpServersContext) {}

  get warnings(): readonly string[] {
    const own = this.connections.flatMap(({ server, warnings }) =>
      warnings.map((text) => `server "${server}": ${text}`),
    );
    const held = this.context.pins.held().map(({ server, tool, changes, hash }) => {
      const accept = `agent.pins.accept(${JSON.stringify(server)}, ${JSON.stringify(tool)}, ${JSON.stringify(hash)})`;
      return `server "${server}": tool "${tool}" is on hold because it has changed (${changes.join('; ')}); review it, then accept it with ${accept}`;
    });
    return [...own, ...held];
  }

  /** The names of the tools that each server lists, including hidden ones. */
  get knownTools(): ReadonlyMap<string, ReadonlySet<string>> {
    return new Map(
      this.connections.map(({ server, declarations }) => [server, new Set(declarations.map(({ name }) => name))]),
    );
  }

  /** Connects all servers. If one fails, closes the others. */
  async connect(configs: readonly McpServerConfig[]): Promise<void> {
    const results = await Promise.allSettled(configs.map((config) => this.connectOne(config)));
    const errors = results.filter((each) => each.status === 'rejected').map(({ reason }) => reason as unknown);
    if (errors.length === 0) return;
    await this.close();
    const missing = errors.find((error) => error instanceof BridleError && error.code === 'PACKAGE_MISSING');
    if (errors.length === 1 || missing !== undefined) throw missing ?? errors[0];
    const problems = errors.map(messageOf);
    throw new BridleError('MCP_SERVER_FAILED', problems.join('; '), { cause: errors[0], problems });
  }

  close(): Promise<void> {
    this.closing ??= Promise.allSettled(this.connections.map((each) => each.close())).then(() => undefined);
    return this.closing;
  }

  private async connectOne(config: McpServerConfig): Promise<void> {
    const { pins, emit } = this.context;
    const server = config.name;
    const connection = await connectServer(config, {
      pins,
      toSchema: (schema: JsonObject) => toStandardSchema(schema),
      onToolsChanged: (changed) => this.updateTools(changed),
      onLost: (message) => emit({ type: 'server_status', server, status: 'lost', message }),
      onReconnected: () => emit({ type: 'server_status', server, status: 'connected', message: 'reconnected' }),
      onWarning: (message) => emit({ type: 'server_status', server, status: 'changed', message }),
    });
    this.connections.push(connection);
    this.registerTools(connection);
  }

  /** An invalid tool list is refused as a whole: the previous tools stay. */
  private updateTools(connection: McpConnection): void {
    const { emit } = this.context;
    const { server } = connection;
    try {
      const excluded = this.registerTools(connection);
      const names = excluded.map(({ name }) => quoteName(name)).join(', ');
      const suffix = excluded.length === 0 ? '' : `, without ${names} (not covered by any rule)`;
      emit({ type: 'server_status', server, status: 'changed', message: `${connection.tools.length} tools${suffix}` });
    } catch (error) {
      emit({ type: 'server_status', server, status: 'failed', message: messageOf(error) });
    }
  }

  /** Returns the tools that were excluded. */
  private registerTools(connection: McpConnection): readonly ToolDeclaration[] {
    const { guard, toolRegistry, isExcluded } = this.context;
    const { server, declarations, tools } = connection;
    const excluded = declarations.filter(isExcluded);
    toolRegistry.refuseNameClashes(
      server,
      tools.map(({ name }) => name),
    );
    guard.replaceServerTools(
      server,
      declarations.filter((tool) => !excluded.includes(tool)),
    );
    toolRegistry.setServerTools(
      server,
      tools.map((tool) => toRunnableTool(connection, tool)),
    );
    return excluded;
  }
}

function toRunnableTool(connection: McpConnection, tool: McpConnection['tools'][number]): RunnableTool {
  const { name, description, inputSchema } = tool;
  return {
    name,
    description,
    schema: inputSchema,
    run: (args: JsonObject, context: ToolContext) =>
      connection.call(name, args, { signal: context.signal, attach: (media) => context.attach(media) }),
  };
}
