/** Limits on all data that comes from outside. */

export interface Limits {
  /** Args of one call, as JSON. */
  readonly argsBytes: number;
  /** Nesting depth of any JSON data. */
  readonly depth: number;
  /** The result of a tool; a grant can narrow it. */
  readonly resultBytes: number;
  /** Characters of a tool, server, rule, hook or agent name. */
  readonly nameLength: number;
  /** Characters of a reason, a question or an error text. Longer texts are cut, with a note. */
  readonly reasonLength: number;
  /** A value in a hook's answer, as JSON. */
  readonly answerBytes: number;
  /** The text of a prompt, in UTF-8. */
  readonly promptBytes: number;
  /** A prompt including its media. */
  readonly mediaBytes: number;
  /** Data of one event, as JSON. */
  readonly eventBytes: number;
  /** Events queued for a slow observer before more are dropped. */
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
