/**
 * The `Agent` class. An agent is created once, started once, prompted any number of times, and stopped once.
 * `stop()` closes everything that `start()` opened, and so does a failed start.
 */

import { BridleError } from '../kernel/errors.ts';
import type { Guard } from '../kernel/guard/guard.ts';
import type { Session } from '../kernel/guard/session.ts';
import type { EventBody } from '../kernel/hooks/points/events.ts';
import type { Hook } from '../kernel/hooks/registration/hook.ts';
import type { JsonValue } from '../kernel/json.ts';
import type { ListedTool, Message } from '../kernel/hooks/points/payloads.ts';
import type { Pins } from '../mcp/pins/pins.ts';
import type { Store } from '../store/store.ts';
import type { ToolDeclaration } from '../kernel/tool.ts';
import type { AgentSession, ChatOptions } from './session/agent-session.ts';
import { SessionRegistry, type AgentRuntime, type OpenSessionOptions } from './session/open-session.ts';
import type { Assembly } from './assembly/assemble.ts';
import { createCaller, loadModels, planSubagents } from './assembly/agent-models.ts';
import { LoopLifecycle } from './turn/agent-loop.ts';
import { checkAgentSessionOptions } from './options/check-options.ts';
import type { ModelCaller } from './model/model-caller.ts';
import { refuseUncoveredTools, uncoveredToolCheck, knownToolsOf, refuseUnknownTools } from './assembly/refuse-tools.ts';
import { toPolicyEvent } from './options/policy-input.ts';
import type { PromptInput } from './turn/prompt-input.ts';
import { McpServers } from './assembly/mcp-servers.ts';
import { openTelemetry, type Telemetry } from './telemetry/open-telemetry.ts';
import { readyMadeHooks } from '../ready-made/hook-makers.ts';
import { AgentRuns, type ResumeOptions, type RunOptions } from './runs/agent-runs.ts';
import type { RunResult } from './runs/run-result.ts';
import { RunningTriggers } from './options/triggers.ts';
import type { TurnResult } from './turn/turn-result.ts';
import type { TurnStream } from './session/turn-stream.ts';
import type { UsageReport } from './budget/usage.ts';

/** Everything that is open while the agent is started. */
interface StartedParts {
  readonly main: AgentSession;
  readonly runtime: AgentRuntime;
  readonly triggers: RunningTriggers;
}

export class Agent {
  private readonly servers: McpServers;
  private readonly sessions: SessionRegistry;
  private readonly pendingOpens = new Set<Promise<unknown>>();
  private readonly liveSessions = new Map<string, Session>();
  private readonly addedHooks: Hook[] = [];
  /** Excludes nothing before the start: `start()` itself refuses uncovered tools, so only later ones need excluding. */
  private isExcluded: (tool: ToolDeclaration) => boolean = () => false;
  private starting: Promise<StartedParts> | undefined;
  private started: StartedParts | undefined;
  private stopping: Promise<void> | undefined;
  private stopWatchingPolicy: (() => void) | undefined;
  private readonly runs: AgentRuns;
  private readonly loop: LoopLifecycle;

  constructor(private readonly assembly: Assembly) {
    const { parts, pins } = assembly;
    this.sessions = new SessionRegistry(assembly);
    this.runs = new AgentRuns(() => this.getRuntime(), assembly.runs);
    this.loop = new LoopLifecycle(parts.loop, parts.deadlines);
    const { guard, toolRegistry } = parts;
    const emit = (event: EventBody): void => this.broadcast(event);
    this.servers = new McpServers({
      guard,
      toolRegistry,
      pins,
      emit,
      isExcluded: (tool) => this.isExcluded(tool),
    });
  }

  /** The guard that checks every tool call. `agent.guard.policy.explain(call)` shows how a call would be decided. */
  get guard(): Guard {
    return this.assembly.parts.guard;
  }

  /** The pinned definitions of MCP tools, and which tools have changed since they were pinned. */
  get pins(): Pins {
    return this.assembly.pins;
  }

  /** Problems that do not prevent the agent from running. */
  get warnings(): readonly string[] {
    const { review } = this.assembly;
    return [...new Set([...this.guard.warnings, ...review(this.guard.tools), ...this.servers.warnings])];
  }

  /** The tools that the model sees. */
  get tools(): readonly ListedTool[] {
    const { parts, hides } = this.assembly;
    return parts.toolRegistry.listingFor(hides, this.guard).listed;
  }

  /** The agent's name, which is the first element of every agent path. */
  get name(): string {
    return this.assembly.name;
  }

  /** The agent's store, if it has one. */
  get store(): Store | undefined {
    return this.assembly.options.store;
  }

  /** The id of the main session. Readable after `stop()`. */
  get sessionId(): string {
    return this.requireStarted().id;
  }

  /** The conversation of the main session. Readable after `stop()`. */
  get history(): readonly Message[] {
    return this.requireStarted().history;
  }

  /** Tokens and cost of the main session. Readable after `stop()`. */
  get usage(): UsageReport {
    return this.requireStarted().usage;
  }

  /** The main session, which `chat` and `stream` use. */
  get session(): AgentSession {
    return this.getMain();
  }

  /** Adds a hook before the start. The returned function removes it. */
  register(hook: Hook): () => void {
    const undo = this.guard.register(hook);
    this.addedHooks.push(hook);
    return () => {
      undo();
      this.addedHooks.splice(this.addedHooks.indexOf(hook), 1);
    };
  }

  /** Loads models, connects MCP servers, opens the main session and starts triggers. Closes all of it on failure. */
  async start(): Promise<this> {
    if (this.starting !== undefined) throw new BridleError('AGENT_STATE', 'the agent was already started');
    if (this.stopping !== undefined) throw new BridleError('AGENT_STATE', 'the agent has stopped');
    this.starting = this.openAll();
    try {
      this.started = await this.starting;
      return this;
    } catch (error) {
      await this.close('the start failed').catch(() => undefined);
      throw error;
    }
  }

