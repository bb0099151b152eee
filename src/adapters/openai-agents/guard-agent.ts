/**
 * Guards an agent of the OpenAI Agents SDK. The SDK asks the agent for its tools before each call of the model, and for
 * its handoffs, so all tools pass here: also those that are added later, of MCP servers, and of agents inside tools.
 */

import { BridleError } from '../../kernel/errors.ts';
import type { JsonValue } from '../../kernel/json.ts';
import type { MaybePromise } from '../../kernel/maybe-promise.ts';
import { quoteName } from '../../kernel/names.ts';
import type { FrameworkGuard } from '../framework-guard.ts';
import type { FrameworkSession } from '../framework-session.ts';
import { checkVersion, refuseMissing } from '../installed-version.ts';
import { modelPoints } from '../model-call.ts';
import { AgentRun, running, runsBySchema } from './agent-run.ts';
import { type AgentTool, AgentTools, withFields } from './agent-tools.ts';
import {
  frameworkName,
  type NativeAgent,
  type NativeHandoff,
  type NativeTool,
  type OpenAiAgent,
  type RunContext,
  testedVersions,
} from './agents-sdk.ts';
import { callsOf, PendingCalls } from './approvals.ts';
import { guardCalls, isModel, refuseUnguardedModel } from './guard-model.ts';
import { listMcpTools, type ListMcpTools } from './mcp-tools.ts';

/** The context that the runs of an agent get. */
export type ContextOf<A> = A extends { getEnabledHandoffs(runContext: { readonly context: infer C }): unknown }
  ? C
  : unknown;

export interface GuardAgentOptions<Context = unknown> {
  /**
   * The id of the session: of a chat, a user, a job. A function gets the context of the run. Needed to resume after a
   * restart. Default: one session for the guard.
   */
  readonly session?: string | ((context: Context) => string) | undefined;
  /** The path of the agent. Default: `main`. */
  readonly agent?: readonly string[] | undefined;
  /** `unguarded`: accept tools that the provider runs, such as web search. Bridle cannot guard these. */
  readonly providerTools?: 'unguarded' | undefined;
}

/**
 * Guards the agent, the agents that it hands off to, and the agents inside its tools. Returns the same agent.
 *
 * @example
 * ```ts
 * import { createGuard } from 'bridle/openai-agents';
 *
 * const guard = createGuard({ policy: 'bridle.yaml' });
 * ```
 */
export function guardAgent<A extends OpenAiAgent>(
  guard: FrameworkGuard,
  agent: A,
  options: GuardAgentOptions<ContextOf<A>> = {},
): A {
  checkVersion(testedVersions);
  const setup = { guard, options: options as GuardAgentOptions, pending: new PendingCalls() };
  attach(setup, agent as unknown as NativeAgent, options.agent ?? ['main']);
  return agent;
}

/** What the agents of one `guardAgent` share. */
interface Setup {
  readonly guard: FrameworkGuard;
  readonly options: GuardAgentOptions;
  readonly pending: PendingCalls;
}

const agents = new WeakMap<object, GuardedAgent>();

function attach(setup: Setup, agent: NativeAgent, path: readonly string[]): GuardedAgent {
  const known = agents.get(agent);
  if (known?.setup.guard === setup.guard) return known;
  if (known !== undefined) {
    throw new BridleError('OPTION_INVALID', `the agent ${quoteName(agent.name)} is guarded by another guard already`);
  }
  const methods = ['getAllTools', 'getMcpTools', 'getEnabledHandoffs', 'clone'] as const;
  refuseMissing(
    'OpenAI Agents',
    Object.fromEntries(methods.map((name) => [`${name} of the agent`, typeof agent[name] === 'function'])),
  );
  const guarded = new GuardedAgent(setup, agent, path);
  agents.set(agent, guarded);
  try {
    guarded.install();
  } catch (error) {
    agents.delete(agent);
    throw error;
  }
  return guarded;
}

class GuardedAgent {
  private readonly runs = new WeakMap<object, MaybePromise<AgentRun>>();
  private readonly tools: AgentTools;
  private latest: AgentRun | undefined;
  private model: { readonly given: object; readonly guarded: object } | undefined;

