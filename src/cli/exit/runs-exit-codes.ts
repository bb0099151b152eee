/** What the exit codes of `bridle runs` say; `docs/reference/cli.md` has the same table. */
export const runsExitCodes = {
  ok: 0,
  /** A run has failed, or was cancelled. */
  failed: 1,
  /** A run waits for an answer, or was let go. */
  waiting: 3,
} as const;
