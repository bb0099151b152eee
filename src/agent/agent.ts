/**
 * An agent: put together once, started once, asked as often as you like, stopped once. Whatever it opens when it starts
 * it closes when it stops, or when starting fails.
 */

import { deadlinesOf } from '../kernel/deadlines.ts';
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
import { SessionRegistry } from './session/session-registry.ts';
import type { Assembly } from './assembly/assemble.ts';
import { createCaller, loadModels, planSubagents } from './assembly/agent-models.ts';
import { checkAgentSessionOptions } from './options/check-options.ts';
import { LoopLifecycle } from './assembly/loop-lifecycle.ts';
import type { ModelCaller } from './model/model-caller.ts';
import { refuseUncoveredTools, uncoveredToolCheck } from './assembly/refuse-uncovered-tools.ts';
import { knownToolsOf, refuseUnknownTools } from './assembly/refuse-unknown-tools.ts';
import type { AgentRuntime, OpenSessionOptions } from './session/open-session.ts';
import { toPolicyEvent } from './options/policy-input.ts';
import type { PromptInput } from './turn/state/prompt-input.ts';
import { McpServers } from './assembly/mcp-servers.ts';
import { openTelemetry, type Telemetry } from './telemetry/open-telemetry.ts';
import { AgentRuns, type ResumeOptions, type RunOptions } from './runs/agent-runs.ts';
import type { RunResult } from './runs/run-result.ts';
import { RunningTriggers } from './options/triggers.ts';
import type { TurnResult } from './turn/state/turn-result.ts';
import type { TurnStream } from './session/turn-stream.ts';
import type { UsageReport } from './session/session-usage.ts';

/** What is open while an agent runs. */
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
  /** Until it starts, an agent takes every tool, and then refuses to start with some of them. */
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
    this.loop = new LoopLifecycle(parts.loop, deadlinesOf(parts.clock));
    const { guard, toolRegistry: kit } = parts;
    const emit = (event: EventBody): void => this.broadcast(event);
    this.servers = new McpServers({
      guard,
      toolRegistry: kit,
      pins,
      emit,
      isExcluded: (tool) => this.isExcluded(tool),
    });
  }

  /** The guard every tool call passes: `agent.guard.policy.explain(call)` tells what it would say. */
  get guard(): Guard {
    return this.assembly.parts.guard;
  }

  /** What MCP tools looked like when they were first seen, and which have changed since. */
  get pins(): Pins {
    return this.assembly.pins;
  }

  /** What looks odd and is no error. */
  get warnings(): readonly string[] {
    const { review } = this.assembly;
    return [...new Set([...this.guard.warnings, ...review(this.guard.tools), ...this.servers.warnings])];
  }

  /** The tools the model sees. */
  get tools(): readonly ListedTool[] {
    const { parts, hides } = this.assembly;
    return parts.toolRegistry.listingFor(hides, () => this.guard.tools).listed;
  }

  /** The first of its agent path. */
  get name(): string {
    return this.assembly.name;
  }

  /** What it keeps its runs in, if it has a store. */
  get store(): Store | undefined {
    return this.assembly.options.store;
  }

  /** The id of the main session; it stays readable after `stop()`. */
  get sessionId(): string {
    return this.requireStarted().id;
  }

  /** The conversation of the main session; it stays readable after `stop()`. */
  get history(): readonly Message[] {
    return this.requireStarted().history;
  }

  /** Tokens and cost of the main session; they stay readable after `stop()`. */
  get usage(): UsageReport {
    return this.requireStarted().usage;
  }

  /** The session that `chat` and `stream` speak to. */
  get session(): AgentSession {
    return this.getMain();
  }

  /** Adds a hook before the start; the returned function removes it again. */
  register(hook: Hook): () => void {
    const undo = this.guard.register(hook);
    this.addedHooks.push(hook);
    return () => {
      undo();
      this.addedHooks.splice(this.addedHooks.indexOf(hook), 1);
    };
  }

  /** Connects servers, loads models, opens the session, starts triggers; all of it, or nothing. */
  async start(): Promise<this> {
    if (this.starting !== undefined) throw new BridleError('AGENT_STATE', 'the agent has been started already');
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

  /** Asks the agent and waits for what comes of it. */
  async chat<Data = JsonValue>(prompt: PromptInput, options?: ChatOptions<Data>): Promise<TurnResult<Data>> {
    return this.getMain().chat(prompt, options);
  }

  /** {@link chat}, to be watched while it happens. */
  stream<Data = JsonValue>(prompt: PromptInput, options?: ChatOptions<Data>): TurnStream<Data> {
    return this.getMain().stream(prompt, options);
  }

  /**
   * Asks the agent in a session of its own that outlives this process: killed at any moment, the same id goes on where
   * it was, here or elsewhere. Needs a store.
   */
  async run(prompt: PromptInput, options?: RunOptions): Promise<RunResult> {
    return this.runsFor(options?.id).run(prompt, options);
  }

  /** Goes on with a run wherever it was left. */
  async resume(id: string, options?: ResumeOptions): Promise<RunResult> {
    return this.runsFor(id).resume(id, options);
  }

  /** Cancels the turn that runs now. */
  cancel(): void {
    this.started?.main.cancel();
  }

  /** Makes the conversation shorter now. */
  async compact(): Promise<number> {
    return this.getMain().compact();
  }

  /** Opens a further session of this agent. It ends with the agent, or when it is stopped. */
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

  /** Ends every session and closes everything that was opened; twice is once. */
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

  /** A run is a session of its own: two of one name here could not be told apart. */
  private runsFor(id = ''): AgentRuns {
    if (!this.sessions.has(id)) return this.runs;
    throw new BridleError('RUN_STATE', `"${id}" is a session that is open here; take another id for the run`);
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

  /** Tells every session of something that concerns them all. */
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

  /** The main session, which may have ended. */
  private requireStarted(): AgentSession {
    if (this.started === undefined)
      throw new BridleError('AGENT_STATE', 'the agent is not started: await agent.start()');
    return this.started.main;
  }
}
