/** Exit codes of `bridle journal`; documented in `docs/reference/cli.md`. */
export const journalExitCodes = {
  ok: 0,
  /** A fault was found, or the record does not exist. */
  fault: 1,
  /** Wrong usage, or no such store. */
  usage: 2,
  cancelled: 130,
  /** The reader closed the output. */
  brokenPipe: 141,
} as const;
