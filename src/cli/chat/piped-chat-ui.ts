/** A chat through pipes: each line is a prompt, output is text or JSON. Calls that need approval are denied. */

import { text as readAll } from 'node:stream/consumers';
import { createInterface } from 'node:readline';
import type { Agent } from '../../agent/agent.ts';
import type { Approver } from '../../kernel/approval.ts';
import type { Hook } from '../../kernel/hooks/registration/hook.ts';
import type { ChatSettings } from './chat-settings.ts';
import { ChatSession, type ChatUi } from './chat-session.ts';
import { type ExitCode, exitCodes } from '../command/exit-codes.ts';
import { JsonRenderer } from '../../terminal/renderer/json-renderer.ts';
import type { Lifetime } from '../command/lifetime.ts';
import { paintWith } from '../../terminal/output/paint.ts';
import type { Renderer } from '../../terminal/renderer/renderer.ts';
import { Screen } from '../../terminal/output/screen.ts';
import type { Streams } from '../../terminal/output/streams.ts';
import { denyWithoutTerminal } from '../../terminal/dialogs/terminal-approver.ts';
import { TextRenderer } from '../../terminal/renderer/text-renderer.ts';
import { safeText } from '../../terminal/output/safe-text.ts';

export class PipedChatUi implements ChatUi {
  readonly hook: Hook;
  private readonly session: ChatSession;
  private readonly renderer: Renderer;

  constructor(
    private readonly streams: Streams,
    private readonly settings: ChatSettings,
    private readonly lifetime: Lifetime,
  ) {
    const { json, limits, prompt } = settings;
    this.renderer = json ? jsonRenderer(streams, prompt !== undefined) : plainRenderer(streams);
    this.session = new ChatSession({ renderer: this.renderer, lifetime, limits, showsStatus: !json });
    this.hook = { name: 'pipe', onEvent: (event) => this.session.event(event) };
    lifetime.onInterrupt(() => (lifetime.isOver ? lifetime.endNow() : lifetime.end(exitCodes.cancelled)));
  }

  readonly approver: Approver = denyWithoutTerminal;

  async run(agent: Agent): Promise<ExitCode> {
    const { session, settings } = this;
    session.begin(agent);
    for (const warning of agent.warnings) this.renderer.showNote(`! ${safeText(warning)}`);
    const { prompt } = settings;
    if (prompt === undefined) await this.runEachLine();
    else await session.runTurn(prompt === '-' ? await this.readAllInput() : prompt);
    return session.exitCode;
  }

  note(text: string): void {
    this.renderer.showNote(safeText(text));
  }

  finish(): void {
    this.session.finish();
  }

  private async runEachLine(): Promise<void> {
    const { stdin } = this.streams;
    const { signal } = this.lifetime;
    const lines = createInterface({ input: stdin, crlfDelay: Number.POSITIVE_INFINITY, signal });
    try {
      for await (const line of lines) {
        if (signal.aborted || !(await this.session.handleLine(line))) break;
      }
    } finally {
      lines.close();
      stdin.destroy();
    }
  }

  private async readAllInput(): Promise<string> {
    const { stdin } = this.streams;
    const stop = (): void => void stdin.destroy();
    this.lifetime.signal.addEventListener('abort', stop, { once: true });
    try {
      return await readAll(stdin);
    } catch (error) {
      if (this.lifetime.isOver) return '';
      throw error;
    } finally {
      this.lifetime.signal.removeEventListener('abort', stop);
    }
  }
}

function plainRenderer({ stdout, stderr }: Streams): Renderer {
  const paint = paintWith(false);
  return new TextRenderer({ answer: new Screen(stdout, paint), notes: new Screen(stderr, paint) });
}

function jsonRenderer({ stdout, stderr }: Streams, resultLast: boolean): Renderer {
  return new JsonRenderer({ lines: stdout, notes: stderr, resultLast });
}
