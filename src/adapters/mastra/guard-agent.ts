/**
 * Guards an agent of Mastra. All tools of a run pass through the agent's `convertTools`, all models through its
 * `resolveModelConfig`, and all answers to questions through `resumeStream` or `resumeGenerate`. These are replaced.
 */

import { BridleError } from '../../kernel/errors.ts';
import { quoteName } from '../../kernel/names.ts';
import { type ChatMessage, positionOf } from '../ai-sdk/approvals.ts';
import { type AiModel, type TurnOfCall, withGuardedCalls } from '../ai-sdk/model-calls.ts';
import type { FrameworkGuard } from '../framework-guard.ts';
import type { FrameworkCall } from '../framework-session.ts';
import { refuseElsewhere } from '../framework-setup.ts';
import { checkVersion, refuseMissing } from '../installed-version.ts';
import type { AgentParts, CallOptions, MastraAgent, RunOptions, Step, Tools } from './agent-parts.ts';
import { type AgentRun, currentRun, frameworkName, inRun, isPreparingTools, startRun } from './agent-run.ts';
import { AgentTools, points, withoutExecution } from './agent-tools.ts';
import { ToolCalls } from './tool-calls.ts';

export interface GuardAgentOptions {
  /** The id of the session for runs without a thread. Default: a new id. */
  readonly session?: string | undefined;
  /** The names of agents from the root to this one. Default: `main`. */
  readonly agent?: readonly string[] | undefined;
  /** `unguarded`: accept tools and agents that run elsewhere: at the provider, in the client, on another machine. */
  readonly providerTools?: 'unguarded' | undefined;
}

type Entry = (input: unknown, options?: CallOptions) => Promise<unknown>;

const testedVersions = { name: '@mastra/core', versions: ['1.71.0'] };
const entries = ['generate', 'stream', 'resumeGenerate', 'resumeStream'] as const;
const places = [
  'convertTools',
  'resolveModelConfig',
  'listAgents',
  'listTools',
  'listResolvedInputProcessors',
  '__fork',
  ...entries,
];
/** These run tools in ways that cannot be guarded. */
const refused = ['generateLegacy', 'streamLegacy', 'network', 'resumeNetwork'];
const guards = new WeakMap<object, FrameworkGuard>();

/** Guards all tools, models and subagents of an agent, also those that are added later. Returns the same agent. */
export function guardAgent<A extends MastraAgent>(guard: FrameworkGuard, agent: A, options: GuardAgentOptions = {}): A {
  if (guards.get(agent) === guard) return agent;
  if (guards.has(agent)) throw invalid(`agent ${quoteName(agent.id)} has another guard already`);
  checkVersion(testedVersions);
  const parts = agent as unknown as AgentParts & Record<string, unknown>;
  const found = places.map((name) => [`${name} of the agent`, typeof parts[name] === 'function']);
  refuseMissing('Mastra', Object.fromEntries(found) as Record<string, boolean>);
  if (parts.durable !== undefined || parts.agent !== undefined) {
    throw invalid(`agent ${quoteName(agent.id)} is a durable agent, which Bridle cannot guard`);
  }
  guard.attach({ framework: frameworkName, points, tools: [] });
  guards.set(agent, guard);
  new GuardedAgent(guard, parts, options).attach();
  return agent;
}

function invalid(message: string): BridleError {
  return new BridleError('FRAMEWORK_UNSUPPORTED', message);
}

class GuardedAgent {
  private readonly calls: ToolCalls;
  private readonly tools: AgentTools;
  private readonly models = new WeakSet<object>();
  /** Why nothing may run outside the agent's own runs any more. */
  private refusal: BridleError | undefined;

  constructor(
    private readonly guard: FrameworkGuard,
    private readonly agent: AgentParts,
    private readonly options: GuardAgentOptions,
  ) {
    this.calls = new ToolCalls(guard);
    this.tools = new AgentTools(guard, this.calls, options.providerTools);
  }

  attach(): void {
    const { agent } = this;
    const own = agent as unknown as Record<string, unknown>;
    const original = (name: string): never => (own[name] as () => unknown).bind(agent) as never;
    const convertTools: AgentParts['convertTools'] = original('convertTools');
    const resolveModel: AgentParts['resolveModelConfig'] = original('resolveModelConfig');
    const [listAgents, listTools]: [AgentParts['listAgents'], AgentParts['listTools']] = [
      original('listAgents'),
      original('listTools'),
    ];
    const fork: AgentParts['__fork'] = original('__fork');
    const listProcessors: AgentParts['listResolvedInputProcessors'] = original('listResolvedInputProcessors');
    agent.convertTools = (options) => this.convertTools(convertTools, options);
    agent.resolveModelConfig = (model, context) => {
      const run = currentRun(agent);
      return resolveModel(model, context).then((resolved) => this.guardModel(run, resolved));
    };
    agent.listAgents = (options) => {
      const agents = listAgents(options);
      return agents instanceof Promise ? agents.then((all) => this.guardAgents(all)) : this.guardAgents(agents);
    };
    agent.listTools = async (options) => {
      const run = isPreparingTools() ? currentRun(agent) : undefined;
      const tools = await listTools(options);
      if (run === undefined) return withoutExecution(tools);
      run.sources = tools;
      return tools;
    };
    // Processors may add tools or change the model, so they are checked after them.
    agent.listResolvedInputProcessors = async (...args) => {
      const processors = await listProcessors(...args);
      const run = currentRun(agent);
      if (run === undefined || processors.length === 0) return processors;
      return [...processors, { id: 'bridle', processInputStep: (step: Step) => this.checkStep(run, step, undefined) }];
    };
    agent.__fork = () => guardAgent(this.guard, fork(), this.options);
    for (const name of entries) own[name] = this.entry(name, original(name));
    for (const name of refused) own[name] = () => Promise.reject(invalid(`${name} runs tools unguarded; use stream`));
  }

