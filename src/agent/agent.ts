/**
 * An agent: put together once, started once, asked as often as you like, stopped once. Whatever it opens when it starts
 * it closes when it stops, or when starting fails.
 */

import { deadlinesOf } from '../deadlines.ts';
import { BridleError } from '../errors.ts';
import type { Guard } from '../guard/guard.ts';
import type { Session } from '../guard/session.ts';
import type { EventBody } from '../hooks/events.ts';
import type { Hook } from '../hooks/hook.ts';
import type { JsonValue } from '../json.ts';
import type { ListedTool, Message } from '../hooks/payloads.ts';
import type { Pins } from '../mcp/pins.ts';
import type { Store } from '../store/store.ts';
import type { ToolDeclaration } from '../tool.ts';
import type { AgentSession, ChatOptions } from './agent-session.ts';
import { AgentSessions } from './agent-sessions.ts';
import type { Assembly } from './assemble.ts';
import { callerOf, loadAll, planSubagents } from './agent-models.ts';
import { checkSessionChoice } from './check-options.ts';
import { CoreLife } from './core-life.ts';
import type { ModelCaller } from './model-caller.ts';
import { refuseUncoveredTools, uncoveredIn } from './refuse-uncovered.ts';
import { knownTools, refuseUnknown } from './refuse-unknown.ts';
import type { Opening, OpenSessionOptions } from './open-session.ts';
import { policyEvent } from './policy-input.ts';
import type { PromptInput } from './prompt-input.ts';
import { Servers } from './servers.ts';
import { openTelemetry, type Telemetry } from './telemetry/open-telemetry.ts';
import { AgentRuns, type ResumeOptions, type RunOptions } from './runs/agent-runs.ts';
import type { RunResult } from './runs/run-result.ts';
import { RunningTriggers } from './triggers.ts';
import type { TurnResult } from './turn-result.ts';
import type { TurnStream } from './turn-stream.ts';
import type { UsageReport } from './usage-book.ts';

/** What is open while an agent runs. */
interface Opened {
  readonly main: AgentSession;
  readonly opening: Opening;
  readonly triggers: RunningTriggers;
}

export class Agent {
  private readonly servers: Servers;
  private readonly sessions: AgentSessions;
  private readonly openings = new Set<Promise<unknown>>();
  private readonly live = new Map<string, Session>();
  private readonly added: Hook[] = [];
  /** Until it starts, an agent takes every tool, and then refuses to start with some of them. */
  private leavesOut: (tool: ToolDeclaration) => boolean = () => false;
  private starting: Promise<Opened> | undefined;
  private opened: Opened | undefined;
  private stopping: Promise<void> | undefined;
  private unwatch: (() => void) | undefined;
  private readonly runs: AgentRuns;
  private readonly core: CoreLife;

  constructor(private readonly assembly: Assembly) {
    const { parts, pins } = assembly;
    this.sessions = new AgentSessions(assembly);
    this.runs = new AgentRuns(() => this.opening(), assembly.runs);
    this.core = new CoreLife(parts.core, deadlinesOf(parts.clock));
    const { guard, kit } = parts;
    const tell = (event: EventBody): void => this.tell(event);
    this.servers = new Servers({ guard, kit, pins, tell, leavesOut: (tool) => this.leavesOut(tool) });
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
    return parts.kit.listFor(hides, () => this.guard.tools).listed;
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
    return this.begun().id;
  }

  /** The conversation of the main session; it stays readable after `stop()`. */
  get history(): readonly Message[] {
    return this.begun().history;
  }

  /** Tokens and cost of the main session; they stay readable after `stop()`. */
  get usage(): UsageReport {
    return this.begun().usage;
  }

  /** The session that `chat` and `stream` speak to. */
  get session(): AgentSession {
    return this.main();
  }

  /** Adds a hook before the start; the returned function removes it again. */
  register(hook: Hook): () => void {
    const undo = this.guard.register(hook);
    this.added.push(hook);
    return () => {
      undo();
      this.added.splice(this.added.indexOf(hook), 1);
    };
  }

  /** Connects servers, loads models, opens the session, starts triggers; all of it, or nothing. */
  async start(): Promise<this> {
    if (this.starting !== undefined) throw new BridleError('AGENT_STATE', 'the agent has been started already');
    if (this.stopping !== undefined) throw new BridleError('AGENT_STATE', 'the agent has stopped');
    this.starting = this.openAll();
    try {
      this.opened = await this.starting;
      return this;
    } catch (error) {
      await this.close('the start failed').catch(() => undefined);
      throw error;
    }
  }

