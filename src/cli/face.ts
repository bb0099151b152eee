import type { Agent } from '../agent/agent.ts';
import type { Approver } from '../approval.ts';
import type { Hook } from '../hooks/hook.ts';
import type { ExitCode } from './exit-codes.ts';

/** One way to hold a conversation: with a person at a terminal, or through pipes. */
export interface Face {
  readonly approver: Approver;
  /** Shows events, and answers questions where somebody can. */
  readonly hook: Hook;
  /** Holds the conversation to its end. */
  converse(agent: Agent): Promise<ExitCode>;
  /** Shows something about the session that is no event. */
  note(text: string): void;
  /** The session has ended. */
  finish(): void;
}
