/** What the exit codes of the commands about policies say; `docs/reference/cli.md` has the same table. */
export const policyExitCodes = {
  /** Everything is allowed; no finding, no failure, nothing changed. */
  ok: 0,
  /** Something is denied, was found, failed, or changed. */
  findings: 1,
  /** The policy, the input or the command line is bad, or there was nothing to check: there is no answer. */
  invalid: 2,
  /** Nothing is denied, but something asks. */
  asks: 3,
  /** Nobody reads the output any more. */
  brokenPipe: 141,
} as const;

export type PolicyExitCode = (typeof policyExitCodes)[keyof typeof policyExitCodes];
