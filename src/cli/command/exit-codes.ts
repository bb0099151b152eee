/** The exit codes of all commands. What each one means for a command is in its row of the table of commands. */
export const exitCodes = {
  ok: 0,
  /** The answer is no: a call denied, a finding, a failure, a change, an answer that was not accepted. */
  negative: 1,
  /** No answer: wrong usage, an invalid policy or input, or something needed is missing. */
  usage: 2,
  /** A call was refused, or this person or process may not do this. */
  refused: 3,
  /** Nothing was denied, but a call needs approval. */
  needsApproval: 3,
  hangup: 129,
  cancelled: 130,
  /** The reader closed the output. */
  brokenPipe: 141,
  terminated: 143,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
