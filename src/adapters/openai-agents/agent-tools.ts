/** The tools of an agent as the guard knows them. Tools that cannot be guarded are refused by name. */

import { BridleError } from '../../kernel/errors.ts';
import { quoteName } from '../../kernel/names.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import type { FrameworkGuard } from '../framework-guard.ts';
import { frameworkName, type NativeTool } from './agents-sdk.ts';
import type { McpOrigin } from './mcp-tools.ts';

const toolPoints = ['preToolCall', 'postToolCall', 'onToolError'] as const;

/** A tool of the agent, and how policy and journal call it. */
export interface AgentTool {
  readonly tool: NativeTool;
  /** Its name when it was declared. A tool that was renamed since is another tool. */
  readonly name: string;
  readonly declared: ToolDeclaration;
  /** A copy of the tool with guarded functions and this schema. All other fields stay. */
  readonly guardedWith: (parameters: object) => NativeTool;
}

/** The functions of a guarded tool. */
type ToolFunctions = Required<Pick<NativeTool, 'needsApproval' | 'invoke'>>;

interface AgentToolsOptions {
  readonly acceptsProvider: boolean;
  readonly guardedFunctions: (own: AgentTool) => ToolFunctions;
}

export class AgentTools {
  /** Where tools of MCP servers come from. */
  readonly origins = new WeakMap<object, McpOrigin>();
  private readonly known = new WeakMap<object, AgentTool>();
  private readonly declaredMcp = new Map<string, ToolDeclaration>();
  private hasDeclared = false;

  constructor(
    private readonly guard: FrameworkGuard,
    private readonly options: AgentToolsOptions,
  ) {}

  /** Tells the guard about tools that it does not know yet. */
  declare(tools: readonly NativeTool[]): void {
    this.refuseUnguardable(tools);
    const added = tools.filter((tool) => tool.type === 'function' && this.of(tool) === undefined);
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
    for (const [index, tool] of added.entries()) this.add(tool, declared[index] as ToolDeclaration);
  }

  /** A tool that is declared. Tools of MCP servers are new objects each time. */
  of(tool: NativeTool): AgentTool | undefined {
    const known = this.known.get(tool);
    if (known?.name === tool.name) return known;
    const origin = this.origins.get(tool);
    const declared = origin && this.declaredMcp.get(mcpKey(origin, tool));
    return declared && this.add(tool, declared);
  }

  private add(tool: NativeTool, declared: ToolDeclaration): AgentTool {
    const own: AgentTool = { tool, name: tool.name, declared, guardedWith: (parameters) => copy(parameters) };
    const copy = copierOf(tool, this.options.guardedFunctions(own));
    this.known.set(tool, own);
    const origin = this.origins.get(tool);
    if (origin !== undefined) this.declaredMcp.set(mcpKey(origin, tool), declared);
    return own;
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
    return type === 'hosted_tool' && !isSearch && this.options.acceptsProvider;
  }
}

/** Copies a tool with other functions. Nearly all tools are plain objects, which are copied in a hundredth of the time. */
function copierOf(tool: NativeTool, functions: ToolFunctions): AgentTool['guardedWith'] {
  const fields = Object.values(Object.getOwnPropertyDescriptors(tool));
  const isPlain = Object.getPrototypeOf(tool) === Object.prototype && fields.every(({ enumerable }) => enumerable);
  if (isPlain) return (parameters) => ({ ...tool, ...functions, parameters });
  return (parameters) => withFields(tool, Object.getOwnPropertyDescriptors({ ...functions, parameters }));
}

/** A copy with other descriptors of some fields. Symbols and hidden fields stay, too. */
export function withFields<T extends object>(given: T, fields: PropertyDescriptorMap): T {
  const own = Object.assign(Object.getOwnPropertyDescriptors(given), fields);
  return Object.create(Object.getPrototypeOf(given) as object | null, own) as T;
}

function mcpKey({ server, name }: McpOrigin, { parameters }: NativeTool): string {
  return JSON.stringify([server, name, parameters]);
}
