/** A conversation with a person at a terminal. */

import type { Agent } from '../agent/agent.ts';
import type { Approver } from '../approval.ts';
import type { CallRequest } from '../call.ts';
import type { Hook } from '../hooks/hook.ts';
import type { ChatSettings } from './chat-settings.ts';
import { Conversation } from './conversation.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import type { Face } from './face.ts';
import { Keyboard } from './keyboard.ts';
import type { Lifetime } from './lifetime.ts';
import { paintWith } from './paint.ts';
import { Screen } from './screen.ts';
import { Stage } from './stage.ts';
import type { TerminalStreams } from './streams.ts';
import { terminalApprover } from './terminal-approver.ts';
import { terminalQuestions } from './terminal-questions.ts';
import { TextRenderer } from './text-renderer.ts';
import { inset } from './visible-text.ts';

const hint = '(Ctrl-C again, or Ctrl-D, ends the session)';

export class TerminalFace implements Face {
  readonly approver: Approver;
  readonly hook: Hook;
  private readonly screen: Screen;
  private readonly keyboard: Keyboard;
  private readonly stage: Stage;
  private readonly conversation: Conversation;
  private interrupts = 0;

  constructor(
    { input, output }: TerminalStreams,
    private readonly settings: ChatSettings,
    private readonly lifetime: Lifetime,
  ) {
    const { colours, askTimeoutMs, bounds } = settings;
    const screen = new Screen(output, paintWith(colours), (write) => this.keyboard.aside(write));
    // The approver shows the question itself.
    const leaveOut = new Set(['tool_asked'] as const);
    const renderer = new TextRenderer({ words: screen, notes: screen, leaveOut });
    this.screen = screen;
    this.conversation = new Conversation({ renderer, lifetime, bounds, status: true });
    this.keyboard = new Keyboard(input, output, {
      interrupt: () => this.interrupt(),
      typed: (line) => this.typed(line),
    });
    this.stage = new Stage({ keyboard: this.keyboard, screen, input, output, colours });
    const problemOf = (call: CallRequest): Promise<string | undefined> => this.conversation.problemOf(call);
    this.approver = terminalApprover(this.stage, { paint: screen.paint, problemOf });
    this.hook = {
      name: 'terminal',
      onEvent: (event) => this.conversation.event(event),
      onInteraction: terminalQuestions(this.stage, askTimeoutMs),
    };
    lifetime.onInterrupt(() => void this.interrupt());
  }

  async converse(agent: Agent): Promise<ExitCode> {
    const { prompt } = this.settings;
    if (prompt === undefined) this.greet();
    this.conversation.begin(agent);
    for (const warning of agent.warnings) this.screen.line(`! ${inset(warning)}`, 'warn');
    try {
      if (prompt === undefined) return await this.session();
      await this.stage.during(() => this.conversation.turn(prompt));
      return this.conversation.code;
    } finally {
      this.keyboard.close();
    }
  }

  finish(): void {
    this.conversation.finish();
  }

  note(text: string): void {
    this.screen.line(inset(text), 'dim');
  }

  private greet(): void {
    const { version, modelName, cwd } = this.settings;
    const greeting = `Bridle ${version} · ${inset(modelName)} · ${inset(cwd)} · /help tells what you can do, Ctrl-D ends`;
    this.screen.line(greeting, 'dim');
  }

  private async session(): Promise<ExitCode> {
    while (!this.lifetime.isOver) {
      this.screen.startLine();
      const line = await this.keyboard.readLine('> ', this.lifetime.signal);
      if (line === undefined) break;
      this.interrupts = 0;
      if (isFarewell(line) || !(await this.stage.during(() => this.conversation.take(line)))) break;
    }
    return exitCodes.ok;
  }

  /** The first one cancels the turn, the second one ends the session, the third one does not wait for that. */
  private interrupt(): 'stay' | 'leave' {
    this.interrupts++;
    if (this.interrupts > 2) this.lifetime.endNow();
    if (this.interrupts > 1) {
      this.lifetime.end();
      return 'leave';
    }
    if (this.conversation.busy) this.conversation.cancel();
    else this.screen.line(hint, 'dim');
    return 'stay';
  }

  private typed(line: string): boolean {
    if (line.trim() === '/cancel') this.conversation.cancel();
    else if (line.trim() === '/quit' || isFarewell(line)) this.lifetime.end();
    else return false;
    return true;
  }
}

/** What every shell understands, and no model is asked. */
function isFarewell(line: string): boolean {
  return ['exit', 'quit'].includes(line.trim().toLowerCase());
}
