/** Bounds on everything that comes from outside. */

export interface Limits {
  /** Args of one call, as JSON. */
  readonly argsBytes: number;
  /** Levels of anything that is JSON data. */
  readonly depth: number;
  /** What a tool may return; a grant can narrow it. */
  readonly resultBytes: number;
  /** Characters of a tool, server, rule, hook or agent name. */
  readonly nameLength: number;
  /** Characters of a reason, a question or an error text; more is cut with a note. */
  readonly reasonLength: number;
  /** A value in a hook's answer, as JSON. */
  readonly answerBytes: number;
  /** The text of a prompt, in UTF-8. */
  readonly promptBytes: number;
  /** A prompt with everything that came along. */
  readonly mediaBytes: number;
  /** Data of one event, as JSON. */
  readonly eventBytes: number;
  /** Events kept for a slow observer before some are dropped. */
  readonly eventQueue: number;
  /** A value in a scope, as JSON. */
  readonly stateBytes: number;
}

const mib = 1024 * 1024;

export const defaultLimits: Limits = {
  argsBytes: mib,
  depth: 64,
  resultBytes: mib,
  nameLength: 256,
  reasonLength: 4096,
  answerBytes: mib,
  promptBytes: 4 * mib,
  mediaBytes: 32 * mib,
  eventBytes: 64 * 1024,
  eventQueue: 1000,
  stateBytes: mib,
};
