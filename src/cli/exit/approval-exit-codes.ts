/** What the exit codes of `bridle approvals` say; `docs/reference/cli.md` has the same table. */
export const approvalExitCodes = {
  ok: 0,
  /** The answer was not taken: another was faster, the time is over, or the person said no to it. */
  notAccepted: 1,
  /** Wrong usage; no such store, approval or key. */
  usage: 2,
  /** Whoever this is may not answer, or not from here. */
  refused: 3,
  cancelled: 130,
  /** Nobody reads the output any more. */
  brokenPipe: 141,
} as const;
