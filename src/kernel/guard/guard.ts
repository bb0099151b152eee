/// <reference lib="esnext.disposable" preserve="true" />
/**
 * A guard: hooks, policy, tools, approver and journal, put together and checked once. Sessions start from it; every
 * tool call of their turns takes the one path in `call-path.ts`.
 */

import type { AnswerMemory, Approver, Mask, RuleProposer } from '../approval.ts';
import type { Effect, Grant } from '../call.ts';
import { Catalog, hideTools } from '../catalog/catalog.ts';
import { type Clock, systemClock } from '../clock.ts';
import { deadlinesOf } from '../deadlines.ts';
import { BridleError } from '../errors.ts';
import { markSessionStarted } from './first-session.ts';
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

/** What became of a change of the rules of a source. */
export type PolicyChange =
  | { readonly type: 'changed'; readonly version: string; readonly trusted: boolean; readonly files: readonly string[] }
  /** The policy that was in force stays. */
  | { readonly type: 'failed'; readonly message: string };

/** Rules that are kept elsewhere, in a file say, and may change while they are in force. */
export interface PolicySource {
  readonly type: 'policy-source';
  /** Called with the tools of a guard; `above` are rules that hold besides, whatever the source says. */
  readonly compileFor: (catalog: Catalog, options: CompileOptions, above?: Rules) => GuardPolicy;
  /** Tells of changes until the returned function is called. */
  readonly watch?: ((listen: (change: PolicyChange) => void) => () => void) | undefined;
}

export interface GuardOptions {
  /** The tools that exist; a call of any other is refused. */
  readonly tools: readonly ToolDeclaration[];
  /** MCP servers whose tools are among `tools`. */
  readonly servers?: readonly ServerDeclaration[] | undefined;
  /** The rules, in lists as you like. They are compiled against the tools, servers and approver given here. */
  readonly policy: Rules | PolicySource;
  /** What happens to a call no rule matches: `allow` if not given. */
  readonly default?: Effect | undefined;
  readonly hooks?: readonly Hook[] | undefined;
  /** `forward`: points that run their hooks in reverse (`postToolCall` and the like) run them forward as well. */
  readonly resultOrder?: ResultOrder | undefined;
  /** Whoever answers asks and confirms. */
  readonly approver?: Approver | undefined;
  /** Where remembered answers are kept; in the session if not given. */
  readonly answers?: AnswerMemory | undefined;
  /** Proposes the rules that a person may have remembered instead of one call. */
  readonly proposals?: RuleProposer | undefined;
  /** Puts masks in the place of secrets, in everything that is kept or shown: `maskSecrets()` from `bridle/journal`. */
  readonly mask?: Mask | undefined;
  /** What idempotency keys of a session begin with, where ids of sessions alone are not unique. */
  readonly keyspace?: ((session: string) => string) | undefined;
  /** Where decisions and outcomes are kept. Nowhere if not given. */
  readonly journal?: Journal | undefined;
  /** How long a call waits for the journal to take a record: 5 seconds if not given. */
  readonly journalTimeoutMs?: number | undefined;
  readonly limits?: Partial<Limits> | undefined;
  /** The time limit of predicates, schemas, and hooks that name none. */
  readonly timeoutMs?: number | undefined;
  /** How long a person has to answer: ten minutes if not given. */
  readonly askTimeoutMs?: number | undefined;
  /** Bounds for every call; rules and tools can only narrow them. */
  readonly grant?: Grant | undefined;
  /** Gets each warning once; warnings are printed to stderr if not given. */
  readonly onWarning?: ((warning: string) => void) | undefined;
  /** The session that `wrap` and `call` share. */
  readonly session?: SessionOptions | undefined;
  /** Reads the JSON Schemas of tools that are wrapped: `toStandardSchema` from `bridle/tools`. */
  readonly toStandardSchema?: SchemaConverter | undefined;
  readonly clock?: Clock | undefined;
}

export interface SessionOptions extends SessionStart {
  readonly id?: string | undefined;
  /** What runs the agent; `own` if not given. */
  readonly host?: string | undefined;
  readonly loopName?: string | undefined;
  /** Agent names from the root to this one. */
  readonly agent?: readonly string[] | undefined;
  /** Where relative paths start. */
  readonly cwd?: string | undefined;
  /** Tells which tools this session neither lists nor finds. */
  readonly hides?: ((tool: ToolDeclaration) => boolean) | undefined;
}

const fiveSeconds = 5_000;
const tenMinutes = 600_000;

/** What a guard is built with, beside what its sessions share. */
interface GuardBase {
  readonly catalog: Catalog;
  readonly policy: GuardPolicy;
  readonly session: SessionOptions | undefined;
  readonly onWarning: (warning: string) => void;
}

export class Guard {
  readonly policy: GuardPolicy;
  /** The session that `wrap` and `call` share, once one of them needs it. */
  private shared: Promise<Session> | undefined;
  private isEnded = false;
  private readonly warned = new Set<string>();

  constructor(
    private readonly parts: GuardParts,
    private readonly base: GuardBase,
  ) {
    this.policy = base.policy;
    this.tellWarnings();
  }

  /** The tools a model may see. */
  get tools(): readonly ToolDeclaration[] {
    return this.base.catalog.list();
  }

