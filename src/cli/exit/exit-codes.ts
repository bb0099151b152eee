/** What the exit code of `bridle` says; `docs/reference/cli.md` has the same table. */
export const exitCodes = {
  ok: 0,
  /** The turn failed, or was stopped before its end: by the model, a hook, a limit. */
  stopped: 1,
  /** Wrong usage, or something that is needed to begin is missing. */
  usage: 2,
  /** The turn came to its end, but a call in it was refused. */
  refused: 3,
  hangup: 129,
  cancelled: 130,
  /** Nobody reads the output any more. */
  brokenPipe: 141,
  terminated: 143,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