  constructor(
    readonly setup: Setup,
    readonly agent: NativeAgent,
    private readonly path: readonly string[],
  ) {
    this.tools = new AgentTools(setup.guard, {
      acceptsProvider: setup.options.providerTools === 'unguarded',
      guardedFunctions: (own) => ({
        needsApproval: (context: RunContext, args: JsonValue, id: string) =>
          this.inRun(context, (run) => run.pauses(own, { id, args })),
        invoke: (context, input, details) => this.inRun(context, (run) => run.invoke(own, input, details)),
      }),
    });
  }

  install(): void {
    const { agent } = this;
    const native = {
      getAllTools: agent.getAllTools.bind(agent),
      getEnabledHandoffs: agent.getEnabledHandoffs.bind(agent),
      clone: agent.clone.bind(agent),
    };
    const getMcpTools: ListMcpTools = Reflect.get(agent, 'getMcpTools');
    this.refusePrompt();
    this.tools.declare(agent.tools as readonly NativeTool[]);
    callsOf.set(agent, { calls: this.setup.pending, path: this.path });
    findNested(agent);
    this.replace('model', (model) => this.guardModel(model));
    this.replace('handoffs', (handoffs) => this.guardTargets(handoffs as unknown[]));
    const methods = {
      getAllTools: (context: RunContext | undefined, parent?: unknown) =>
        native.getAllTools(context as RunContext, parent).then((tools) => this.guardTools(context, tools)),
      getMcpTools: (context: RunContext, parent?: unknown) =>
        agent.mcpServers.length === 0
          ? getMcpTools.call(agent, context, parent)
          : listMcpTools(agent, (from) => getMcpTools.call(from, context, parent), this.tools.origins),
      getEnabledHandoffs: (context: RunContext) =>
        native.getEnabledHandoffs(context).then((handoffs) => this.guardHandoffs(context, handoffs)),
      clone: (config: object) => attach(this.setup, native.clone(config), this.path).agent,
    };
    for (const [name, value] of Object.entries(methods)) Object.defineProperty(agent, name, { value });
  }

  /** Guards the value of a field whenever somebody reads it: it may be set or changed later. */
  private replace(field: 'model' | 'handoffs', guarded: (value: unknown) => unknown): void {
    let value: unknown = this.agent[field];
    Object.defineProperty(this.agent, field, {
      enumerable: true,
      get: () => guarded(value),
      set: (next) => {
        value = next;
      },
    });
    guarded(value);
  }

  private guardTools(
    context: RunContext | undefined,
    tools: readonly NativeTool[],
  ): MaybePromise<readonly NativeTool[]> {
    this.tools.declare(tools);
    return this.inRun(context, (run) => {
      this.latest = run;
      const guarded = tools.map((tool) =>
        tool.type === 'function' ? run.wrap(this.tools.of(tool) as AgentTool) : tool,
      );
      return run.beginStep()?.then(() => guarded) ?? guarded;
    });
  }

  private guardHandoffs(
    context: RunContext,
    handoffs: readonly NativeHandoff[],
  ): MaybePromise<readonly NativeHandoff[]> {
    if (handoffs.length === 0) return handoffs;
    return this.inRun(context, (run) => handoffs.map((handoff) => this.guardHandoff(handoff, run)));
  }

  /** A prompt that the provider stores may bring tools that nobody here can see. */
  private refusePrompt(): void {
    const { name, prompt } = this.agent;
    if (prompt === undefined || this.setup.options.providerTools === 'unguarded') return;
    throw new BridleError(
      'TOOL_INVALID',
      `the stored prompt of the agent ${quoteName(name)} may bring tools that the provider runs, and Bridle cannot guard ` +
        `these. Use instructions, or set providerTools: 'unguarded'`,
    );
  }

  /** Calls `work` with the run of a context, which starts with its first use. */
  private inRun<T>(context: RunContext = noContext, work: (run: AgentRun) => T): T | Promise<Awaited<T>> {
    // Nearly always the run that was here last, and a WeakMap is slow.
    const { latest } = this;
    const known = latest?.parts.context === context ? latest : (this.runs.get(context) ?? this.startRun(context));
    return known instanceof AgentRun ? work(known) : (known.then(work) as Promise<Awaited<T>>);
  }

