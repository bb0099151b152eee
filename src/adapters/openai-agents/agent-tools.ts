/** The tools of an agent as the guard knows them. Tools that cannot be guarded are refused by name. */

import { BridleError } from '../../kernel/errors.ts';
import { quoteName } from '../../kernel/names.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import type { FrameworkGuard } from '../framework-guard.ts';
import { frameworkName, type NativeTool } from './agents-sdk.ts';
import type { McpOrigin } from './mcp-tools.ts';

const toolPoints = ['preToolCall', 'postToolCall', 'onToolError'] as const;

export class AgentTools {
  /** Where tools of MCP servers come from. */
  readonly origins = new WeakMap<object, McpOrigin>();
  private readonly declared = new WeakMap<object, ToolDeclaration>();
  private hasDeclared = false;
  private readonly declaredMcp = new Map<string, ToolDeclaration>();

  constructor(
    private readonly guard: FrameworkGuard,
    private readonly acceptsProvider: boolean,
  ) {}

  /** Tells the guard about tools that it does not know yet. */
  declare(tools: readonly NativeTool[]): void {
    this.refuseUnguardable(tools);
    const added = tools.filter((tool) => tool.type === 'function' && this.declarationOf(tool) === undefined);
    if (this.hasDeclared && added.length === 0) return;
    this.hasDeclared = true;
    const declared = this.guard.attach({
      framework: frameworkName,
      points: toolPoints,
      tools: added.map((tool) => ({
        name: tool.name,
        ...this.origins.get(tool),
        tool: { parameters: tool.parameters },
      })),
    });
    for (const [index, tool] of added.entries()) {
      const origin = this.origins.get(tool);
      const declaration = declared[index] as ToolDeclaration;
      if (origin === undefined) this.declared.set(tool, declaration);
      else this.declaredMcp.set(mcpKey(origin, tool), declaration);
    }
  }

  /** Tools of MCP servers are new objects each time. */
  declarationOf(tool: NativeTool): ToolDeclaration | undefined {
    const origin = this.origins.get(tool);
    return origin === undefined ? this.declared.get(tool) : this.declaredMcp.get(mcpKey(origin, tool));
  }

  private refuseUnguardable(tools: readonly NativeTool[]): void {
    const refused = tools.filter((tool) => !this.canGuard(tool));
    if (refused.length === 0) return;
    throw new BridleError(
      'TOOL_INVALID',
      `${refused.map(({ name, type }) => quoteName(name ?? type)).join(', ')}: the provider or the SDK runs it, so Bridle ` +
        `cannot guard it. Remove it, or, if the provider runs it, set providerTools: 'unguarded'`,
    );
  }

  private canGuard({ type, providerData }: NativeTool): boolean {
    if (type === 'function') return true;
    // A search may load tools that the agent is never asked for.
    const isSearch = providerData?.type === 'tool_search';
    return type === 'hosted_tool' && !isSearch && this.acceptsProvider;
  }
}

function mcpKey({ server, name }: McpOrigin, { parameters }: NativeTool): string {
  return JSON.stringify([server, name, parameters]);
}
