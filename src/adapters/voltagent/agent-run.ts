/** One run of a VoltAgent agent: its place among agents, its tools, and their calls. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { BridleError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { quoteName } from '../../kernel/names.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { lastOf } from '../ai-sdk/parsed-args.ts';
import { type AiTool, type CallOptions, type CallPlace, ToolCalls } from '../ai-sdk/tool-calls.ts';
import type { ForeignTool, FrameworkGuard } from '../framework-guard.ts';
import { modelPoints } from '../model-call.ts';
import type { ExecuteTool, Operation, VoltTool } from './agent-parts.ts';

export interface GuardAgentOptions {
  /** The id of the session for calls without a conversation. Default: a new id. */
  readonly session?: string | undefined;
  /** The names of agents from the root to this one. Default: `main`. */
  readonly agent?: readonly string[] | undefined;
  /** Names of MCP servers. VoltAgent calls their tools `server_tool` and does not say where they come from. */
  readonly mcpServers?: readonly string[] | undefined;
  /** `unguarded`: accept tools that the provider or the client runs. Bridle cannot guard these. */
  readonly providerTools?: 'unguarded' | undefined;
}

/** How an agent is guarded. */
export interface Guarding {
  readonly guard: FrameworkGuard;
  readonly options: GuardAgentOptions;
  /** The tools that the guard knows. */
  readonly declared: WeakMap<VoltTool, ToolDeclaration>;
}

export const frameworkName = 'voltagent';
export const points = ['preToolCall', 'postToolCall', 'onToolError', ...modelPoints] as const;
const caller = new AsyncLocalStorage<AgentRun>();

/** The run whose tool is running now. An agent that runs inside it is a subagent. */
export function callingRun(): AgentRun | undefined {
  return caller.getStore();
}

export class AgentRun {
  readonly place: CallPlace;
  readonly operationId: string | undefined;
  private readonly calls: ToolCalls;
  /** By their guarded execution. */
  private readonly found = new Map<unknown, VoltTool>();
  private readonly listed = new Set<string>();

  constructor(
    readonly guarding: Guarding,
    name: string,
    { operationId, conversationId, parentAgentId }: Operation,
  ) {
    this.operationId = operationId;
    const { guard, options } = guarding;
    const parent = callingRun()?.place;
    this.place = {
      guard,
      framework: frameworkName,
      session: parent?.session ?? conversationId ?? options.session ?? guard.defaultSession,
      agent: parent?.agent === undefined ? (options.agent ?? ['main']) : [...parent.agent, name],
      // VoltAgent loses a question of a subagent: its run would just end.
      canPause: parent === undefined && parentAgentId === undefined,
    };
    this.calls = new ToolCalls(this.place);
  }

  /** The guarded execution of a tool. */
  execution(tool: VoltTool, execute: ExecuteTool): ExecuteTool {
    const guarded: ExecuteTool = (args, options = {}) => this.execute(tool, execute, { args, options });
    this.found.set(guarded, tool);
    return guarded;
  }

  /** The tools as the AI SDK gets them. */
  list(tools: Readonly<Record<string, AiTool>>): Readonly<Record<string, AiTool>> {
    const all = Object.entries(tools).map(([name, tool]) => ({
      name,
      tool,
      own: this.found.get(Reflect.get(tool, 'execute')),
    }));
    const elsewhere = all.filter(({ own }) => own === undefined).map(({ name }) => name);
    if (elsewhere.length > 0 && !this.acceptsUnguarded) throw runsElsewhere(elsewhere);
    this.attach([...this.found.values()], elsewhere);
    const guarded = all.map(({ name, tool, own }) => {
      this.listed.add(name);
      if (own === undefined) return [name, tool];
      return [name, { ...tool, needsApproval: this.calls.needsApproval(tool, this.declarationOf(own)) }];
    });
    return Object.fromEntries(guarded) as Readonly<Record<string, AiTool>>;
  }

  /** True if the model may see the tool. */
  accepts({ type, name }: { readonly type: string; readonly name: string }): boolean {
    return type === 'function' ? this.listed.has(name) : this.acceptsUnguarded;
  }

  private get acceptsUnguarded(): boolean {
    return this.guarding.options.providerTools === 'unguarded';
  }

  private async execute(
    tool: VoltTool,
    execute: ExecuteTool,
    { args, options }: { readonly args: unknown; readonly options: Partial<CallOptions> },
  ): Promise<unknown> {
    const { toolCallId = newId(), messages = [] } = options;
    let failure: { readonly error: BridleError; readonly result: unknown } | undefined;
    const run = async (input: unknown, own: CallOptions): Promise<unknown> => {
      const result = await caller.run(this, async () => lastOf(await execute(input, own)));
      if (!isFailure(result, toolCallId)) return result;
      failure = { error: new BridleError('TOOL_FAILED', result.message), result };
      throw failure.error;
    };
    try {
      const call = { input: args, options: { ...options, toolCallId, messages }, execute: run };
      return await this.calls.run(this.declarationOf(tool), call);
    } catch (error) {
      // If no hook has changed the failure, the model sees it as VoltAgent shows it.
      if (failure !== undefined && failure.error === error) return failure.result;
      throw error;
    }
  }

  private declarationOf(tool: VoltTool): ToolDeclaration {
    const { declared } = this.guarding;
    if (!declared.has(tool)) this.attach([tool], []);
    return declared.get(tool) as ToolDeclaration;
  }

  private attach(tools: readonly VoltTool[], unguarded: readonly string[]): void {
    const { guard, options, declared } = this.guarding;
    const fresh = tools.filter((tool) => !declared.has(tool));
    const foreign = fresh.map((tool) => foreignTool(tool, options.mcpServers ?? []));
    const added = guard.attach({ framework: frameworkName, points, tools: foreign, unguarded });
    for (const [index, tool] of fresh.entries()) declared.set(tool, added[index] as ToolDeclaration);
  }
}

function runsElsewhere(names: readonly string[]): BridleError {
  return new BridleError(
    'TOOL_INVALID',
    `${names.map(quoteName).join(', ')}: the provider or the client runs it, so Bridle cannot guard it. ` +
      `Remove it, or set providerTools: 'unguarded'`,
  );
}

function foreignTool(tool: VoltTool, servers: readonly string[]): ForeignTool {
  const { name, parameters } = tool;
  const own = servers.filter((each) => name.startsWith(`${each}_`));
  const server = own.toSorted((a, b) => b.length - a.length)[0];
  return { name: server === undefined ? name : name.slice(server.length + 1), server, tool: { parameters } };
}

/** VoltAgent turns what a tool throws into a result of this form. */
function isFailure(result: unknown, toolCallId: string): result is { readonly message: string } {
  if (typeof result !== 'object' || result === null) return false;
  const { error, message, stack, toolCallId: id } = result as Readonly<Record<string, unknown>>;
  return error === true && typeof message === 'string' && typeof stack === 'string' && id === toolCallId;
}