  private startRun(context: RunContext): MaybePromise<AgentRun> {
    const session = this.setup.guard.session(frameworkName, this.sessionOf(context));
    if (!(session instanceof Promise)) return this.addRun(context, session);
    const started = session.then((known) => this.addRun(context, known));
    this.runs.set(context, started);
    return started;
  }

  private addRun(context: RunContext, session: FrameworkSession): AgentRun {
    const { agent: native, path, setup } = this;
    refuseUnguardedModel(setup.guard, native, session);
    const run = new AgentRun({ native, context, session, path, pending: setup.pending });
    this.runs.set(context, run);
    return run;
  }

  private sessionOf({ context }: RunContext): string {
    const parent = running.getStore();
    if (parent !== undefined && setupOf(parent).guard === this.setup.guard) return parent.parts.session.id;
    const { session } = this.setup.options;
    const id: unknown = typeof session === 'function' ? session(context) : (session ?? this.setup.guard.defaultSession);
    if (typeof id === 'string' && id !== '') return id;
    throw new BridleError('OPTION_INVALID', `the option session gave no id for a run of ${quoteName(this.agent.name)}`);
  }

  /** The agents that this one hands off to are guarded whenever somebody looks at them. */
  private guardTargets(handoffs: unknown[]): unknown[] {
    for (const each of handoffs) this.guardTarget((each as NativeHandoff).agent ?? each);
    return handoffs;
  }

  private guardTarget(target: unknown): unknown {
    const agent = target as NativeAgent;
    attach(this.setup, agent, [...this.path, agent.name]);
    return target;
  }

  private guardHandoff(handoff: NativeHandoff, run: AgentRun): NativeHandoff {
    const inputJsonSchema = { ...handoff.inputJsonSchema };
    runsBySchema.set(inputJsonSchema, run);
    const onInvokeHandoff: NativeHandoff['onInvokeHandoff'] = async (context, args) =>
      this.guardTarget(await handoff.onInvokeHandoff(context, args));
    return withFields(handoff, Object.getOwnPropertyDescriptors({ inputJsonSchema, onInvokeHandoff }));
  }

  private guardModel(model: unknown): unknown {
    if (!isModel(model)) return model;
    if (this.model?.given !== model) {
      const { guard } = this.setup;
      guard.attach({ framework: frameworkName, points: modelPoints, tools: [] });
      this.model = { given: model, guarded: guardCalls(guard, model, { runOf: () => this.latest }) };
    }
    return this.model.guarded;
  }
}

/** A run of which the SDK gives no context: somebody lists the tools. */
const noContext: RunContext = {
  isToolApproved: () => undefined,
  getRejectionMessage: () => undefined,
  approveTool: () => undefined,
};

function setupOf({ parts }: AgentRun): Setup {
  return (agents.get(parts.native) as GuardedAgent).setup;
}

const searched = new WeakSet<object>();

/** Finds agents that run inside a tool. The SDK keeps them in closures, but it asks each one for its tools. */
function findNested(agent: NativeAgent): void {
  let prototype = Object.getPrototypeOf(agent) as NativeAgent | null;
  while (prototype !== null && !Object.hasOwn(prototype, 'getAllTools'))
    prototype = Object.getPrototypeOf(prototype) as NativeAgent | null;
  if (prototype === null || searched.has(prototype)) return;
  searched.add(prototype);
  for (const name of ['getEnabledHandoffs', 'getAllTools'] as const) {
    const original = prototype[name] as (...given: unknown[]) => unknown;
    Object.defineProperty(prototype, name, {
      configurable: true,
      writable: true,
      value(this: NativeAgent, ...given: unknown[]) {
        const parent = running.getStore();
        if (parent === undefined || agents.has(this)) return original.apply(this, given);
        attach(setupOf(parent), this, [...parent.parts.path, this.name]);
        return (this[name] as (...args: unknown[]) => unknown)(...given);
      },
    });
  }
}
