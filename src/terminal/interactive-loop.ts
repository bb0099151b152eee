/** A conversation with an agent at the terminal: reads prompts and slash commands, runs turns, and shows what happens. */

import type { Agent } from '../agent/agent.ts';
import type { AgentSession } from '../agent/session/agent-session.ts';
import type { TurnResult } from '../agent/turn/turn-result.ts';
import type { CallRequest } from '../kernel/call.ts';
import { BridleError, type ErrorCode, messageOf } from '../kernel/errors.ts';
import type { BridleEvent } from '../kernel/hooks/points/events.ts';
import { completeName, type Completion } from './input/completion.ts';
import { closestName } from '../kernel/similar-names.ts';
import { allCommands, type LoopControl, type SlashCommand } from './loop-commands.ts';
import { type OpenTerminal, openTerminal, type TerminalListener } from './open-terminal.ts';
import { safeText } from './output/safe-text.ts';
import type { TurnOutcome } from './renderer/renderer.ts';

export interface InteractiveLoopOptions {
  /** Default: the terminal of this process. */
  readonly terminal?: OpenTerminal | undefined;
  /** By name, without the slash. `/help`, `/details`, `/cancel` and `/quit` are always there. */
  readonly commands?: Readonly<Record<string, SlashCommand>> | undefined;
  /** Runs these prompts instead of reading lines, then ends. */
  readonly prompts?: readonly string[] | undefined;
  /** The text of the prompt line. Default: `> `. */
  readonly promptLine?: (() => string) | undefined;
  /** Ends the loop, and cancels the running turn, when it is aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Called when the agent is started, before the first prompt. */
  readonly onStart?: ((loop: LoopControl) => void) | undefined;
  /** Called for every event of the agent. */
  readonly onEvent?: ((event: BridleEvent) => void) | undefined;
  /** Called after each turn. */
  readonly onOutcome?: ((outcome: TurnOutcome, loop: LoopControl) => void) | undefined;
  /** The note below the answer of each turn. */
  readonly statusLine?: ((result: TurnResult, loop: LoopControl) => string | undefined) | undefined;
  /** Called when the loop has ended, before the agent is stopped. */
  readonly onEnd?: ((loop: LoopControl) => void) | undefined;
}

/**
 * Talks with an agent at the terminal until the person ends it. Starts the agent, and stops it at the end, unless it is
 * started already; then `terminal.hook` must be one of its hooks. To let the person approve calls, create the agent with
 * `openTerminal().approver`.
 *
 * @example
 * ```ts
 * import { safeDefaults } from 'bridle';
 * import { createAgent } from 'bridle/agent';
 * import { interactiveLoop, openTerminal } from 'bridle/terminal';
 *
 * const { approver } = openTerminal();
 * await interactiveLoop(createAgent({ model: 'anthropic/claude-opus-5', policy: safeDefaults(), approver }));
 * ```
 */
export async function interactiveLoop(agent: Agent, options: InteractiveLoopOptions = {}): Promise<void> {
  const { terminal = openTerminal() } = options;
  const loop = new InteractiveLoop(agent, terminal, options);
  terminal.connect(loop);
  const isOwner = await startAgent(agent, terminal);
  try {
    await loop.run();
    options.onEnd?.(loop);
  } finally {
    terminal.close();
    try {
      if (isOwner) await agent.stop();
    } finally {
      terminal.renderer.finish();
    }
  }
}

/** Returns false if the agent was started before. */
async function startAgent(agent: Agent, terminal: OpenTerminal): Promise<boolean> {
  if (isStarted(agent)) {
    if (terminal.sees(agent.sessionId)) return false;
    throw new BridleError(
      'OPTION_INVALID',
      'interactiveLoop: the agent is started, and the terminal does not see its events; pass the agent before start()',
    );
  }
  try {
    agent.register(terminal.hook);
  } catch (error) {
    // It is one of the agent's hooks already.
    if (!hasCode(error, 'HOOK_DUPLICATE')) throw error;
  }
  try {
    await agent.start();
  } catch (error) {
    terminal.close();
    throw error;
  }
  return true;
}

function isStarted(agent: Agent): boolean {
  try {
    return agent.sessionId !== '';
  } catch (error) {
    if (hasCode(error, 'AGENT_STATE')) return false;
    throw error;
  }
}

/** Compares the code only, because an agent may come from another copy of this package. */
function hasCode(error: unknown, code: ErrorCode): boolean {
  return (error as { readonly code?: unknown } | null)?.code === code;
}

class InteractiveLoop implements LoopControl, TerminalListener {
  private current: AgentSession | undefined;
  private isBusy = false;
  private interrupts = 0;
  private readonly ending = new AbortController();
  private readonly signal: AbortSignal;
  private readonly commands: ReadonlyMap<string, SlashCommand>;

