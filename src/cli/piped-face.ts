/** A conversation through pipes: one prompt for each line, plain text or JSON. Nobody can be asked, and that means no. */

import { text as readAll } from 'node:stream/consumers';
import { createInterface } from 'node:readline';
import type { Agent } from '../agent/agent.ts';
import type { Approver } from '../approval.ts';
import type { Hook } from '../hooks/hook.ts';
import type { ChatSettings } from './chat-settings.ts';
import { Conversation } from './conversation.ts';
import { lastingQuestion, unasked } from '../policy/reasons.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import type { Face } from './face.ts';
import { JsonRenderer } from './json-renderer.ts';
import type { Lifetime } from './lifetime.ts';
import { paintWith } from './paint.ts';
import type { Renderer } from './renderer.ts';
import { Screen } from './screen.ts';
import type { Streams } from './streams.ts';
import { TextRenderer } from './text-renderer.ts';
import { inset } from './visible-text.ts';

const nobody = 'There is no interactive terminal to ask.';

export class PipedFace implements Face {
  readonly hook: Hook;
  private readonly conversation: Conversation;
  private readonly renderer: Renderer;

  constructor(
    private readonly streams: Streams,
    private readonly settings: ChatSettings,
    private readonly lifetime: Lifetime,
  ) {
    const { json, bounds, prompt } = settings;
    this.renderer = json ? jsonRenderer(streams, prompt !== undefined) : plainRenderer(streams);
    this.conversation = new Conversation({ renderer: this.renderer, lifetime, bounds, status: !json });
    this.hook = { name: 'pipe', onEvent: (event) => this.conversation.event(event) };
    lifetime.onInterrupt(() => (lifetime.isOver ? lifetime.endNow() : lifetime.end(exitCodes.cancelled)));
  }

  readonly approver: Approver = ({ call, questions }) => ({
    type: 'deny',
    by: 'no terminal',
    reason: unasked(call, lastingQuestion(questions) ?? { text: 'It needs approval.' }, nobody),
  });

  async converse(agent: Agent): Promise<ExitCode> {
    const { conversation, settings } = this;
    conversation.begin(agent);
    for (const warning of agent.warnings) this.renderer.note(`! ${inset(warning)}`);
    const { prompt } = settings;
    if (prompt === undefined) await this.eachLine();
    else await conversation.turn(prompt === '-' ? await this.wholeInput() : prompt);
    return conversation.code;
  }

  note(text: string): void {
    this.renderer.note(inset(text));
  }

  finish(): void {
    this.conversation.finish();
  }

  private async eachLine(): Promise<void> {
    const { stdin } = this.streams;
    const { signal } = this.lifetime;
    const lines = createInterface({ input: stdin, crlfDelay: Number.POSITIVE_INFINITY, signal });
    try {
      for await (const line of lines) {
        if (signal.aborted || !(await this.conversation.take(line))) break;
      }
    } finally {
      lines.close();
      stdin.destroy();
    }
  }

  private async wholeInput(): Promise<string> {
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
  return new TextRenderer({ words: new Screen(stdout, paint), notes: new Screen(stderr, paint) });
}

function jsonRenderer({ stdout, stderr }: Streams, resultLast: boolean): Renderer {
  return new JsonRenderer({ lines: stdout, notes: stderr, resultLast });
}
