/** Exit codes of `bridle chat` and of signals; documented in `docs/reference/cli.md`. */
export const exitCodes = {
  ok: 0,
  /** The turn failed, or the model, a hook or a limit stopped it. */
  stopped: 1,
  /** Wrong usage, or something needed to start is missing. */
  usage: 2,
  /** The turn completed, but a call in it was refused. */
  refused: 3,
  hangup: 129,
  cancelled: 130,
  /** The reader closed the output. */
  brokenPipe: 141,
  terminated: 143,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