  /** Asks the agent and waits for what comes of it. */
  async chat<Data = JsonValue>(prompt: PromptInput, options?: ChatOptions<Data>): Promise<TurnResult<Data>> {
    return this.main().chat(prompt, options);
  }

  /** {@link chat}, to be watched while it happens. */
  stream<Data = JsonValue>(prompt: PromptInput, options?: ChatOptions<Data>): TurnStream<Data> {
    return this.main().stream(prompt, options);
  }

  /**
   * Asks the agent in a session of its own that outlives this process: killed at any moment, the same id goes on where
   * it was, here or elsewhere. Needs a store.
   */
  async run(prompt: PromptInput, options?: RunOptions): Promise<RunResult> {
    return this.runsBeside(options?.id).run(prompt, options);
  }

  /** Goes on with a run wherever it was left. */
  async resume(id: string, options?: ResumeOptions): Promise<RunResult> {
    return this.runsBeside(id).resume(id, options);
  }

  /** Cancels the turn that runs now. */
  cancel(): void {
    this.opened?.main.cancel();
  }

  /** Makes the conversation shorter now. */
  async compact(): Promise<number> {
    return this.main().compact();
  }

  /** Opens a further session of this agent. It ends with the agent, or when it is stopped. */
  async open(options: OpenSessionOptions = {}): Promise<AgentSession> {
    checkSessionChoice(options);
    const opening = this.sessions.open(this.opening(), options);
    this.openings.add(opening);
    try {
      return await opening;
    } finally {
      this.openings.delete(opening);
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

  private async openAll(): Promise<Opened> {
    const { assembly } = this;
    const { options, servers } = assembly;
    const models = await loadAll(options.model);
    const plans = await planSubagents(assembly, models);
    await this.servers.connect(servers);
    const hooks = [...(options.hooks ?? []), ...this.added];
    refuseUnknown([this.guard.policy, ...assembly.layers.values()], hooks, knownTools(this.guard, this.servers.known));
    const isUncovered = uncoveredIn(assembly, hooks);
    refuseUncoveredTools(assembly, isUncovered);
    this.leavesOut = isUncovered;
    this.unwatch = assembly.source?.watch?.((change) => this.tell(policyEvent(change)));
    const telemetry = options.telemetry === false ? undefined : await openTelemetry();
    await this.core.start({ agent: assembly.name, cwd: assembly.parts.cwd });
    const newCaller = (): ModelCaller => callerOf(assembly, models);
    const opening: Opening = {
      assembly,
      newCaller,
      plans,
      onOpen: (session) => this.watch(session, telemetry),
      onEnd: (session) => this.forget(session),
    };
    const { session, state } = options;
    const main = await this.sessions.open(opening, { ...session, state });
    const triggers = new RunningTriggers({
      fired: (trigger) => this.tell({ type: 'trigger_fired', trigger }),
      failed: (trigger, message) => this.tell({ type: 'trigger_failed', trigger, message }),
      send: (prompt) => main.send(prompt, 'trigger'),
    });
    triggers.start(options.triggers ?? []);
    return { main, opening, triggers };
  }

  /** A run is a session of its own: two of one name here could not be told apart. */
  private runsBeside(id = ''): AgentRuns {
    if (!this.sessions.has(id)) return this.runs;
    throw new BridleError('RUN_STATE', `"${id}" is a session that is open here; take another id for the run`);
  }

  private forget({ id }: Session): void {
    this.sessions.forget(id);
    this.live.delete(id);
  }

  private watch(session: Session, telemetry: Telemetry | undefined): void {
    this.live.set(session.id, session);
    if (telemetry !== undefined) session.listen(telemetry.observe(session));
  }

  private async close(reason?: string): Promise<void> {
    this.opened?.triggers.stop();
    this.unwatch?.();
    await this.runs.stop();
    while (this.openings.size > 0) await Promise.allSettled(this.openings);
    const ended = await this.sessions.stop(reason);
    ended.push(...(await Promise.allSettled([this.core.stop()])));
    await this.servers.close();
    const failed = ended.find((each) => each.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  /** Tells every session of something that concerns them all. */
  private tell(event: EventBody): void {
    for (const session of this.live.values()) session.emit(() => event);
  }

  private opening(): Opening {
    this.main();
    return (this.opened as Opened).opening;
  }

  private main(): AgentSession {
    if (this.stopping !== undefined) throw new BridleError('AGENT_STATE', 'the agent has stopped');
    return this.begun();
  }

  /** The main session, which may have ended. */
  private begun(): AgentSession {
    if (this.opened === undefined)
      throw new BridleError('AGENT_STATE', 'the agent is not started: await agent.start()');
    return this.opened.main;
  }
}
