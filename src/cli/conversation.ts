/** Turns and commands of one session, whoever shows them: what was asked goes in, an exit code comes out. */

import type { Agent } from '../agent/agent.ts';
import type { CallRequest } from '../call.ts';
import type { BridleEvent } from '../hooks/events.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import type { Lifetime } from './lifetime.ts';
import type { Renderer, TurnOutcome } from './renderer.ts';
import { isSlashCommand, runSlashCommand } from './slash-commands.ts';
import { type Bounds, statusLine } from './status-line.ts';
import { inset } from './visible-text.ts';

export interface ConversationParts {
  readonly renderer: Renderer;
  readonly lifetime: Lifetime;
  readonly bounds: Bounds;
  /** A line after each turn, and one for a session that goes on. */
  readonly status: boolean;
}

export class Conversation {
  /** True while a turn runs. */
  busy = false;
  /** The worst that came of a turn so far. */
  code: ExitCode = exitCodes.ok;
  private agent: Agent | undefined;
  private refused = false;

  constructor(private readonly parts: ConversationParts) {}

  begin(agent: Agent): void {
    this.agent = agent;
    const { length } = agent.history;
    if (length === 0 || !this.parts.status) return;
    this.parts.renderer.note(`session ${inset(agent.sessionId)}: resumed, ${length} message${length === 1 ? '' : 's'}`);
  }

  /** Why a call could not even be read. */
  async problemOf(call: CallRequest): Promise<string | undefined> {
    return (await this.agent?.guard.policy.decide(call))?.problem;
  }

  /** Every event of the session, as it happens. */
  event(event: BridleEvent): void {
    if (event.type === 'tool_denied') this.refused = true;
    this.parts.renderer.event(event);
  }

  cancel(): void {
    this.agent?.cancel();
  }

  finish(): void {
    this.parts.renderer.finish();
  }

  /** One line of input: a command, or a prompt. False if it ends the session. */
  async take(line: string): Promise<boolean> {
    const { agent } = this;
    if (line.trim() === '' || agent === undefined) return true;
    if (!isSlashCommand(line)) {
      await this.turn(line);
      return true;
    }
    const { text, quits } = await runSlashCommand(line, { agent, bounds: this.parts.bounds });
    if (text !== '') this.parts.renderer.say(text);
    return quits !== true;
  }

  async turn(prompt: string): Promise<void> {
    const { agent } = this;
    const { renderer, lifetime, bounds, status } = this.parts;
    if (agent === undefined || lifetime.isOver) return;
    this.refused = false;
    this.busy = true;
    const outcome = await outcomeOf(agent, prompt, lifetime.signal);
    this.busy = false;
    renderer.outcome(outcome);
    if (status && outcome.type === 'result') renderer.note(statusLine(outcome.result, agent, bounds));
    this.code = worse(this.code, codeOf(outcome, this.refused));
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
  if (outcome.type === 'failed') return exitCodes.stopped;
  const { stopReason } = outcome.result;
  if (stopReason === 'cancelled') return exitCodes.cancelled;
  if (stopReason !== 'end' && stopReason !== 'finished') return exitCodes.stopped;
  return refused ? exitCodes.refused : exitCodes.ok;
}

const byWeight: readonly ExitCode[] = [exitCodes.ok, exitCodes.refused, exitCodes.stopped, exitCodes.cancelled];

function worse(a: ExitCode, b: ExitCode): ExitCode {
  return byWeight.indexOf(a) >= byWeight.indexOf(b) ? a : b;
}
