/** The tools of a guarded agent: which ones it has in a run, and which MCP server they come from. */

import { BridleError } from '../../kernel/errors.ts';
import { getOrCreate } from '../../kernel/lazy.ts';
import { quoteName } from '../../kernel/names.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import type { ForeignTool, FrameworkGuard } from '../framework-guard.ts';
import { refuseElsewhere } from '../framework-setup.ts';
import { modelPoints } from '../model-call.ts';
import type { Execute, MastraTool, Tools } from './agent-parts.ts';
import { type AgentRun, frameworkName } from './agent-run.ts';
import type { ToolCalls } from './tool-calls.ts';

export const points = ['preToolCall', 'postToolCall', 'onToolError', ...modelPoints] as const;

export class AgentTools {
  private readonly guarded = new WeakSet<Execute>();
  private readonly known = new WeakMap<MastraTool, Map<string, ToolDeclaration>>();

  constructor(
    private readonly guard: FrameworkGuard,
    private readonly calls: ToolCalls,
    private readonly providerTools: 'unguarded' | undefined,
  ) {}

  /** The same tools, guarded. `sources` are the objects that the user gave: only they know their MCP server. */
  guardAll(run: AgentRun, tools: Tools, sources: readonly Tools[] = []): Tools {
    const all = Object.entries(tools);
    const elsewhere = all.filter(([, tool]) => typeof tool.execute !== 'function').map(([name]) => name);
    refuseElsewhere(elsewhere, this.providerTools);
    const own = all.filter(([, { execute }]) => execute !== undefined && !this.guarded.has(execute));
    const found = own.map(([name, tool]) => ({ name, tool, source: sourceOf(name, tool, sources) }));
    const fresh = found.filter((each) => !this.reuse(run, each));
    if (fresh.length > 0 || elsewhere.length > 0) {
      const foreign = fresh.map(foreignTool);
      const declared = this.guard.attach({ framework: frameworkName, points, tools: foreign, unguarded: elsewhere });
      for (const [index, each] of fresh.entries()) this.declare(run, each, declared[index] as ToolDeclaration);
    }
    for (const [name] of all) run.tools.add(name);
    return { ...tools, ...Object.fromEntries(own.map(([name, tool]) => [name, this.wrap(run, name, tool)])) };
  }

  private declare(run: AgentRun, { name, source }: FoundTool, declared: ToolDeclaration): void {
    run.declared.set(name, declared);
    if (source !== undefined) getOrCreate(this.known, source, () => new Map()).set(keyOf(run, name), declared);
  }

  /** Uses the declaration of an earlier run with the same tool and model. */
  private reuse(run: AgentRun, { name, source }: FoundTool): boolean {
    const known = source && this.known.get(source)?.get(keyOf(run, name));
    if (known !== undefined) run.declared.set(name, known);
    return known !== undefined;
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
  const prototype = Object.getPrototypeOf(tool) as object;
  if (prototype === Object.prototype) return { ...tool, execute: value };
  return Object.create(prototype, {
    ...Object.getOwnPropertyDescriptors(tool),
    execute: { enumerable: true, configurable: true, writable: true, value },
  }) as MastraTool;
}

const unexecutable = new WeakMap<MastraTool, MastraTool>();

/** The tools as others than the agent's own runs see them: a voice, a server. */
export function withoutExecution(tools: Tools): Tools {
  const entries = Object.entries(tools).map(([name, tool]) => [
    name,
    typeof tool.execute === 'function'
      ? getOrCreate(unexecutable, tool, () => withExecute(tool, () => refuseExecution(name)))
      : tool,
  ]);
  return Object.fromEntries(entries) as Tools;
}

function refuseExecution(name: string): never {
  throw new BridleError('CALL_REFUSED', `${quoteName(name)} runs only in generate and stream of its guarded agent`);
}

function keyOf({ model }: AgentRun, name: string): string {
  return JSON.stringify([name, model]);
}

/** A tool of a run, and the object that the user gave, if it is known. */
interface FoundTool {
  readonly name: string;
  readonly tool: MastraTool;
  readonly source: MastraTool | undefined;
}

/** Mastra changes names that a model would not accept, so a tool may be known by its id only. */
function sourceOf(name: string, { id }: MastraTool, sources: readonly Tools[]): MastraTool | undefined {
  const named = sources.findLast((each) => Object.hasOwn(each, name))?.[name];
  if (named !== undefined || id === undefined) return named;
  return sources.flatMap((each) => Object.values(each)).findLast((each) => each.id === id && each.mcpMetadata);
}

/** Mastra names a tool of an MCP server `server_tool`, or `tool` if it comes as a toolset. */
function foreignTool({ name, tool, source = tool }: FoundTool): ForeignTool {
  const { parameters, inputSchema = parameters } = tool;
  const server = source.mcpMetadata?.serverName;
  if (server === undefined) return { name, tool: { inputSchema } };
  const { id = name } = source;
  const own = id.startsWith(`${server}_`) ? id.slice(server.length + 1) : name;
  return { name: own, server, tool: { inputSchema } };
}
