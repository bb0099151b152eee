/**
 * One error class and one table of codes. An error means misuse or broken machinery;
 * a refusal is a value and never thrown. `docs/reference/errors.md` is kept equal to this table by a test.
 */

/** Every code a {@link BridleError} can carry, with what it means. */
export const errorCodes = {
  HOOK_INVALID: 'Something that is not a hook was registered.',
  HOOK_UNNAMED: 'A hook has no name.',
  HOOK_DUPLICATE: 'Two hooks have the same name.',
  HOOK_POINT_MISSPELLED: 'A hook has a method that looks like a point and is not one, so nothing would call it.',
  HOOK_OPTION_INVALID: 'An option of a hook has a wrong type or contradicts another one.',
  HOOKS_SEALED: 'Hooks were registered or undone after the start.',
  RULE_INVALID: 'A policy list holds something that is not a rule.',
  POLICY_INVALID: 'The rules of a policy do not fit together, or do not fit the tools and servers.',
  TOOL_UNCOVERED: 'A guard was refused: a tool with side effects is covered by no rule.',
  TOOL_INVALID: 'The declarations of tools and servers do not fit together.',
  OPTION_INVALID: 'An option has a wrong type or value.',
  NOT_JSON: 'A value is not JSON data, or is larger or deeper than allowed.',
  SCOPE_MISSING: 'A scope was used outside its life: the operation scope outside a tool call, say.',
  SCOPE_UPDATE_NESTED: 'A key was updated inside its own update.',
  SCOPE_UPDATE_TIMEOUT: 'An update function did not settle within its time limit.',
  SCOPE_VALUE: 'A value in a scope does not have the type of the key that reads or stores it.',
  SESSION_REJECTED: 'A hook rejected the start of the session.',
  SESSION_ENDED: 'The session has ended; it takes no more work.',
  HOOK_FATAL: 'A hook with `failOpen: false` failed, so its operation failed.',
  ASK_NESTED: 'A question was asked while answering one.',
  PATH_REFUSED: 'A path is outside, dangling, looping, unreadable or malformed.',
  PATH_CHANGED: 'What was opened is not what was checked.',
  MODEL_UNAVAILABLE: 'A model string is malformed, or its package or key is missing.',
  AGENT_STATE: 'The agent is not started, or has stopped.',
  AGENT_UNSAFE: 'Starting was refused: a tool with side effects is covered by no rule.',
  PROMPT_INVALID: 'A prompt is empty, or holds media that are not allowed.',
  LLM_FAILED: 'The model failed, and nothing was left to try.',
  LLM_STREAM_CUT: 'The stream of a model ended before its answer was complete.',
  LLM_TIMEOUT: 'A model said nothing within its time limit.',
  LLM_REJECTED: 'A hook rejected the answers of the model too many times in a row.',
  LOOP_FAILED: 'A custom loop could not start or stop, or returned an answer that is not text.',
  TURN_STOPPED: 'The turn has stopped; a custom loop can do no more in it.',
  SESSION_STORE: 'A saved session is missing, exists already, is damaged, or cannot be written.',
  SUBAGENT_REFUSED: 'A subagent could not be started.',
  TOOL_FAILED: 'A tool could not do its work; the message says why.',
  URL_REFUSED: 'A URL is malformed, or leads to a host that must not be reached.',
  MCP_SERVER_FAILED: 'An MCP server cannot be started or reached, does not answer, or speaks nonsense.',
  MCP_CALL_FAILED: 'An MCP server answered a call with an error, or not at all.',
  MCP_TOOL_HELD: 'A tool of an MCP server has changed since it was pinned, and was not accepted again.',
  PINS_UNUSABLE: 'The pin file is damaged, unsafe, locked, or cannot be read or written.',
  FACT_UNKNOWN: 'A fact about a call cannot be told. Inside a predicate it is a signal to the engine, not a failure.',
  POLICY_FILE: 'A policy file is malformed, too large, missing or unreadable; each problem has its place.',
  CONDITION_FAILED: 'A condition of a policy file went wrong for a call, so the call is denied.',
  STORE_FAILED: 'A store cannot be opened, read or written.',
  STORE_DAMAGED: 'A row of a store is not what was written there, so nothing in it is believed.',
  STORE_VERSION: 'A store was made by a newer Bridle, and is left alone.',
  STORE_KEYS: 'The keys of a store are missing, are not the right ones, or can be read by others.',
  STORE_CONFLICT: 'Another process has written the same thing meanwhile.',
  APPROVAL_REFUSED:
    'An answer to an approval was not taken: who gave it may not, or it was given from the wrong place.',
  CALL_SUSPENDED: 'What runs inside a call waits for an answer. Thrown by a host it is a signal, not a failure.',
  RUN_STATE: 'A run cannot be started, resumed or ended as it stands.',
  RUN_FENCED: 'Another process has taken over a run, or it was cancelled: this one may do no more in it.',
  WORKER_FAILED: 'A worker cannot be started as it was told, or something it needs is missing.',
  SCRIPT_FAILED: 'A scripted test did not run as its script says.',
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** The one error class of Bridle; `code` says what is wrong, `problems` lists every finding when there are several. */
export class BridleError extends Error {
  readonly code: ErrorCode;
  readonly problems: readonly string[];

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; problems?: readonly string[] } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'BridleError';
    this.code = code;
    this.problems = options.problems ?? [message];
  }
}

/** Tells every problem in one error, if there are any. */
export function throwProblems(code: ErrorCode, problems: readonly string[]): void {
  if (problems.length > 0) throw new BridleError(code, problems.join('; '), { problems });
}

/** The text of anything that was thrown, whatever it is. */
export function messageOf(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return String(thrown.message) || String(thrown.name);
    return typeof thrown === 'string' ? thrown : `${typeof thrown} ${String(thrown)}`;
  } catch {
    return 'something that cannot be printed was thrown';
  }
}
