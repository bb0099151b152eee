/** The options of `createAgent`. */

import type { Approver, Mask } from '../../kernel/approval.ts';
import type { Effect, Grant } from '../../kernel/call.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Hook } from '../../kernel/hooks/registration/hook.ts';
import type { ResultOrder } from '../../kernel/hooks/registration/hooks.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Journal } from '../../kernel/records/journal-entry.ts';
import type { Limits } from '../../kernel/limits.ts';
import type { McpServerConfig } from '../../mcp/protocol/server-config.ts';
import type { Store } from '../../store/store.ts';
import type { BuiltinToolOptions } from '../../tools/builtin-tool-options.ts';
import type { RunnableTool } from '../../tools/definition/runnable-tool.ts';
import type { Budget } from '../budget/budget-options.ts';
import type { Capabilities } from './capabilities.ts';
import type { CompactionOptions } from '../model/history.ts';
import type { Memory } from '../turn/agent-in-session.ts';
import type { AgentLoop } from '../turn/agent-loop.ts';
import type { PolicyInput } from './policy-input.ts';
import type { LanguageModel } from '../model/model-interface.ts';
import type { PriceList } from '../model/providers/prices.ts';
import type { SessionStore } from '../saved-sessions/session-store.ts';
import type { Trigger } from './triggers.ts';

/** A model, or a name such as `anthropic/<id>`. In a list, each model is the fallback for the one before it. */
export type ModelInput = LanguageModel | string | readonly (LanguageModel | string)[];

export interface AgentSessionOptions {
  /** Letters, digits, `.`, `_` and `-`. Default: a new id. */
  readonly id?: string | undefined;
  /** Where the session is saved. Default: the agent's store if the session has an id, otherwise nowhere. */
  readonly store?: SessionStore | undefined;
  /** Default: `createOrResume`. */
  readonly mode?: 'resume' | 'createOrResume' | 'createOnly' | undefined;
}

export interface SubagentOptions {
  /** What the subagent is for. Shown to the model that can start it. */
  readonly description?: string | undefined;
  readonly instructions?: string | undefined;
  /** Default: the agent's model. */
  readonly model?: ModelInput | undefined;
  /** Extra tools, in addition to the agent's tools that its capabilities show. */
  readonly tools?: readonly RunnableTool[] | undefined;
  /** An additional policy layer. The agent's policy applies too, and the stricter decision wins. */
  readonly policy?: PolicyInput | undefined;
  /** Default: `readOnly`. */
  readonly capabilities?: Capabilities | undefined;
  /** The names of the subagents it may start. Default: none. */
  readonly subagents?: readonly string[] | undefined;
  readonly settings?: JsonObject | undefined;
}

export interface AgentOptions {
  readonly model: ModelInput;
  /** The agent's name, the first element of its agent path. Default: `main`. */
  readonly name?: string | undefined;
  readonly instructions?: string | undefined;
  /** Custom tools. A tool with the name of a built-in tool replaces it. */
  readonly tools?: readonly RunnableTool[] | undefined;
  /** Options of the built-in tools. */
  readonly builtins?: BuiltinToolOptions | undefined;
  /** Which tools the model can see. */
  readonly capabilities?: Capabilities | undefined;
  readonly mcpServers?: readonly McpServerConfig[] | undefined;
  /** The file that stores the pins of MCP tools. `false` keeps pins in memory only. */
  readonly pins?: string | false | undefined;
  readonly hooks?: readonly Hook[] | undefined;
  /** `forward`: points that run their hooks in reverse (`postToolCall` and the like) run them forward as well. */
  readonly resultOrder?: ResultOrder | undefined;
  /** Rules, or the path of a policy file such as `bridle.yaml`. */
  readonly policy?: PolicyInput | undefined;
  /** The decision for calls that no rule matches. Not allowed with a policy file, which sets its own default. */
  readonly default?: Effect | undefined;
  /** Folders that path arguments must stay in. Default: `cwd`. An empty list turns this check off. */
  readonly workspaces?: readonly string[] | undefined;
  /** The folder that relative paths start from. Default: the working directory of the process. */
  readonly cwd?: string | undefined;
  readonly approver?: Approver | undefined;
  /**
   * Keeps journal, sessions, approvals and runs across restarts; opened with `openStore` of `bridle/store`. It stays
   * open when the agent stops. The options `journal` and `session.store` override the matching part of the store.
   */
  readonly store?: Store | undefined;
  /** With a store: the names of the people who may answer approvals. Default: anyone whose key is trusted. */
  readonly answerers?: readonly string[] | undefined;
  /** Masks secrets in everything that is stored or shown. `false` turns masking off. */
  readonly mask?: Mask | false | undefined;
  readonly memory?: Memory | undefined;
  readonly budget?: Budget | undefined;
  /** The agents that this agent can start, by name. */
  readonly subagents?: Readonly<Record<string, SubagentOptions>> | undefined;
  /** How deep subagents may be nested. Default: 1. */
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
  /** How often a model call is retried after a transient failure. Default: 2. */
  readonly retries?: number | undefined;
  /** How long a model may send nothing before its call is aborted. Default: two minutes. */
  readonly modelTimeoutMs?: number | undefined;
  /** The maximum number of model answers in one turn. Rejected answers do not count. Default: 100. */
  readonly maxSteps?: number | undefined;
  /** Prices that add to or replace the built-in table. */
  readonly prices?: PriceList | undefined;
  /** A custom loop. Default: the built-in loop. */
  readonly loop?: AgentLoop | undefined;
  /** `false` turns off OpenTelemetry spans. Default: spans are recorded if an OpenTelemetry SDK is registered. */
  readonly telemetry?: boolean | undefined;
  /** The timeout of predicates, schemas, and hooks that set none. */
  readonly timeoutMs?: number | undefined;
  /** How long a person has to answer an approval. */
  readonly askTimeoutMs?: number | undefined;
  /** How long a call waits for the journal to write a record. Default: 5 seconds. */
  readonly journalTimeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
}
