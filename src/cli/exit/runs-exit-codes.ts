/** Exit codes of `bridle runs`; documented in `docs/reference/cli.md`. */
export const runsExitCodes = {
  ok: 0,
  /** A run failed or was cancelled. */
  failed: 1,
  /** A run is waiting for an approval or was released before its end. */
  waiting: 3,
} as const;
