import type { Agent } from '../../agent/agent.ts';
import type { Approver } from '../../kernel/approval.ts';
import type { Hook } from '../../kernel/hooks/registration/hook.ts';
import type { ExitCode } from '../command/exit-codes.ts';

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
