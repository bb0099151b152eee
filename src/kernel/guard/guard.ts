/// <reference lib="esnext.disposable" preserve="true" />
/**
 * A guard combines hooks, policy, tools, approver and journal, and checks them once. It starts sessions; every tool call
 * of their turns goes through `calls/call-path.ts`.
 */

import type { Approver, Mask } from '../approval.ts';
import type { Effect, Grant } from '../call.ts';
import { Catalog, hideTools } from '../catalog/catalog.ts';
import { type Clock, systemClock } from '../clock.ts';
import { deadlinesOf } from '../deadlines.ts';
import { BridleError } from '../errors.ts';
import type { Hook } from '../hooks/registration/hook.ts';
import { createHooks, type ResultOrder } from '../hooks/registration/hooks.ts';
import { newId, type SessionId } from '../ids.ts';
import type { Journal } from '../records/journal-entry.ts';
import { defaultLimits, type Limits } from '../limits.ts';
import { compilePolicyFor } from '../policy/compiler/compile-policy.ts';
import type { CompileOptions } from '../policy/compiler/compile-options.ts';
import type { GuardPolicy } from '../policy/evaluator/policy.ts';
import type { Rules } from '../policy/rules/rule.ts';
import type { ServerDeclaration, ToolDeclaration } from '../tool.ts';
import type { GuardParts } from './state/session-state.ts';
import type { SchemaConverter } from '../catalog/foreign-tool.ts';
import { checkGuardOptions, checkSessionOptions } from './check-options.ts';
import { guardSingleCall, type SingleCall, type ToolFunction } from './single-call.ts';
import { refuseUncovered, uncoveredBy } from './refuse-uncovered.ts';
import type { CallResult } from './calls/call-result.ts';
import { Session, type SessionStart } from './session.ts';
import { type GuardedTools, type WrappableTools, type WrapOptions, wrapTools } from './wrap-tools.ts';

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

const fiveSeconds = 5_000;
const tenMinutes = 600_000;

interface GuardBase {
  readonly catalog: Catalog;
  readonly policy: GuardPolicy;
  readonly session: SessionOptions | undefined;
  readonly onWarning: (warning: string) => void;
}

export class Guard {
  readonly policy: GuardPolicy;
  /** The session that `wrap` and `call` share, started on first use. */
  private shared: Promise<Session> | undefined;
  private isEnded = false;
  private readonly warned = new Set<string>();

  constructor(
    private readonly parts: GuardParts,
    private readonly base: GuardBase,
  ) {
    this.policy = base.policy;
    this.reportWarnings();
  }

  /** The tools that a model may see. */
  get tools(): readonly ToolDeclaration[] {
    return this.base.catalog.list();
  }

  /** Probable mistakes that are not errors. Each is reported once, to `onWarning` or on stderr. */
  get warnings(): readonly string[] {
    return this.policy.warnings;
  }

  /** Adds a hook; the returned function removes it. Both work only before the first start. */
  register(hook: Hook): () => void {
    return this.parts.hooks.register(hook);
  }

  /** Replaces the tools of a server. Throws, and changes nothing, if a tool is invalid or no rule covers it. */
  replaceServerTools(server: string, tools: readonly ToolDeclaration[]): void {
    const { isUncovered } = this.parts;
    this.base.catalog.replaceServerTools(server, tools, (listed) =>
      refuseUncovered(listed.filter(isUncovered), 'TOOL_UNCOVERED'),
    );
    this.reportWarnings();
  }

  /**
   * Returns the same tools, guarded: a record or a list of functions, or of objects with `execute`, `run`, `handler` or
   * `func`. A refused call returns its reason as text. All calls share one session. Each call is its own turn, unless a
   * turn is passed.
   */
  wrap<T extends WrappableTools>(tools: T, options: WrapOptions = {}): GuardedTools<T> {
    return wrapTools(tools, options, { ...this.parts, open: () => this.sharedSession() });
  }

  /** Guards a single call. `run` gets the decided args. Never throws because of a refusal. */
  call(tool: SingleCall, args: unknown, run: ToolFunction): Promise<CallResult> {
    return guardSingleCall(() => this.sharedSession(), { tool, args, run, allTools: this.parts.allTools });
  }

