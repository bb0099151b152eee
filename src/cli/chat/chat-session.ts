/** Runs the turns and slash commands of one chat session and keeps its exit code. */

import type { Agent } from '../../agent/agent.ts';
import type { Approver } from '../../kernel/approval.ts';
import type { Hook } from '../../kernel/hooks/registration/hook.ts';
import type { CallRequest } from '../../kernel/call.ts';
import type { BridleEvent } from '../../kernel/hooks/points/events.ts';
import { type ExitCode, exitCodes } from '../command/exit-codes.ts';
import type { Lifetime } from '../command/lifetime.ts';
import type { Renderer, TurnOutcome } from '../../terminal/renderer/renderer.ts';
import { isSlashCommand, runSlashCommand } from './slash-commands.ts';
import { type SessionLimits, statusLine } from './status-line.ts';
import { safeText } from '../../terminal/output/safe-text.ts';

/** The user interface of a chat: a terminal, or pipes. */
export interface ChatUi {
  readonly approver: Approver;
  /** Shows events and, at a terminal, asks the person the model's questions. */
  readonly hook: Hook;
  /** Runs the chat until it ends. */
  run(agent: Agent): Promise<ExitCode>;
  /** Shows a note about the session. */
  note(text: string): void;
  /** Called when the session has ended. */
  finish(): void;
}

export interface ChatSessionParts {
  readonly renderer: Renderer;
  readonly lifetime: Lifetime;
  readonly limits: SessionLimits;
  /** Show a status line after each turn, and a note when a session is resumed. */
  readonly showsStatus: boolean;
}

export class ChatSession {
  /** True while a turn runs. */
  isBusy = false;
  /** The worst exit code of all turns so far. */
  exitCode: ExitCode = exitCodes.ok;
  private agent: Agent | undefined;
  private hasRefusal = false;

  constructor(private readonly parts: ChatSessionParts) {}

  begin(agent: Agent): void {
    this.agent = agent;
    const { length } = agent.history;
    if (length === 0 || !this.parts.showsStatus) return;
    this.parts.renderer.showNote(
      `session ${safeText(agent.sessionId)}: resumed, ${length} message${length === 1 ? '' : 's'}`,
    );
  }

  /** Why a call is invalid; undefined if it is valid. */
  async problemOf(call: CallRequest): Promise<string | undefined> {
    return (await this.agent?.guard.policy.decide(call))?.problem;
  }

  /** Called for every event of the session. */
  event(event: BridleEvent): void {
    if (event.type === 'tool_denied') this.hasRefusal = true;
    this.parts.renderer.showEvent(event);
  }

  cancel(): void {
    this.agent?.cancel();
  }

  finish(): void {
    this.parts.renderer.finish();
  }

  /** Runs one line of input, a slash command or a prompt; returns false if it ends the session. */
  async handleLine(line: string): Promise<boolean> {
    const { agent } = this;
    if (line.trim() === '' || agent === undefined) return true;
    if (!isSlashCommand(line)) {
      await this.runTurn(line);
      return true;
    }
    const { text, quits } = await runSlashCommand(line, { agent, limits: this.parts.limits });
    if (text !== '') this.parts.renderer.showReply(text);
    return quits !== true;
  }

  async runTurn(prompt: string): Promise<void> {
    const { agent } = this;
    const { renderer, lifetime, limits, showsStatus } = this.parts;
    if (agent === undefined || lifetime.isOver) return;
    this.hasRefusal = false;
    this.isBusy = true;
    const outcome = await outcomeOf(agent, prompt, lifetime.signal);
    this.isBusy = false;
    renderer.showOutcome(outcome);
    if (showsStatus && outcome.type === 'result') renderer.showNote(statusLine(outcome.result, agent, limits));
    this.exitCode = worseCode(this.exitCode, codeOf(outcome, this.hasRefusal));
  }
}

async function outcomeOf(agent: Agent, prompt: string, signal: AbortSignal): Promise<TurnOutcome> {
  try {
    return { type: 'result', result: await agent.chat(prompt, { signal }) };
  } catch (error) {
    return { type: 'failed', error };
  }
}

function codeOf(outcome: TurnOutcome, refused: boolean): ExitCode {
  if (outcome.type === 'failed') return exitCodes.negative;
  const { stopReason } = outcome.result;
  if (stopReason === 'cancelled') return exitCodes.cancelled;
  if (stopReason !== 'end' && stopReason !== 'finished') return exitCodes.negative;
  return refused ? exitCodes.refused : exitCodes.ok;
}

const bySeverity: readonly ExitCode[] = [exitCodes.ok, exitCodes.refused, exitCodes.negative, exitCodes.cancelled];

function worseCode(a: ExitCode, b: ExitCode): ExitCode {
  return bySeverity.indexOf(a) >= bySeverity.indexOf(b) ? a : b;
}
