/** The MCP servers of an agent: connected together, closed together, their tools kept in step with the guard. */

import { quoteName } from '../../kernel/names.ts';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import type { Guard } from '../../kernel/guard/guard.ts';
import type { EventBody } from '../../kernel/hooks/points/events.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { connectServer } from '../../mcp/connect-server.ts';
import type { McpConnection } from '../../mcp/mcp-connection.ts';
import type { Pins } from '../../mcp/pins/pins.ts';
import type { McpServerConfig } from '../../mcp/server/server-config.ts';
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
  /** Whether a tool that a server adds while the agent runs stays out, since no rule is about it. */
  readonly isExcluded: (tool: ToolDeclaration) => boolean;
}

/** A tool that has changed since it was pinned is not called, whatever else allows it. */
export function pinRules(configs: readonly McpServerConfig[], pins: Pins): readonly Rule[] {
  return configs.map(({ name }) =>
    forbid(`${name}/*`, {
      name: `changed_since_pinned_${name}`,
      when: (_args, call) => pins.isHeld(name, call.tool),
      reason: (call) => pins.whyHeld(name, call.tool) ?? 'the tool is held',
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
      return `server "${server}": tool "${tool}" is held, for it has changed (${changes.join('; ')}); look at it, then ${accept}`;
    });
    return [...own, ...held];
  }

  /** The tools that each server lists, hidden ones too. */
  get knownTools(): ReadonlyMap<string, ReadonlySet<string>> {
    return new Map(
      this.connections.map(({ server, declarations }) => [server, new Set(declarations.map(({ name }) => name))]),
    );
  }

  /** Connects all, or none: a server that cannot be reached closes the others again. */
  async connect(configs: readonly McpServerConfig[]): Promise<void> {
    const tries = await Promise.allSettled(configs.map((config) => this.connectOne(config)));
    const failed = tries.filter((each) => each.status === 'rejected').map(({ reason }) => reason as unknown);
    if (failed.length === 0) return;
    await this.close();
    if (failed.length === 1) throw failed[0];
    const problems = failed.map(messageOf);
    throw new BridleError('MCP_SERVER_FAILED', problems.join('; '), { cause: failed[0], problems });
  }

  close(): Promise<void> {
    this.closing ??= Promise.allSettled(this.connections.map((each) => each.close())).then(() => undefined);
    return this.closing;
  }

  private async connectOne(config: McpServerConfig): Promise<void> {
    const { pins, emit: tell } = this.context;
    const server = config.name;
    const connection = await connectServer(config, {
      pins,
      toSchema: (schema: JsonObject) => toStandardSchema(schema),
      onToolsChanged: (changed) => this.updateTools(changed),
      onLost: (message) => tell({ type: 'server_status', server, status: 'lost', message }),
      onReconnected: () => tell({ type: 'server_status', server, status: 'connected', message: 'connected again' }),
      onWarning: (message) => tell({ type: 'server_status', server, status: 'changed', message }),
    });
    this.connections.push(connection);
    this.registerTools(connection);
  }

  /** A list that does not fit is refused whole: the tools stay as they were. */
  private updateTools(connection: McpConnection): void {
    const { emit: tell } = this.context;
    const { server } = connection;
    try {
      const excluded = this.registerTools(connection);
      const names = excluded.map(({ name }) => quoteName(name)).join(', ');
      const suffix = excluded.length === 0 ? '' : `, without ${names}: no rule is about it`;
      tell({ type: 'server_status', server, status: 'changed', message: `${connection.tools.length} tools${suffix}` });
    } catch (error) {
      tell({ type: 'server_status', server, status: 'failed', message: messageOf(error) });
    }
  }

  /** Tells which tools stay out. */
  private registerTools(connection: McpConnection): readonly ToolDeclaration[] {
    const { guard, toolRegistry: kit, isExcluded: leavesOut } = this.context;
    const { server, declarations, tools } = connection;
    const excluded = declarations.filter(leavesOut);
    kit.refuseNameClashes(
      server,
      tools.map(({ name }) => name),
    );
    guard.replaceServerTools(
      server,
      declarations.filter((tool) => !excluded.includes(tool)),
    );
    kit.setServerTools(
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