  /** Ends the session that `wrap` and `call` share. Both throw from then on. */
  async end(reason?: string): Promise<void> {
    this.isEnded = true;
    const session = await this.shared;
    await session?.end(reason);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.end();
  }

  /** Starts a session. After the first start, no hooks can be added or removed. */
  async start(options: SessionOptions = {}): Promise<Session> {
    checkSessionOptions(options);
    this.parts.hooks.seal();
    const { id = newId<SessionId>(), host = 'own', loopName = 'own', agent = ['main'], cwd, hides } = options;
    const info = Object.freeze({ id: id as SessionId, host, loopName, agent: Object.freeze([...agent]), cwd });
    const parts =
      hides === undefined ? this.parts : { ...this.parts, visibleTools: hideTools(this.parts.allTools, hides) };
    return Session.start(parts, info, options);
  }

  /** If the start is rejected, the next call tries again. */
  private async sharedSession(): Promise<Session> {
    if (this.isEnded) throw new BridleError('SESSION_ENDED', 'the guard has ended; start a session with guard.start()');
    this.shared ??= this.start(this.base.session).catch((error: unknown) => {
      this.shared = undefined;
      throw error;
    });
    return this.shared;
  }

  private reportWarnings(): void {
    for (const warning of this.warnings) {
      if (this.warned.has(warning)) continue;
      this.warned.add(warning);
      this.base.onWarning(warning);
    }
  }
}

/** Warnings printed so far. Each is printed once per process, even if several guards have the same rules. */
const printed = new Set<string>();

function printWarning(warning: string): void {
  if (printed.has(warning)) return;
  if (printed.size < 1000) printed.add(warning);
  // Without onWarning, stderr is the only place where a mistake becomes visible.
  // oxlint-disable-next-line no-console
  console.warn(`bridle: warning: ${warning}`);
}

/**
 * Creates a guard. Checks options, then tools, then hooks, then policy; each step reports all its problems in one error.
 * Throws if a tool with side effects is not covered by a rule, unless `default` is set.
 */
export function createGuard(options: GuardOptions): Guard {
  return buildGuard(options, {
    warn: printWarning,
    uncovered: (policy) => (options.default === undefined ? uncoveredBy(policy, options.hooks ?? []) : () => false),
  });
}

interface GuardDefaults {
  /** Gets warnings if the options have no `onWarning`. */
  readonly warn: (warning: string) => void;
  readonly uncovered: (policy: GuardPolicy) => GuardParts['isUncovered'];
}

/** An agent checks for uncovered tools itself, after its servers have connected, and reports warnings itself. */
const agentDefaults: GuardDefaults = { warn: () => undefined, uncovered: () => () => false };

/** {@link createGuard}, for agents. */
export function buildGuard(options: GuardOptions, { warn, uncovered }: GuardDefaults = agentDefaults): Guard {
  checkGuardOptions(options);
  const { approver, mask, keyspace, journal, timeoutMs, clock = systemClock, servers = [], tools } = options;
  const limits = Object.freeze({ ...defaultLimits, ...options.limits });
  const catalog = new Catalog(tools, servers);
  const hooks = createHooks(options.hooks, { timeoutMs, resultOrder: options.resultOrder });
  const compileOptions = { tools, servers, approver, default: options.default, timeoutMs, limits, clock };
  const { policy: given } = options;
  const policy =
    'type' in given && given.type === 'policy-source'
      ? given.compileFor(catalog, compileOptions)
      : compilePolicyFor(catalog, given, compileOptions);
  const parts: GuardParts = {
    hooks,
    policy,
    visibleTools: catalog,
    allTools: catalog,
    approver,
    mask,
    keyspace,
    journal,
    journalTimeoutMs: options.journalTimeoutMs ?? fiveSeconds,
    clock,
    deadlines: deadlinesOf(clock),
    limits,
    askTimeoutMs: options.askTimeoutMs ?? tenMinutes,
    grant: Object.freeze({ timeoutMs: tenMinutes, outputBytes: limits.resultBytes, ...options.grant }),
    toStandardSchema: options.toStandardSchema,
    isUncovered: uncovered(policy),
  };
  refuseUncovered(catalog.list().filter(parts.isUncovered), 'TOOL_UNCOVERED');
  const { session, onWarning = warn } = options;
  return new Guard(parts, { catalog, policy, session, onWarning });
}
