/** A Runner of ADK: all of its agents call their tools and models through the guard. */

import { BridleError } from '../../kernel/errors.ts';
import { quoteName } from '../../kernel/names.ts';
import type { FrameworkGuard } from '../framework-guard.ts';
import { refuseMissing } from '../installed-version.ts';
import type { AdkAgent, AdkModel, AdkNode, AdkRequest, AdkTool, InvocationContext, ToolContext } from './adk-types.ts';
import { GuardedRuns } from './guarded-runs.ts';
import { type CalledModel, callModel, type Responses } from './model-calls.ts';
import { isTool, ToolCalls } from './tool-calls.ts';

export interface GuardPluginOptions {
  /** The MCP toolsets of the agents, by the name that rules use for the server. Default: the prefix of a toolset. */
  readonly mcpServers?: Readonly<Record<string, object>> | undefined;
  /** `unguarded`: accept tools that the provider runs, and code executors. Bridle cannot guard these. */
  readonly providerTools?: 'unguarded' | undefined;
}

export const pluginName = 'bridle';

export class GuardedRunner {
  readonly runs: GuardedRuns;
  /** Set when the plugin is made. */
  plugin: object = {};
  private readonly calls: ToolCalls;
  /** True if the places where the guard attaches were found. */
  private isProbed = false;
  private readonly agents = new WeakSet<AdkAgent>();
  private readonly nested = new WeakSet<AdkAgent>();
  private readonly models = new WeakMap<AdkModel, AdkModel>();
  private readonly requests = new WeakMap<AdkRequest, InvocationContext>();

  constructor(
    guard: FrameworkGuard,
    private readonly options: GuardPluginOptions,
  ) {
    const servers = Object.entries(options.mcpServers ?? {}).map(
      ([name, toolset]) => [(toolset as AdkTool).mcpSessionManager ?? toolset, name] as const,
    );
    this.runs = new GuardedRuns(guard);
    this.calls = new ToolCalls(guard, this.runs, {
      mcpServers: new Map(servers),
      isGuarded: (context) => this.guards(context?.invocationContext),
    });
  }

  /** A run begins: of a Runner, or of an agent that is used as a tool. */
  async begin(context: InvocationContext): Promise<void> {
    if (context.liveRequestQueue !== undefined) {
      throw new BridleError('FRAMEWORK_UNSUPPORTED', 'Bridle cannot guard runLive of ADK; use runAsync');
    }
    if (!this.isProbed) {
      refuseMissing('ADK', {
        'the plugins of the run': typeof context.pluginManager?.registerPlugin === 'function',
        'the session of the run': Array.isArray(context.session?.events),
      });
      this.isProbed = true;
    }
    if (context.agent !== undefined) this.prepareAll(context.agent.rootAgent);
    await this.runs.begin(context);
  }

  beforeModel(context: InvocationContext, request: AdkRequest): undefined {
    const { agent } = context;
    // An agent may have been added since the run began.
    if (agent !== undefined) this.prepare(agent);
    this.guardTools(request);
    this.runs.nextStep(context);
    this.requests.set(request, context);
    return undefined;
  }

  beforeTool(tool: unknown): { readonly error: string } | undefined {
    if (!isTool(tool)) return { error: 'There is no such tool.' };
    this.guardTool(tool);
    return undefined;
  }

  /** A node of a workflow: an agent, or a tool. */
  beforeNode(node: AdkNode): undefined {
    if (node.canonicalTools !== undefined) this.prepareAll(node as AdkAgent);
    if (isTool(node.tool)) this.guardTool(node.tool);
    return undefined;
  }

  afterTool({ tool, toolContext }: ToolOutcome, result: unknown): undefined {
    if (result === null || result === undefined) return undefined;
    const response = typeof result === 'object' && !Array.isArray(result) ? result : { result };
    this.runs.noteResult(toolContext.invocationContext, { id: toolContext.functionCallId, name: tool.name, response });
    return undefined;
  }

  /** Another Runner may have the same agents and tools, without a guard. */
  private guards(context: InvocationContext | undefined): boolean {
    return context?.pluginManager.getPlugin(pluginName) === this.plugin;
  }

  private guardTools({ toolsDict }: AdkRequest): void {
    const tools = Object.values(toolsDict);
    this.calls.attach(tools);
    for (const tool of tools) if (isTool(tool)) this.guardTool(tool);
  }

  /** As early as a tool is known: a plugin that comes before the guard may answer a call by running the tool itself. */
  private guardTool(tool: AdkTool): void {
    this.calls.wrap(tool);
    if (tool.agent !== undefined) this.prepareNested(tool.agent);
  }