  /** What looks like a mistake and is no error. Each is told once, to `onWarning` or on stderr. */
  get warnings(): readonly string[] {
    return this.policy.warnings;
  }

  /** Adds a hook before the first start; the returned function removes it again. */
  register(hook: Hook): () => void {
    return this.parts.hooks.register(hook);
  }

  /** A server changed its list of tools. Refused whole if the new list does not fit, or holds a tool no rule covers. */
  replaceServerTools(server: string, tools: readonly ToolDeclaration[]): void {
    const { isUncovered } = this.parts;
    this.base.catalog.replaceServerTools(server, tools, (listed) =>
      refuseUncovered(listed.filter(isUncovered), 'TOOL_UNCOVERED'),
    );
    this.tellWarnings();
  }

  /**
   * The same tools, guarded: a record or a list of functions, or of objects with `execute`, `run`, `handler` or `func`. A
   * refused call returns its reason as text. All calls share one session, and each is one turn unless a turn is passed.
   */
  wrap<T extends WrappableTools>(tools: T, options: WrapOptions = {}): GuardedTools<T> {
    return wrapTools(tools, options, { ...this.parts, open: () => this.sharedSession() });
  }

  /** Guards a single call: `run` gets the args as they were decided. The result is always a value. */
  call(tool: SingleCall, args: unknown, run: ToolFunction): Promise<CallResult> {
    return guardSingleCall(() => this.sharedSession(), { tool, args, run, allTools: this.parts.allTools });
  }

  /** Ends the session that `wrap` and `call` share. They refuse every further call. */
  async end(reason?: string): Promise<void> {
    this.isEnded = true;
    const session = await this.shared;
    await session?.end(reason);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.end();
  }

  /** Starts a session. From the first start on, hooks are fixed. */
  async start(options: SessionOptions = {}): Promise<Session> {
    checkSessionOptions(options);
    markSessionStarted();
    this.parts.hooks.seal();
    const { id = newId<SessionId>(), host = 'own', loopName = 'own', agent = ['main'], cwd, hides } = options;
    const info = Object.freeze({ id: id as SessionId, host, loopName, agent: Object.freeze([...agent]), cwd });
    const parts =
      hides === undefined ? this.parts : { ...this.parts, visibleTools: hideTools(this.parts.allTools, hides) };
    return Session.start(parts, info, options);
  }

  /** A start that was rejected is tried again with the next call. */
  private async sharedSession(): Promise<Session> {
    if (this.isEnded) throw new BridleError('SESSION_ENDED', 'the guard has ended; start a session with guard.start()');
    this.shared ??= this.start(this.base.session).catch((error: unknown) => {
      this.shared = undefined;
      throw error;
    });
    return this.shared;
  }

  private tellWarnings(): void {
    for (const warning of this.warnings) {
      if (this.warned.has(warning)) continue;
      this.warned.add(warning);
      this.base.onWarning(warning);
    }
  }
}

/** Printed once in a process, however many guards are made of the same rules. */
const printed = new Set<string>();

function printWarning(warning: string): void {
  if (printed.has(warning)) return;
  if (printed.size < 1000) printed.add(warning);
  // Where nobody listens, stderr is where a mistake is seen.
  // oxlint-disable-next-line no-console
  console.warn(`bridle: warning: ${warning}`);
}

/**
 * Puts a guard together. Options, then tools, then hooks, then policy: each tells all its problems in one error. A tool
 * with side effects that no rule covers is refused, unless `default` says what happens to calls that no rule matches.
 */
export function createGuard(options: GuardOptions): Guard {
  return buildGuard(options, {
    warn: printWarning,
    uncovered: (policy) => (options.default === undefined ? uncoveredBy(policy, options.hooks ?? []) : () => false),
  });
}

interface GuardDefaults {
  /** Gets warnings if the options name nobody. */
  readonly warn: (warning: string) => void;
  readonly uncovered: (policy: GuardPolicy) => GuardParts['isUncovered'];
}

/** An agent looks itself for tools that no rule covers, when its servers are connected, and shows its warnings itself. */
const ofAgents: GuardDefaults = { warn: () => undefined, uncovered: () => () => false };

/** {@link createGuard}, as agents use it. */
export function buildGuard(options: GuardOptions, { warn, uncovered }: GuardDefaults = ofAgents): Guard {
  checkGuardOptions(options);
  const {
    approver,
    answers,
    proposals,
    mask,
    keyspace,
    journal,
    timeoutMs,
    clock = systemClock,
    servers = [],
    tools,
  } = options;
  const limits = Object.freeze({ ...defaultLimits, ...options.limits });
  const catalog = new Catalog(tools, servers);
  const hooks = createHooks(options.hooks, { timeoutMs, resultOrder: options.resultOrder });
  const surroundings = { tools, servers, approver, default: options.default, timeoutMs, limits, clock };
  const { policy: given } = options;
  const policy =
    'type' in given && given.type === 'policy-source'
      ? given.compileFor(catalog, surroundings)
      : compilePolicyFor(catalog, given, surroundings);
  const parts: GuardParts = {
    hooks,
    policy,
    visibleTools: catalog,
    allTools: catalog,
    approver,
    answers,
    proposals,
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
