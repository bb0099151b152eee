/** A chat with a person at a terminal. */

import type { Agent } from '../../agent/agent.ts';
import type { Approver } from '../../kernel/approval.ts';
import type { CallRequest } from '../../kernel/call.ts';
import type { Hook } from '../../kernel/hooks/registration/hook.ts';
import type { ChatSettings } from './chat-settings.ts';
import { ChatSession, type ChatUi } from './chat-session.ts';
import { type ExitCode, exitCodes } from '../command/exit-codes.ts';
import { Keyboard } from '../../terminal/dialogs/keyboard.ts';
import type { Lifetime } from '../command/lifetime.ts';
import { paintWith } from '../../terminal/output/paint.ts';
import { Screen } from '../../terminal/output/screen.ts';
import { Terminal } from '../../terminal/dialogs/terminal.ts';
import type { TerminalStreams } from '../../terminal/output/streams.ts';
import { terminalApprover } from '../../terminal/dialogs/terminal-approver.ts';
import { terminalQuestions } from '../../terminal/dialogs/terminal-questions.ts';
import { TextRenderer } from '../../terminal/renderer/text-renderer.ts';
import { safeText } from '../../terminal/output/safe-text.ts';

const hint = '(press Ctrl-C again, or Ctrl-D, to end the session)';

export class TerminalChatUi implements ChatUi {
  readonly approver: Approver;
  readonly hook: Hook;
  private readonly screen: Screen;
  private readonly keyboard: Keyboard;
  private readonly terminal: Terminal;
  private readonly session: ChatSession;
  private interrupts = 0;

  constructor(
    { input, output }: TerminalStreams,
    private readonly settings: ChatSettings,
    private readonly lifetime: Lifetime,
  ) {
    const { colours, askTimeoutMs, limits } = settings;
    const screen = new Screen(output, paintWith(colours), (write) => this.keyboard.writeAbove(write));
    // The approver shows the question itself.
    const hiddenEvents = new Set(['tool_asked'] as const);
    const renderer = new TextRenderer({ answer: screen, notes: screen, hiddenEvents });
    this.screen = screen;
    this.session = new ChatSession({ renderer, lifetime, limits, showsStatus: true });
    this.keyboard = new Keyboard(input, output, {
      onInterrupt: () => this.interrupt(),
      onLine: (line) => this.handleTypedLine(line),
    });
    this.terminal = new Terminal({ keyboard: this.keyboard, screen, input, output, colours });
    const problemOf = (call: CallRequest): Promise<string | undefined> => this.session.problemOf(call);
    this.approver = terminalApprover(this.terminal, { paint: screen.paint, problemOf });
    this.hook = {
      name: 'terminal',
      onEvent: (event) => this.session.event(event),
      onInteraction: terminalQuestions(this.terminal, askTimeoutMs),
    };
    lifetime.onInterrupt(() => void this.interrupt());
  }

  async run(agent: Agent): Promise<ExitCode> {
    const { prompt } = this.settings;
    if (prompt === undefined) this.greet();
    this.session.begin(agent);
    for (const warning of agent.warnings) this.screen.line(`! ${safeText(warning)}`, 'warn');
    try {
      if (prompt === undefined) return await this.runLoop();
      await this.terminal.whileRunning(() => this.session.runTurn(prompt));
      return this.session.exitCode;
    } finally {
      this.keyboard.close();
    }
  }

  finish(): void {
    this.session.finish();
  }

  note(text: string): void {
    this.screen.line(safeText(text), 'dim');
  }

  private greet(): void {
    const { version, modelName, cwd } = this.settings;
    const greeting = `Bridle ${version} · ${safeText(modelName)} · ${safeText(cwd)} · /help for help, Ctrl-D to exit`;
    this.screen.line(greeting, 'dim');
  }

  private async runLoop(): Promise<ExitCode> {
    while (!this.lifetime.isOver) {
      this.screen.startLine();
      const line = await this.keyboard.readLine('> ', this.lifetime.signal);
      if (line === undefined) break;
      this.interrupts = 0;
      if (isExitWord(line) || !(await this.terminal.whileRunning(() => this.session.handleLine(line)))) break;
    }
    return exitCodes.ok;
  }

  /** The first Ctrl-C cancels the turn, the second ends the session, the third exits immediately. */
  private interrupt(): 'stay' | 'leave' {
    this.interrupts++;
    if (this.interrupts > 2) this.lifetime.endNow();
    if (this.interrupts > 1) {
      this.lifetime.end();
      return 'leave';
    }
    if (this.session.isBusy) this.session.cancel();
    else this.screen.line(hint, 'dim');
    return 'stay';
  }

  private handleTypedLine(line: string): boolean {
    if (line.trim() === '/cancel') this.session.cancel();
    else if (line.trim() === '/quit' || isExitWord(line)) this.lifetime.end();
    else return false;
    return true;
  }
}

/** Words that end a session, as in a shell, instead of being sent to the model. */
function isExitWord(line: string): boolean {
  return ['exit', 'quit'].includes(line.trim().toLowerCase());
}
