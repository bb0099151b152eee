/** The options of guards and sessions, and their shapes, for callers in plain JavaScript. */

import type { Approver, Mask } from '../approval.ts';
import type { Effect, Grant } from '../call.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { SchemaConverter } from '../catalog/foreign-tool.ts';
import type { Clock } from '../clock.ts';
import type { Hook } from '../hooks/registration/hook.ts';
import { type ResultOrder, resultOrders } from '../hooks/registration/hooks.ts';
import type { Limits } from '../limits.ts';
import { quoteName } from '../names.ts';
import type { CompileOptions } from '../policy/compiler/compile-options.ts';
import type { GuardPolicy } from '../policy/evaluator/policy.ts';
import type { Rules } from '../policy/rules/rule.ts';
import type { Journal } from '../records/journal-entry.ts';
import * as is from '../shapes.ts';
import { invalid, readOptions, type Shape } from '../shapes.ts';
import type { ServerDeclaration, ToolDeclaration } from '../tool.ts';

/** The result of a change in a policy source. */
export type PolicyChange =
  | { readonly type: 'changed'; readonly version: string; readonly trusted: boolean; readonly files: readonly string[] }
  /** The previous policy stays in force. */
  | { readonly type: 'failed'; readonly message: string };

/** Rules from outside, for example from a file, that may change while they are in force. */
export interface PolicySource {
  readonly type: 'policy-source';
  /** Called with the tools of a guard. `extraRules` always apply, in addition to those of the source. */
  readonly compileFor: (catalog: Catalog, options: CompileOptions, extraRules?: Rules) => GuardPolicy;
  /** Loads the hooks that belong to the policy. An agent registers them when it starts. */
  readonly loadHooks?: ((helpers?: object) => Promise<readonly Hook[]>) | undefined;
  /** Reports changes until the returned function is called. */
  readonly watch?: ((listen: (change: PolicyChange) => void) => () => void) | undefined;
}

export interface GuardOptions {
  /** All tools. A call of any other tool is refused. */
  readonly tools: readonly ToolDeclaration[];
  /** MCP servers whose tools are among `tools`. */
  readonly servers?: readonly ServerDeclaration[] | undefined;
  /** The rules, in nested lists if you like. They are compiled with the tools, servers and approver of the guard. */
  readonly policy: Rules | PolicySource;
  /** The effect for a call that no rule matches. Default: `allow`. */
  readonly default?: Effect | undefined;
  readonly hooks?: readonly Hook[] | undefined;
  /** `forward`: points that run their hooks in reverse order, such as `postToolCall`, run them forward instead. */
  readonly resultOrder?: ResultOrder | undefined;
  /** Answers asks and confirms. To remember answers, wrap it in `rememberAnswers` from `bridle/policy-files`. */
  readonly approver?: Approver | undefined;
  /** Masks secrets in everything that is stored or shown: `maskSecrets()` from `bridle/journal`. */
  readonly mask?: Mask | undefined;
  /** The prefix of a session's idempotency keys, if session ids alone are not unique. */
  readonly keyspace?: ((session: string) => string) | undefined;
  /** Records decisions and outcomes. Without it, nothing is recorded. */
  readonly journal?: Journal | undefined;
  /** Time limit for a journal write. Default: 5 seconds. */
  readonly journalTimeoutMs?: number | undefined;
  readonly limits?: Partial<Limits> | undefined;
  /** The time limit of predicates, schemas, and hooks without their own. Default: 5 seconds. */
  readonly timeoutMs?: number | undefined;
  /** Time limit for a person's answer. Default: ten minutes. */
  readonly askTimeoutMs?: number | undefined;
  /** Limits for every call. Rules and tools can only narrow them. */
  readonly grant?: Grant | undefined;
  /** Gets each warning once. Default: print to stderr. */
  readonly onWarning?: ((warning: string) => void) | undefined;
  /** Options of the session that `wrap` and `call` share. */
  readonly session?: SessionOptions | undefined;
  /** Converts the JSON Schemas of wrapped tools: `toStandardSchema` from `bridle/tools`. */
  readonly toStandardSchema?: SchemaConverter | undefined;
  readonly clock?: Clock | undefined;
}

export interface SessionStart {
  /** Seeds the session scope. */
  readonly state?: Readonly<Record<string, unknown>> | undefined;
  readonly resumed?: boolean | undefined;
  /** True if the session runs in other processes too: it does not start here, and ends here only with a reason. */
  readonly joined?: boolean | undefined;
  /** The number of turns that a resumed session has had. */
  readonly turns?: number | undefined;
  /** Seeds the state of the tools. */
  readonly toolState?: Readonly<Record<string, unknown>> | undefined;
}

export interface SessionOptions extends SessionStart {
  readonly id?: string | undefined;
  /** The name of the program that runs the agent. Default: `own`. */
  readonly host?: string | undefined;
  readonly loopName?: string | undefined;
  /** Agent names from the root to this one. */
  readonly agent?: readonly string[] | undefined;
  /** Where relative paths start. */
  readonly cwd?: string | undefined;
  /** Returns true for tools that this session hides. */
  readonly hides?: ((tool: ToolDeclaration) => boolean) | undefined;
}

const rules = is.that('a list of rules', (value) => typeof value === 'object' && value !== null);

/** An agent accepts a file name as its policy; a guard needs the opened policy. */
const policy: Shape<unknown> = (value, limits) => {
  if (typeof value !== 'string' || !/\.(?:ya?ml|json)$/i.test(value)) return rules(value, limits);
  const open = `openPolicy(${JSON.stringify(value)}), from bridle/policy-files`;
  return invalid(`is ${quoteName(value)}, not a list of rules; for a file, pass ${open}`);
};

const guardShape = is.options<GuardOptions>(
  {
    tools: is.anyList,
    servers: is.anyList,
    policy,
    // The policy compiler checks it.
    default: is.any,
    hooks: is.anyList,
    resultOrder: is.oneOf(...resultOrders),
    approver: is.func,
    mask: is.func,
    keyspace: is.func,
    journal: is.methods('append'),
    journalTimeoutMs: is.finitePositive,
    onWarning: is.func,
    session: is.anyObject,
    toStandardSchema: is.func,
    limits: is.limitOptions,
    timeoutMs: is.finitePositive,
    askTimeoutMs: is.finitePositive,
    grant: is.grant,
    clock: is.clock,
  },
  { needed: ['tools', 'policy'] },
);

const sessionShape = is.options<SessionOptions>({
  id: is.name,
  state: is.anyObject,
  resumed: is.flag,
  joined: is.flag,
  host: is.name,
  loopName: is.name,
  agent: is.nonEmptyList(is.name),
  cwd: is.that('a folder', (value) => typeof value === 'string' && value !== '' && !value.includes('\0')),
  turns: is.wholeNumber(0),
  toolState: is.anyObject,
  hides: is.func,
});

/** The checked options, each read once. */
export function readGuardOptions(given: GuardOptions): GuardOptions {
  return readOptions('createGuard', given, guardShape);
}

export function readSessionOptions(given: SessionOptions): SessionOptions {
  return readOptions('start', given, sessionShape);
}
