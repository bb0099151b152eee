/** What an agent can be given. */

import type { Approver, Mask } from '../../kernel/approval.ts';
import type { Effect, Grant } from '../../kernel/call.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Hook } from '../../kernel/hooks/registration/hook.ts';
import type { ResultOrder } from '../../kernel/hooks/registration/hooks.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Journal } from '../../kernel/records/journal-entry.ts';
import type { Limits } from '../../kernel/limits.ts';
import type { McpServerConfig } from '../../mcp/server/server-config.ts';
import type { Store } from '../../store/store.ts';
import type { BuiltinToolOptions } from '../../tools/create-builtin-tools.ts';
import type { RunnableTool } from '../../tools/definition/runnable-tool.ts';
import type { Budget } from '../budget/budget.ts';
import type { Capabilities } from './capabilities.ts';
import type { CompactionOptions } from '../turn/state/compaction-options.ts';
import type { AgentLoop } from '../turn/state/agent-loop.ts';
import type { Memory } from '../turn/state/memory.ts';
import type { PolicyInput } from './policy-input.ts';
import type { LanguageModel } from '../model/providers/language-model.ts';
import type { PriceList } from '../model/providers/prices.ts';
import type { SessionStore } from '../saved-sessions/session-store.ts';
import type { Trigger } from './triggers.ts';

/** A model, or a name such as `anthropic/<id>`; of a list, the next one is called when one fails. */
export type ModelInput = LanguageModel | string | readonly (LanguageModel | string)[];

export interface AgentSessionOptions {
  /** Letters, digits, `.`, `_` and `-`. A new one if not given. */
  readonly id?: string | undefined;
  /** Where the session is kept; nowhere if not given. */
  readonly store?: SessionStore | undefined;
  /** `createOrResume` if not given. */
  readonly mode?: 'resume' | 'createOrResume' | 'createOnly' | undefined;
}

export interface SubagentOptions {
  /** What it is good for; the model that may start it reads this. */
  readonly description?: string | undefined;
  readonly instructions?: string | undefined;
  /** The parent's if not given. */
  readonly model?: ModelInput | undefined;
  /** Tools of its own, beside those of the parent that its capabilities leave. */
  readonly tools?: readonly RunnableTool[] | undefined;
  /** A further layer: what the parent's policy says holds too, and the stricter answer counts. */
  readonly policy?: PolicyInput | undefined;
  /** `readOnly` if not given. */
  readonly capabilities?: Capabilities | undefined;
  /** The names of subagents it may start itself; none if not given. */
  readonly subagents?: readonly string[] | undefined;
  readonly settings?: JsonObject | undefined;
}

export interface AgentOptions {
  readonly model: ModelInput;
  /** The name of the agent, the first of its agent path; `main` if not given. */
  readonly name?: string | undefined;
  readonly instructions?: string | undefined;
  /** Tools of your own; one with the name of a built-in takes its place. */
  readonly tools?: readonly RunnableTool[] | undefined;
  /** What the built-in tools may use. */
  readonly builtins?: BuiltinToolOptions | undefined;
  /** Which tools the model sees. */
  readonly capabilities?: Capabilities | undefined;
  readonly mcpServers?: readonly McpServerConfig[] | undefined;
  /** The file that keeps what MCP tools looked like; `false` keeps it in this process only. */
  readonly pins?: string | false | undefined;
  readonly hooks?: readonly Hook[] | undefined;
  /** `forward`: points that run their hooks in reverse (`postToolCall` and the like) run them forward as well. */
  readonly resultOrder?: ResultOrder | undefined;
  /** Rules, or the name of a policy file: `bridle.yaml`. */
  readonly policy?: PolicyInput | undefined;
  /** What happens to a call no rule matches; a policy file says it itself. */
  readonly default?: Effect | undefined;
  /** Folders that path arguments must stay in: `cwd` if not given; an empty list opts out. */
  readonly workspaces?: readonly string[] | undefined;
  /** Where relative paths start; the folder of the process if not given. */
  readonly cwd?: string | undefined;
  readonly approver?: Approver | undefined;
  /**
   * What must survive the process: journal, sessions, approvals and runs, from `openStore` of `bridle/store`. It stays
   * open when the agent stops. What is given besides (a journal, a store of sessions) takes the place of its part.
   */
  readonly store?: Store | undefined;
  /** With a store: the names of those who may answer; anybody whose key is trusted here if not given. */
  readonly answerers?: readonly string[] | undefined;
  /** Puts masks in the place of secrets in all that is kept or shown; `false` for none. */
  readonly mask?: Mask | false | undefined;
  readonly memory?: Memory | undefined;
  readonly budget?: Budget | undefined;
  /** Agents that this one can start, by name. */
  readonly subagents?: Readonly<Record<string, SubagentOptions>> | undefined;
  /** How deep subagents may start others; 1 if not given. */
  readonly subagentDepth?: number | undefined;
  readonly triggers?: readonly Trigger[] | undefined;
  readonly session?: AgentSessionOptions | undefined;
  /** Seeds the session scope of a new session. */
  readonly state?: Readonly<Record<string, unknown>> | undefined;
  readonly compaction?: CompactionOptions | undefined;
  readonly journal?: Journal | undefined;
  readonly limits?: Partial<Limits> | undefined;
  /** Bounds for every call; rules and tools can only narrow them. */
  readonly grant?: Grant | undefined;
  /** Settings for every model call: `maxOutputTokens`, `temperature`, `providerOptions`… */
  readonly settings?: JsonObject | undefined;
  /** How many times a model is tried again after a failure that may pass; 2 if not given. */
  readonly retries?: number | undefined;
  /** How long a model may say nothing; two minutes if not given. */
  readonly modelTimeoutMs?: number | undefined;
  /** Answers of the model in one turn, those that were sent back not counted; 100 if not given. */
  readonly maxSteps?: number | undefined;
  /** Prices beside the table that comes along. */
  readonly prices?: PriceList | undefined;
  /** Another loop than the one that comes along. */
  readonly loop?: AgentLoop | undefined;
  /** Spans for OpenTelemetry where its API is installed and set up; `false` for none. */
  readonly telemetry?: boolean | undefined;
  /** The time limit of predicates, schemas, and hooks that name none. */
  readonly timeoutMs?: number | undefined;
  /** How long a person has to answer. */
  readonly askTimeoutMs?: number | undefined;
  /** How long a call waits for the journal to take a record: 5 seconds if not given. */
  readonly journalTimeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
}