  constructor(
    readonly agent: Agent,
    readonly terminal: OpenTerminal,
    private readonly options: InteractiveLoopOptions,
  ) {
    const { signal, commands = {} } = options;
    this.signal = signal === undefined ? this.ending.signal : AbortSignal.any([signal, this.ending.signal]);
    this.commands = allCommands(commands);
  }

  get session(): AgentSession {
    return (this.current ??= this.agent.session);
  }

  set session(session: AgentSession) {
    this.current = session;
  }

  end(): void {
    this.ending.abort();
  }

  interrupt(): void {
    this.onInterrupt();
  }

  async run(): Promise<void> {
    const { options, terminal } = this;
    options.onStart?.(this);
    if (options.prompts !== undefined) {
      for (const prompt of options.prompts) await terminal.whileRunning(() => this.runTurn(prompt));
      return;
    }
    while (!this.signal.aborted) {
      const line = await terminal.readLine(options.promptLine?.() ?? '> ', this.signal);
      if (line === undefined || (terminal.isInteractive && isExitWord(line))) return;
      this.interrupts = 0;
      await terminal.whileRunning(() => this.runLine(line));
    }
  }

  onEvent(event: BridleEvent): void {
    this.options.onEvent?.(event);
    this.terminal.renderer.showEvent(event);
  }

  async problemOf(call: CallRequest): Promise<string | undefined> {
    return (await this.agent.guard.policy.decide(call)).problem;
  }

  complete(text: string, cursor: number): Completion | undefined {
    const tools = this.agent.tools.map(({ name }) => name);
    return completeName(text.slice(0, cursor), { commands: [...this.commands.keys()], tools });
  }

  /** The first Ctrl-C cancels the turn, the second ends the session, the third exits immediately. */
  onInterrupt(): 'stay' | 'leave' {
    const { renderer } = this.terminal;
    this.interrupts++;
    if (this.interrupts > 2) process.exit(130);
    if (this.interrupts > 1) {
      renderer.showNote('Ctrl-C: ending the session');
      this.end();
      return 'leave';
    }
    if (this.isBusy) {
      renderer.showNote('Ctrl-C: cancelling the turn (press it again to end the session)');
      this.session.cancel();
    } else renderer.showNote('Nothing is running. Press Ctrl-C again to exit.');
    return 'stay';
  }

  /** Ctrl-O opens what was folded last. */
  onShortcut(): void {
    const { renderer } = this.terminal;
    if (renderer.openFolded?.() !== true) renderer.showNote('Ctrl-O: nothing is folded.');
  }

  onLine(line: string): boolean {
    if (line.trim() === '/cancel') this.session.cancel();
    else if (line.trim() === '/quit' || isExitWord(line)) this.end();
    else return false;
    return true;
  }

  private async runLine(line: string): Promise<void> {
    if (line.trim() === '') return;
    if (!line.startsWith('/')) return this.runTurn(line);
    const text = await this.runCommand(line);
    if (text !== '') this.terminal.renderer.showReply(text);
  }

  private async runTurn(prompt: string): Promise<void> {
    const { options, terminal, session, signal } = this;
    if (signal.aborted) return;
    this.isBusy = true;
    const outcome = await outcomeOf(session, prompt, signal);
    this.isBusy = false;
    // A Ctrl-C that cancelled this turn does not count at the next prompt.
    this.interrupts = 0;
    terminal.renderer.showOutcome(outcome);
    options.onOutcome?.(outcome, this);
    const status = outcome.type === 'result' ? options.statusLine?.(outcome.result, this) : undefined;
    if (status !== undefined) terminal.renderer.showNote(status);
  }

  /** Runs a line that starts with `/`. A command that fails says why, and the loop continues. */
  private async runCommand(line: string): Promise<string> {
    const [, name = '', rest = ''] = /^\/(\S*)\s*(.*)$/s.exec(line.trim()) ?? [];
    const command = this.commands.get(name);
    if (command === undefined) {
      const meant = closestName(name, this.commands.keys());
      const hint = meant === undefined ? '' : ` Did you mean /${meant}?`;
      return `There is no command /${safeText(name)}.${hint} See /help.`;
    }
    try {
      return await command.run(this, rest);
    } catch (error) {
      return `/${name} failed: ${safeText(messageOf(error))}`;
    }
  }
}

async function outcomeOf(session: AgentSession, prompt: string, signal: AbortSignal): Promise<TurnOutcome> {
  try {
    return { type: 'result', result: await session.chat(prompt, { signal }) };
  } catch (error) {
    return { type: 'failed', error };
  }
}

/** Words that end a session, as in a shell, instead of being sent to the model. */
function isExitWord(line: string): boolean {
  return ['exit', 'quit'].includes(line.trim().toLowerCase());
}