  private prepareAll(agent: AdkAgent): void {
    this.prepare(agent);
    for (const each of agent.subAgents ?? []) this.prepareAll(each);
  }

  /** Makes an agent call its model through the guard, and accept answers to the guard's questions. */
  private prepare(agent: AdkAgent): void {
    if (agent.codeExecutor !== undefined) this.refuse(`the code executor of the agent ${quoteName(agent.name)}`);
    this.calls.attach(agent.tools ?? []);
    if (this.agents.has(agent) || agent.canonicalTools === undefined) return;
    this.agents.add(agent);
    const tools = agent.canonicalTools.bind(agent);
    agent.canonicalTools = async (context) => {
      // An earlier plugin may answer for the model, and then agents that were added are not seen in time.
      if (this.guards((context as Partial<ToolContext> | undefined)?.invocationContext)) this.prepareAll(agent);
      const found = await tools(context);
      for (const tool of found) {
        this.guardTool(tool);
        // Otherwise ADK 2.0 refuses an answer to a question that a plugin has asked.
        tool.checkRequireConfirmation = requiresConfirmation;
      }
      return found;
    };
    const own = Object.getOwnPropertyDescriptor(agent, 'canonicalModel');
    const model = (): AdkModel =>
      (own === undefined
        ? Reflect.get(Object.getPrototypeOf(agent) as object, 'canonicalModel', agent)
        : (own.get?.call(agent) ?? own.value)) as AdkModel;
    Object.defineProperty(agent, 'canonicalModel', { configurable: true, get: () => this.guardModel(model()) });
  }

  /** An AgentTool makes a Runner of its own, without plugins. */
  private prepareNested(agent: AdkAgent): void {
    if (this.nested.has(agent)) return;
    this.nested.add(agent);
    const run = agent.runAsync.bind(agent);
    const enter = async (context: InvocationContext): Promise<void> => {
      if (!this.runs.isNested(context)) return;
      const { pluginManager } = context;
      if (pluginManager.getPlugin(pluginName) !== this.plugin) pluginManager.registerPlugin(this.plugin);
      await this.begin(context);
    };
    agent.runAsync = async function* (context) {
      await enter(context);
      yield* run(context);
    };
  }

  private guardModel(model: AdkModel): AdkModel {
    const known = this.models.get(model);
    if (known !== undefined) return known;
    const generate: AdkModel['generateContentAsync'] = (request, ...rest) => this.generate(model, request, rest);
    const guarded = new Proxy(model, {
      get: (target, field) =>
        field === 'generateContentAsync' ? generate : (Reflect.get(target, field, target) as unknown),
    });
    this.models.set(model, guarded).set(guarded, guarded);
    return guarded;
  }

  private generate(model: AdkModel, request: AdkRequest, rest: readonly unknown[]): Responses {
    const context = this.requests.get(request);
    // Another Runner may have the same agent, without a guard.
    if (context === undefined) return model.generateContentAsync(request, ...rest);
    // Callbacks may have added tools since.
    this.guardTools(request);
    this.refuseProviderTools(request, context.agent);
    if (!this.runs.seesModel(context)) return model.generateContentAsync(request, ...rest);
    return this.guardedAnswer(context, request, {
      name: model.model,
      generate: (sent) => model.generateContentAsync(sent, ...rest),
    });
  }

  private async *guardedAnswer(context: InvocationContext, request: AdkRequest, model: CalledModel): Responses {
    const { session, key } = await this.runs.place(context);
    yield* callModel(session.turn(key), request, model);
  }

  /** The provider runs tools that are not functions. */
  private refuseProviderTools({ config }: AdkRequest, agent: AdkAgent | undefined): void {
    const entries = (config?.tools ?? []).filter(({ functionDeclarations }) => functionDeclarations === undefined);
    if (entries.length === 0) return;
    const tools = (agent?.tools ?? []).filter(isTool).filter((tool) => tool._getDeclaration?.() === undefined);
    const names = [...tools.map(({ name }) => name), ...entries.flatMap((entry) => Object.keys(entry))];
    this.refuse(names.map(quoteName).join(', '));
  }

  private refuse(what: string): void {
    if (this.options.providerTools === 'unguarded') return;
    throw new BridleError('TOOL_INVALID', `${what} would run unguarded. Remove it, or set providerTools: 'unguarded'`);
  }
}

async function requiresConfirmation(): Promise<boolean> {
  return true;
}

/** What ADK tells about a call that has ended. */
export interface ToolOutcome {
  readonly tool: AdkTool;
  readonly toolContext: ToolContext;
  readonly result?: unknown;
  readonly error?: Error;
}