  /** Runs one turn and returns its result. */
  async chat<Data = JsonValue>(prompt: PromptInput, options?: ChatOptions<Data>): Promise<TurnResult<Data>> {
    return this.getMain().chat(prompt, options);
  }

  /** Like {@link chat}, but streams events while the turn runs. */
  stream<Data = JsonValue>(prompt: PromptInput, options?: ChatOptions<Data>): TurnStream<Data> {
    return this.getMain().stream(prompt, options);
  }

  /**
   * Runs one turn in its own durable session. It survives `kill -9`: calling `run` with the same id, in this process or
   * another, continues where the run stopped. Needs a store.
   */
  async run(prompt: PromptInput, options?: RunOptions): Promise<RunResult> {
    return this.runsFor(options?.id).run(prompt, options);
  }

  /** Continues a run where it stopped. */
  async resume(id: string, options?: ResumeOptions): Promise<RunResult> {
    return this.runsFor(id).resume(id, options);
  }

  /** Cancels the current turn. */
  cancel(): void {
    this.started?.main.cancel();
  }

  /** Compacts the conversation now. Returns the number of messages removed. */
  async compact(): Promise<number> {
    return this.getMain().compact();
  }

  /** Opens another session of this agent. It ends when it is stopped or when the agent stops. */
  async open(options: OpenSessionOptions = {}): Promise<AgentSession> {
    checkAgentSessionOptions(options);
    const opening = this.sessions.open(this.getRuntime(), options);
    this.pendingOpens.add(opening);
    try {
      return await opening;
    } finally {
      this.pendingOpens.delete(opening);
    }
  }

  /** Ends every session and closes everything that was opened. Safe to call twice. */
  stop(reason?: string): Promise<void> {
    return (this.stopping ??= this.stopAll(reason));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  private async stopAll(reason?: string): Promise<void> {
    await this.starting?.catch(() => undefined);
    await this.close(reason);
  }

  private async openAll(): Promise<StartedParts> {
    const { assembly } = this;
    const { options, servers } = assembly;
    const models = await loadModels(options.model);
    const plans = await planSubagents(assembly, models);
    await this.servers.connect(servers);
    for (const hook of (await assembly.source?.loadHooks?.(readyMadeHooks)) ?? []) this.register(hook);
    const hooks = [...(options.hooks ?? []), ...this.addedHooks];
    refuseUnknownTools(
      [this.guard.policy, ...assembly.layers.values()],
      hooks,
      knownToolsOf(this.guard, this.servers.knownTools),
    );
    const isUncovered = uncoveredToolCheck(assembly, hooks);
    refuseUncoveredTools(assembly, isUncovered);
    this.isExcluded = isUncovered;
    this.stopWatchingPolicy = assembly.source?.watch?.((change) => this.broadcast(toPolicyEvent(change)));
    const telemetry = options.telemetry === false ? undefined : await openTelemetry();
    await this.loop.start({ agent: assembly.name, cwd: assembly.parts.cwd });
    const newCaller = (): ModelCaller => createCaller(assembly, models);
    const runtime: AgentRuntime = {
      assembly,
      newCaller,
      plans,
      onOpen: (session) => this.watchSession(session, telemetry),
      onEnd: (session) => this.removeSession(session),
    };
    const { session, state } = options;
    const main = await this.sessions.open(runtime, { ...session, state });
    const triggers = new RunningTriggers({
      fired: (trigger) => this.broadcast({ type: 'trigger_fired', trigger }),
      failed: (trigger, message) => this.broadcast({ type: 'trigger_failed', trigger, message }),
      send: (prompt) => main.send(prompt, 'trigger'),
    });
    triggers.start(options.triggers ?? []);
    return { main, runtime, triggers };
  }

  /** A run has its own session, so its id must differ from those of the open sessions. */
  private runsFor(id = ''): AgentRuns {
    if (!this.sessions.has(id)) return this.runs;
    throw new BridleError(
      'RUN_STATE',
      `a session with the id "${id}" is open in this agent; use another id for the run`,
    );
  }

  private removeSession({ id }: Session): void {
    this.sessions.remove(id);
    this.liveSessions.delete(id);
  }

  private watchSession(session: Session, telemetry: Telemetry | undefined): void {
    this.liveSessions.set(session.id, session);
    if (telemetry !== undefined) session.listen(telemetry.observe(session));
  }

  private async close(reason?: string): Promise<void> {
    this.started?.triggers.stop();
    this.stopWatchingPolicy?.();
    await this.runs.stop();
    while (this.pendingOpens.size > 0) await Promise.allSettled(this.pendingOpens);
    const ended = await this.sessions.stop(reason);
    ended.push(...(await Promise.allSettled([this.loop.stop()])));
    await this.servers.close();
    const failed = ended.find((each) => each.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  /** Emits an event in every session. */
  private broadcast(event: EventBody): void {
    for (const session of this.liveSessions.values()) session.emit(() => event);
  }

  private getRuntime(): AgentRuntime {
    this.getMain();
    return (this.started as StartedParts).runtime;
  }

  private getMain(): AgentSession {
    if (this.stopping !== undefined) throw new BridleError('AGENT_STATE', 'the agent has stopped');
    return this.requireStarted();
  }

  /** The main session, even if it has ended. */
  private requireStarted(): AgentSession {
    if (this.started === undefined)
      throw new BridleError('AGENT_STATE', 'the agent is not started; call await agent.start() first');
    return this.started.main;
  }
}
