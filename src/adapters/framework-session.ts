/**
 * A session of a framework: its turns, and the calls of its agents. A framework has no end of a turn that every adapter
 * can see, so turns are kept by key, and those that were not used for the longest time are ended.
 */

import type { ToolView } from '../kernel/catalog/catalog.ts';
import { BridleError } from '../kernel/errors.ts';
import type { CallResult } from '../kernel/guard/calls/call-result.ts';
import type { ToolHost } from '../kernel/guard/calls/run-tool.ts';
import type { Session } from '../kernel/guard/session.ts';
import { refuseUncovered } from '../kernel/guard/refuse-uncovered.ts';
import type { PointName } from '../kernel/hooks/points/points.ts';
import { SessionState } from '../kernel/guard/state/session-state.ts';
import { Turn } from '../kernel/guard/turn.ts';
import { type CallId } from '../kernel/ids.ts';
import { getOrCreate } from '../kernel/lazy.ts';
import type { ToolDeclaration } from '../kernel/tool.ts';
import { type DecidedCall, decideCall, type EndedCall, type ToolRun } from './decided-call.ts';
import { callKey, type GivenAnswer, type PausedQuestion, type PausedQuestions } from './paused-questions.ts';

/** A call as the framework is about to run it. */
export interface FrameworkCall {
  readonly id: string;
  /** The declared tool: its schema, and its server if it has one. */
  readonly tool: ToolDeclaration;
  readonly args: unknown;
  /** Agent names from the root agent to the one that calls. Default: `main`. */
  readonly agent?: readonly string[] | undefined;
  /** Identifies the turn within the session. */
  readonly turn?: string | undefined;
  /** The number of the model call within the turn. */
  readonly step?: number | undefined;
}

/** Which turn of which agent. */
export type TurnKey = Pick<FrameworkCall, 'agent' | 'turn' | 'step'>;

interface OpenTurn {
  readonly turn: Turn;
  active: number;
}

const maxTurns = 200;
const mainAgent: readonly string[] = ['main'];

export class FrameworkSession {
  private readonly agents = new Map<string, SessionState>();
  private readonly turns = new Map<string, OpenTurn>();
  private isEnded = false;

  constructor(
    private readonly session: Session,
    private readonly questions: PausedQuestions,
  ) {}

  get id(): string {
    return this.session.id;
  }

  /** True if a call of this session is running or waits to run. */
  get isActive(): boolean {
    return [...this.turns.values()].some(({ active }) => active > 0);
  }

  /** True if this point has hooks. */
  hasHooks(point: Exclude<PointName, 'onEvent'>): boolean {
    return !this.session.parts.hooks.chains[point].isEmpty;
  }

  /** The turn with this key. It begins with its first use. */
  turn(key: TurnKey): Turn {
    return this.openTurn(key).turn;
  }

  endTurn(key: TurnKey): void {
    const name = turnName(key);
    this.turns.get(name)?.turn.end();
    this.turns.delete(name);
  }

  /** Decides a call without running it. `answer` is what a person said about it in the framework's pause. */
  decide(call: FrameworkCall, answer?: GivenAnswer): Promise<DecidedCall> {
    const { tool, id, args } = call;
    let open: OpenTurn | undefined;
    const start = (host: ToolHost): Promise<CallResult> => {
      this.checkCovered(tool);
      open = this.openTurn(call);
      open.active++;
      const request = { id, tool: tool.name, server: tool.server, args };
      return open.turn.guardWith((tools) => withTool(tools, tool), request, host);
    };
    return decideCall({
      guard: (host) =>
        answer === undefined ? start(host) : this.questions.withAnswer(this.keyOf(call), answer, () => start(host)),
      question: () => this.questions.of(this.keyOf(call)),
      isCancelled: () => open?.turn.isCancelled === true,
      onEnd: () => open !== undefined && open.active--,
    });
  }

  /** Decides a call and runs it if it may run. */
  async call(
    call: FrameworkCall,
    run: ToolRun,
    { answer, signal }: { readonly answer?: GivenAnswer | undefined; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<EndedCall | Exclude<DecidedCall, { type: 'runs' }>> {
    const decided = await this.decide(call, answer);
    return decided.type === 'runs' ? decided.run(run, signal) : decided;
  }

  /** The question about a call that waits for an answer. */
  questionOf(call: Pick<FrameworkCall, 'id' | 'agent'>): PausedQuestion | undefined {
    return this.questions.of(this.keyOf(call));
  }

  async end(reason?: string): Promise<void> {
    this.isEnded = true;
    for (const { turn } of this.turns.values()) turn.end();
    this.turns.clear();
    await this.session.end(reason);
  }

  /** The guard has checked the tools that it knew when it was built. */
  private checkCovered(tool: ToolDeclaration): void {
    const { allTools, isUncovered } = this.session.parts;
    const isKnown = allTools.find(tool.server, tool.name).tool !== undefined;
    if (!isKnown && isUncovered(tool)) refuseUncovered([tool], 'TOOL_UNCOVERED');
  }

  private keyOf({ id, agent = mainAgent }: Pick<FrameworkCall, 'id' | 'agent'>): string {
    return callKey({ session: this.session.id, agent, id: id as CallId });
  }

  private openTurn(key: TurnKey): OpenTurn {
    // An adapter may keep a session for as long as a run takes.
    if (this.isEnded) throw new BridleError('SESSION_ENDED', 'the session has ended');
    const name = turnName(key);
    const open = getOrCreate(this.turns, name, () => ({
      turn: new Turn(this.stateOf(key.agent ?? mainAgent), 'user'),
      active: 0,
    }));
    // The turns are in order of their last use.
    if (this.turns.size > 1) {
      this.turns.delete(name);
      this.turns.set(name, open);
    }
    while (open.turn.step < (key.step ?? 1)) open.turn.nextStep();
    this.endIdle();
    return open;
  }

  private endIdle(): void {
    if (this.turns.size <= maxTurns) return;
    for (const [name, { turn, active }] of this.turns) {
      if (active > 0) continue;
      turn.end();
      this.turns.delete(name);
      return;
    }
  }

  /** What an agent sees of the session: a subagent has its own path. */
  private stateOf(agent: readonly string[]): SessionState {
    const { session } = this;
    if (isMain(agent)) return session;
    return getOrCreate(this.agents, JSON.stringify(agent), () => {
      const info = Object.freeze({ ...session.info, agent: Object.freeze([...agent]) });
      return new SessionState(session.parts, info, session);
    });
  }
}

function isMain(agent: readonly string[]): boolean {
  return agent.length === 1 && agent[0] === 'main';
}

/** Nearly all turns are of the main agent, so their names are made without JSON, which begins with a bracket. */
function turnName({ agent = mainAgent, turn = '' }: TurnKey): string {
  return isMain(agent) ? `main ${turn}` : JSON.stringify([agent, turn]);
}

/** The view with this declaration of a tool: two agents may have different tools of the same name. */
function withTool(tools: ToolView, tool: ToolDeclaration): ToolView {
  return {
    list: () => tools.list(),
    find: (server, name) => (server === tool.server && name === tool.name ? { tool } : tools.find(server, name)),
  };
}
