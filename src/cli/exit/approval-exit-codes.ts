/** Exit codes of `bridle approvals`; documented in `docs/reference/cli.md`. */
export const approvalExitCodes = {
  ok: 0,
  /** The answer was not accepted: already answered, expired, or not confirmed. */
  notAccepted: 1,
  /** Wrong usage; no such store, approval or key. */
  usage: 2,
  /** This person may not answer, or not from this process. */
  refused: 3,
  cancelled: 130,
  /** The reader closed the output. */
  brokenPipe: 141,
} as const;
