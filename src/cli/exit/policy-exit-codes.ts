/** Exit codes of the policy commands; documented in `docs/reference/cli.md`. */
export const policyExitCodes = {
  /** All calls allowed; no findings, no failures, no changes. */
  ok: 0,
  /** A call denied, a finding, a failure or a change. */
  findings: 1,
  /** No answer: invalid policy, input or options, or nothing to check. */
  invalid: 2,
  /** No call denied, but a call asks for approval. */
  asks: 3,
  /** The reader closed the output. */
  brokenPipe: 141,
} as const;

export type PolicyExitCode = (typeof policyExitCodes)[keyof typeof policyExitCodes];
