/** What the exit codes of `bridle journal` say; `docs/reference/cli.md` has the same table. */
export const journalExitCodes = {
  ok: 0,
  /** A fault was found, or what was asked for is not there. */
  fault: 1,
  /** Wrong usage, or there is no such store: there is no answer. */
  usage: 2,
  cancelled: 130,
  /** Nobody reads the output any more. */
  brokenPipe: 141,
} as const;