  /** Starts a run. A function that prepares its steps may add tools or change the model, so its answers are checked. */
  private entry(name: string, original: Entry): Entry {
    return async (input, options = {}) => {
      const resumed = name.startsWith('resume') ? { toolCallId: options.toolCallId, data: input } : undefined;
      const run = startRun(this.agent, { path: this.options.agent ?? ['main'], resumed });
      const { requestContext } = options;
      const defaults = await this.agent.getDefaultOptions(requestContext === undefined ? {} : { requestContext });
      const prepareStep = options.prepareStep ?? defaults?.prepareStep;
      const checked = {
        ...options,
        ...(prepareStep && {
          prepareStep: async (step: Step) => this.checkStep(run, step, await prepareStep(step)),
        }),
        // After a restart, a background task would run unguarded.
        disableBackgroundTasks: true,
      };
      return inRun(run, 'run', () => original(input, checked));
    };
  }

  private async checkStep(run: AgentRun, step: Step, changed: unknown): Promise<unknown> {
    const { tools, model } = { ...step, ...(changed as Step | undefined) };
    const guarded = tools && this.tools.guardAll(run, tools);
    const isKnown = model === undefined || this.models.has(model as object);
    const checked = isKnown
      ? model
      : await inRun(run, 'run', () => this.agent.resolveModelConfig(model, step.requestContext));
    return { ...(changed as object | undefined), ...(guarded && { tools: guarded }), model: checked };
  }

  private async convertTools(original: AgentParts['convertTools'], options: RunOptions): Promise<Tools> {
    const run = currentRun(this.agent);
    if (run === undefined) {
      // A durable agent ignores this error and runs tools that it finds elsewhere, so its model calls fail, too.
      this.refusal = invalid('a guarded agent runs only in its own generate and stream, not in a durable agent');
      throw this.refusal;
    }
    const { runId, threadId, toolsets = {}, model } = options;
    run.id = runId;
    run.model = model === undefined ? '' : `${model.provider}/${model.modelId}`;
    run.session ??= threadId ?? this.options.session ?? this.guard.defaultSession;
    const tools = await inRun(run, 'tools', () => original(options));
    const guarded = this.tools.guardAll(run, tools, [run.sources, ...Object.values(toolsets)]);
    if (run.resumed !== undefined) await this.calls.resume(run, run.resumed, () => this.waitingCall(run, threadId));
    return guarded;
  }

  /** The call that waits in a run, if another process has asked about it. */
  private async waitingCall(run: AgentRun, threadId: string | undefined): Promise<FrameworkCall | undefined> {
    const { runs } = await this.agent.listSuspendedRuns(threadId === undefined ? {} : { threadId });
    const waiting = runs.find(({ runId }) => runId === run.id)?.toolCalls ?? [];
    const call = waiting.find(({ toolCallId }) => toolCallId === (run.resumed?.toolCallId ?? toolCallId));
    const tool = call && run.declared.get(call.toolName);
    return tool && { id: call.toolCallId, tool, args: call.args, agent: run.path, turn: run.id };
  }

  private guardModel(run: AgentRun | undefined, model: AiModel): AiModel {
    if (this.models.has(model)) return model;
    if (model.specificationVersion === 'v1') throw invalid('models of AI SDK 4 cannot be guarded');
    const turnOf: TurnOfCall = ({ prompt, tools = [] }) => {
      if (run === undefined && this.refusal !== undefined) throw this.refusal;
      // Outside a run of this agent, nobody guards the tools.
      const unguarded = tools.filter(({ name }) => run?.tools.has(name) !== true);
      refuseElsewhere(
        unguarded.map(({ name }) => name),
        undefined,
      );
      const { step = 1 } = positionOf(prompt as readonly unknown[] as readonly ChatMessage[]);
      if (run !== undefined) run.step = step;
      const key = { turn: run?.id, agent: run?.path ?? this.options.agent, step };
      const session = this.calls.session(run?.session);
      return session instanceof Promise ? session.then((started) => started.turn(key)) : session.turn(key);
    };
    const guarded = withGuardedCalls(model, turnOf, 'stream');
    this.models.add(guarded);
    return guarded;
  }

  private guardAgents(agents: Readonly<Record<string, AgentParts>>): Readonly<Record<string, AgentParts>> {
    for (const [name, agent] of Object.entries(agents)) {
      if (guards.has(agent)) continue;
      if (typeof agent.convertTools === 'function') guardAgent(this.guard, agent, this.options);
      else refuseElsewhere([name], this.options.providerTools);
    }
    return agents;
  }
}
