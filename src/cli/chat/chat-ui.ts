import type { Agent } from '../../agent/agent.ts';
import type { Approver } from '../../kernel/approval.ts';
import type { Hook } from '../../kernel/hooks/registration/hook.ts';
import type { ExitCode } from '../exit/exit-codes.ts';

/** One way to hold a conversation: with a person at a terminal, or through pipes. */
export interface ChatUi {
  readonly approver: Approver;
  /** Shows events, and answers questions where somebody can. */
  readonly hook: Hook;
  /** Holds the conversation to its end. */
  run(agent: Agent): Promise<ExitCode>;
  /** Shows something about the session that is no event. */
  note(text: string): void;
  /** The session has ended. */
  finish(): void;
}
