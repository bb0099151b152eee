/** The tools of a guarded agent: which ones it has in a run, and which MCP server they come from. */

import { BridleError } from '../../kernel/errors.ts';
import { quoteName } from '../../kernel/names.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import type { ForeignTool, FrameworkGuard } from '../framework-guard.ts';
import { modelPoints } from '../model-call.ts';
import type { Execute, MastraTool, Tools } from './agent-parts.ts';
import { type AgentRun, frameworkName } from './agent-run.ts';
import type { ToolCalls } from './tool-calls.ts';

export const points = ['preToolCall', 'postToolCall', 'onToolError', ...modelPoints] as const;

export class AgentTools {
  private readonly guarded = new WeakSet<Execute>();

  constructor(
    private readonly guard: FrameworkGuard,
    private readonly calls: ToolCalls,
    private readonly providerTools: 'unguarded' | undefined,
  ) {}

  /** The same tools, guarded. `sources` are the objects that the user gave: only they know their MCP server. */
  guardAll(run: AgentRun, tools: Tools, sources: readonly Tools[] = []): Tools {
    const all = Object.entries(tools);
    const elsewhere = all.filter(([, tool]) => typeof tool.execute !== 'function').map(([name]) => name);
    if (elsewhere.length > 0 && this.providerTools !== 'unguarded') throw runsElsewhere(elsewhere);
    const own = all.filter(([, { execute }]) => execute !== undefined && !this.guarded.has(execute));
    const declared = this.guard.attach({
      framework: frameworkName,
      points,
      tools: own.map(([name, tool]) => foreignTool(name, tool, sources)),
      unguarded: elsewhere,
    });
    for (const [name] of all) run.tools.add(name);
    for (const [index, [name]] of own.entries()) run.declared.set(name, declared[index] as ToolDeclaration);
    return { ...tools, ...Object.fromEntries(own.map(([name, tool]) => [name, this.wrap(run, name, tool)])) };
  }

  private wrap(run: AgentRun, name: string, tool: MastraTool): MastraTool {
    const called = { run, name, tool: run.declared.get(name) as ToolDeclaration, execute: tool.execute?.bind(tool) };
    const value: Execute = (input, context) => this.calls.run(called as never, input, context);
    this.guarded.add(value);
    return withExecute(tool, value);
  }
}

/** The tool with another `execute`. All other fields stay. */
function withExecute(tool: MastraTool, value: Execute): MastraTool {
  return Object.create(Object.getPrototypeOf(tool) as object, {
    ...Object.getOwnPropertyDescriptors(tool),
    execute: { enumerable: true, configurable: true, writable: true, value },
  }) as MastraTool;
}

/** The tools as others than the agent's own runs see them: a voice, a server. */
export function withoutExecution(tools: Tools): Tools {
  const entries = Object.entries(tools).map(([name, tool]) => [
    name,
    typeof tool.execute === 'function' ? withExecute(tool, () => refuseExecution(name)) : tool,
  ]);
  return Object.fromEntries(entries) as Tools;
}

function refuseExecution(name: string): never {
  throw new BridleError('CALL_REFUSED', `${quoteName(name)} runs only in generate and stream of its guarded agent`);
}

export function runsElsewhere(names: readonly string[]): BridleError {
  return new BridleError(
    'TOOL_INVALID',
    `${names.map(quoteName).join(', ')}: the provider, the client or another machine runs it, so Bridle cannot guard ` +
      `it. Remove it, or set providerTools: 'unguarded'`,
  );
}

/** Mastra names a tool of an MCP server `server_tool`, or `tool` if it comes as a toolset. */
function foreignTool(name: string, tool: MastraTool, sources: readonly Tools[]): ForeignTool {
  const source = sources.findLast((each) => Object.hasOwn(each, name))?.[name] ?? sourceWithId(tool, sources) ?? tool;
  const server = source.mcpMetadata?.serverName;
  if (server === undefined) return { name, tool };
  const id = source.id ?? name;
  return { name: id.startsWith(`${server}_`) ? id.slice(server.length + 1) : name, server, tool };
}

/** Mastra changes names that a model would not accept. */
function sourceWithId({ id }: MastraTool, sources: readonly Tools[]): MastraTool | undefined {
  return id === undefined
    ? undefined
    : sources.flatMap((each) => Object.values(each)).findLast((each) => each.id === id && each.mcpMetadata);
}
