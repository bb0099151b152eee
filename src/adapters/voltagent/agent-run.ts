/** One run of a VoltAgent agent: its place among agents, its tools, and their calls. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { BridleError } from '../../kernel/errors.ts';
import type { RunContext } from '../../kernel/guard/calls/run-tool.ts';
import { newId } from '../../kernel/ids.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { getOrCreate } from '../../kernel/lazy.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { refuseTools, turnOfCall } from '../ai-sdk/guard-model.ts';
import { type AiModel, withGuardedCalls } from '../ai-sdk/model-calls.ts';
import { lastOf } from '../ai-sdk/parsed-args.ts';
import { type AiTool, type CallOptions, type CallPlace, ToolCalls } from '../ai-sdk/tool-calls.ts';
import type { DeclaredTools } from '../declared-tools.ts';
import type { ForeignTool, FrameworkGuard } from '../framework-guard.ts';
import { refuseElsewhere } from '../framework-setup.ts';
import { modelPoints } from '../model-call.ts';
import { changeableArgs } from '../rewritten-args.ts';
import type { ExecuteTool, MakeExecute, Operation, ToolOptions, Tools, VoltTool } from './agent-parts.ts';

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
  readonly declared: DeclaredTools<VoltTool>;
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
  private readonly models = new Map<AiModel, AiModel>();

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

  /** The guarded execution of a tool. `make` returns VoltAgent's own. */
  execution(tool: VoltTool, make: MakeExecute): ExecuteTool {
    const guarded: ExecuteTool = (args, options = {}) => this.execute({ tool, make }, args, options);
    this.found.set(guarded, tool);
    return guarded;
  }

  /** The tools as the AI SDK gets them. */
  list(tools: Tools): Tools {
    const names = Object.keys(tools);
    const elsewhere = names.filter((name) => this.ownOf(tools[name]) === undefined);
    refuseElsewhere(elsewhere, this.guarding.options.providerTools);
    this.attach([...this.found.values()], elsewhere);
    const guarded: Record<string, AiTool> = { ...tools };
    for (const [name, tool] of Object.entries(tools)) {
      const own = this.ownOf(tool);
      this.listed.add(name);
      if (own === undefined) continue;
      guarded[name] = { ...tool, needsApproval: this.calls.needsApproval(tool, this.declarationOf(own)) };
    }
    return guarded;
  }

  /** The guarded model. VoltAgent looks for the same model several times in a run. */
  guardModel(model: AiModel): AiModel {
    return getOrCreate(this.models, model, () =>
      withGuardedCalls(model, (call) => {
        refuseTools(call, ({ type, name }) =>
          type === 'function' ? this.listed.has(name) : this.guarding.options.providerTools === 'unguarded',
        );
        return turnOfCall(this.place, call);
      }),
    );
  }

  private ownOf(tool: AiTool | undefined): VoltTool | undefined {
    return this.found.get(tool && Reflect.get(tool, 'execute'));
  }

  private async execute(
    { tool, make }: { readonly tool: VoltTool; readonly make: MakeExecute },
    input: unknown,
    given: Partial<CallOptions>,
  ): Promise<unknown> {
    const { toolCallId = newId(), messages = [] } = given;
    const options = { ...given, toolCallId, messages };
    let failure: { readonly error: BridleError; readonly result: unknown } | undefined;
    const call = { tool: this.declarationOf(tool), input, options };
    const { thrown, value } = await this.calls.run(call, async (args, context) => {
      const result = await caller.run(this, () => lastOf(make(withOwnArgs(tool, context))(args, options)));
      if (!isFailure(result, toolCallId)) return result;
      failure = { error: new BridleError('TOOL_FAILED', result.message), result };
      throw failure.error;
    });
    // If no hook has changed the failure, the model sees it as VoltAgent shows it.
    if (failure !== undefined && failure.error === thrown) return failure.result;
    if (thrown !== undefined) throw thrown as Error;
    return value;
  }

  private declarationOf(tool: VoltTool): ToolDeclaration {
    const { declared } = this.guarding;
    if (declared.get(tool) === undefined) this.attach([tool], []);
    return declared.get(tool) as ToolDeclaration;
  }

  private attach(tools: readonly VoltTool[], unguarded: readonly string[]): void {
    const { guard, options, declared } = this.guarding;
    const fresh = tools.filter((tool) => declared.get(tool) === undefined);
    if (fresh.length === 0 && unguarded.length === 0) return;
    const foreign = fresh.map((tool) => foreignTool(tool, options.mcpServers ?? []));
    const added = guard.attach({ framework: frameworkName, points, tools: foreign, unguarded });
    for (const [index, tool] of fresh.entries()) declared.set(tool, added[index] as ToolDeclaration);
  }
}

function foreignTool(tool: VoltTool, servers: readonly string[]): ForeignTool {
  const { name, parameters } = tool;
  const own = servers.filter((each) => name.startsWith(`${each}_`));
  const server = own.toSorted((a, b) => b.length - a.length)[0];
  return { name: server === undefined ? name : name.slice(server.length + 1), server, tool: { parameters } };
}

/**
 * The tool may change its args. VoltAgent's hooks, which run before it, may not: they were decided about. Signals are
 * expensive to create, so there is one only if the tool reads it.
 */
function withOwnArgs(tool: VoltTool, context: RunContext): VoltTool {
  const { execute } = tool;
  if (execute === undefined) return tool;
  const signal = { get: () => context.signal, enumerable: true, configurable: true };
  const value = (args: unknown, options: ToolOptions): unknown => {
    Object.defineProperty(options.toolContext, 'abortSignal', signal);
    return execute.call(tool, changeableArgs(args as JsonObject), options);
  };
  return Object.create(tool, { execute: { value } }) as VoltTool;
}

/** VoltAgent turns what a tool throws into a result of this form. */
function isFailure(result: unknown, toolCallId: string): result is { readonly message: string } {
  if (typeof result !== 'object' || result === null) return false;
  const { error, message, stack, toolCallId: id } = result as Readonly<Record<string, unknown>>;
  return error === true && typeof message === 'string' && typeof stack === 'string' && id === toolCallId;
}
