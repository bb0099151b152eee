/**
 * One error class and one table of codes. An error means misuse or an internal failure; a refusal is a value and is
 * never thrown. A test keeps `docs/reference/errors.md` equal to this table.
 */

export const errorCodes = {
  HOOK_INVALID: 'The registered object is not a hook.',
  HOOK_UNNAMED: 'A hook has no name.',
  HOOK_DUPLICATE: 'Two hooks have the same name.',
  HOOK_POINT_MISSPELLED:
    'A hook has a method whose name looks like a point but is not one, so it would never be called.',
  HOOK_OPTION_INVALID: 'An option of a hook has the wrong type or contradicts another option.',
  HOOK_UNREACHABLE: 'A hook is registered at a point that the framework does not reach.',
  HOOKS_SEALED: 'A hook was registered or removed after the first start.',
  RULE_INVALID: 'A list of rules contains something that is not a rule.',
  POLICY_INVALID: 'The rules of a policy contradict each other, or do not match the tools and servers.',
  TOOL_UNCOVERED: 'The guard was not created: no rule covers a tool with side effects.',
  TOOL_INVALID: 'A declaration of a tool or server is invalid, or declarations contradict each other.',
  OPTION_INVALID: 'An option has the wrong type or value.',
  NOT_JSON: 'A value is not JSON data, or it is larger or deeper than allowed.',
  SCOPE_MISSING: 'A scope was used outside its lifetime, for example the operation scope outside a tool call.',
  SCOPE_UPDATE_NESTED: 'A key was updated inside its own update function.',
  SCOPE_UPDATE_TIMEOUT: 'An update function did not settle within its time limit.',
  SCOPE_VALUE: 'A value in a scope does not have the type of the key that reads or stores it.',
  SESSION_REJECTED: 'A hook rejected the start of the session.',
  SESSION_ENDED: 'The session or turn has ended and accepts no more work.',
  HOOK_FATAL: 'A hook with `failOpen: false` failed, so its operation failed.',
  ASK_NESTED: 'A hook asked a question while it was answering one.',
  PATH_REFUSED: 'A path is outside, dangling, looping, unreadable or malformed.',
  PATH_CHANGED: 'The opened file is not the one that was checked.',
  MODEL_UNAVAILABLE: 'A model string is malformed, or its package or key is missing.',
  AGENT_STATE: 'The agent has not started yet, or has stopped.',
  AGENT_UNSAFE: 'The agent did not start: no rule covers a tool with side effects.',
  PROMPT_INVALID: 'A prompt is empty, or contains media that are not allowed.',
  LLM_FAILED: 'The model failed, and there was no retry or fallback left.',
  LLM_STREAM_CUT: 'The stream of a model ended before its answer was complete.',
  LLM_TIMEOUT: 'A model sent nothing within its time limit.',
  LLM_REJECTED: 'A hook rejected the answers of the model too many times in a row.',
  LOOP_FAILED: 'A custom agent loop could not start or stop, or returned an answer that is not text.',
  TURN_STOPPED: 'The turn has stopped; a custom agent loop can do nothing more in it.',
  SESSION_STORE: 'A saved session is missing, exists already, is damaged, or cannot be written.',
  SUBAGENT_REFUSED: 'A subagent could not be started.',
  TOOL_FAILED: 'A tool failed; the message says why.',
  URL_REFUSED: 'A URL is malformed, or leads to a host that must not be reached.',
  MCP_SERVER_FAILED: 'An MCP server cannot be started or reached, does not answer, or sends invalid messages.',
  MCP_CALL_FAILED: 'An MCP server answered a call with an error, or not at all.',
  MCP_TOOL_HELD: 'A tool of an MCP server has changed since it was pinned, and was not accepted again.',
  PINS_UNUSABLE: 'The pin file is damaged, unsafe, locked, or cannot be read or written.',
  FACT_UNKNOWN:
    'A fact about a call is unknown. Inside a predicate this is a signal to the policy evaluator, not a failure.',
  POLICY_FILE: 'A policy file is malformed, too large, missing or unreadable; each problem names its location.',
  CONDITION_FAILED: 'A condition of a policy file failed for a call, so the call is denied.',
  STORE_FAILED: 'A store cannot be opened, read or written.',
  STORE_DAMAGED: 'A row of a store is damaged or was changed, so it is not trusted.',
  STORE_VERSION: 'A store was created by a newer version of Bridle and cannot be used.',
  STORE_KEYS: 'The keys of a store are missing, wrong, or readable by other users.',
  STORE_CONFLICT: 'Another process has written the same item in the meantime.',
  APPROVAL_REFUSED:
    'An answer to an approval was refused: its author is not allowed to answer, or it came from the wrong place.',
  CALL_REFUSED: 'The guard did not let a call run; the message is the text for the model.',
  FRAMEWORK_UNSUPPORTED: 'The installed version of a framework is not supported.',
  CALL_SUSPENDED: 'Something inside a call waits for an answer. Thrown by a host, this is a signal, not a failure.',
  RUN_STATE: 'A run cannot be started, resumed or ended in its current state.',
  RUN_FENCED: 'Another process has taken over the run, or it was cancelled. This process can do nothing more in it.',
  WORKER_FAILED: 'A worker cannot start with its options, or something it needs is missing.',
  PAYLOAD_INVALID: 'The payload of a hook of a coding agent is incomplete, or a field has the wrong type.',
  PACKAGE_MISSING: 'A feature needs a package that is not installed. The message contains the install command.',
  SCRIPT_FAILED: 'A scripted test did not run as its script says.',
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** The only error class of Bridle. `code` identifies the problem; `problems` lists all of them if there are several. */
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

/** Throws one error that lists all problems, if there are any. */
export function throwProblems(code: ErrorCode, problems: readonly string[]): void {
  if (problems.length > 0) throw new BridleError(code, problems.join('; '), { problems });
}

/** The message of any thrown value. Never throws. */
export function messageOf(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return String(thrown.message) || String(thrown.name);
    return typeof thrown === 'string' ? thrown : `${typeof thrown} ${String(thrown)}`;
  } catch {
    return 'something that cannot be printed was thrown';
  }
}
