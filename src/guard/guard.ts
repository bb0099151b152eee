/**
 * A guard: hooks, policy, tools, approver and journal, put together and checked once. Sessions start from it; every
 * tool call of their turns takes the one path in `call-path.ts`.
 */

import type { AnswerBook, Approver, Mask, Proposals } from '../approval.ts';
import type { Effect, Grant } from '../call.ts';
import { Catalog, hideTools } from '../catalog/catalog.ts';
import { type Clock, systemClock } from '../clock.ts';
import { deadlinesOf } from '../deadlines.ts';
import type { Hook } from '../hooks/hook.ts';
import { createHooks, type ResultOrder } from '../hooks/hooks.ts';
import { newId, type SessionId } from '../ids.ts';
import type { Journal } from '../journal/record.ts';
import { defaultLimits, type Limits } from '../limits.ts';
import { compileFor } from '../policy/compile.ts';
import type { CompileOptions } from '../policy/compile-options.ts';
import type { GuardPolicy } from '../policy/policy.ts';
import type { Rules } from '../policy/rule.ts';
import type { ServerDeclaration, ToolDeclaration } from '../tool.ts';
import type { GuardParts } from './core.ts';
import { checkOptions, checkSessionOptions } from './options.ts';
import { Session, type SessionStart } from './session.ts';

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
  /** `forward`: the points after the work run their hooks in the order of the points before it, too. */
  readonly resultOrder?: ResultOrder | undefined;
  /** Whoever answers asks and confirms. */
  readonly approver?: Approver | undefined;
  /** Where remembered answers are kept; in the session if not given. */
  readonly answers?: AnswerBook | undefined;
  /** Proposes the rules that a person may have remembered instead of one call. */
  readonly proposals?: Proposals | undefined;
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
  readonly clock?: Clock | undefined;
}

export interface SessionOptions extends SessionStart {
  readonly id?: string | undefined;
  /** What runs the agent; `own` if not given. */
  readonly host?: string | undefined;
  readonly coreType?: string | undefined;
  /** Agent names from the root to this one. */
  readonly agent?: readonly string[] | undefined;
  /** Where relative paths start. */
  readonly cwd?: string | undefined;
  /** Tells which tools this session neither lists nor finds. */
  readonly hides?: ((tool: ToolDeclaration) => boolean) | undefined;
}

const fiveSeconds = 5_000;
const tenMinutes = 600_000;

export class Guard {
  constructor(
    private readonly parts: GuardParts,
    private readonly catalog: Catalog,
    readonly policy: GuardPolicy,
  ) {}

  /** The tools a model may see. */
  get tools(): readonly ToolDeclaration[] {
    return this.catalog.list();
  }

  /** What looks odd and is no error: show it at start, and after a server changed its list. */
  get warnings(): readonly string[] {
    return this.policy.warnings;
  }

  /** Adds a hook before the first start; the returned function removes it again. */
  register(hook: Hook): () => void {
    return this.parts.hooks.register(hook);
  }

  /** A server changed its list of tools. Refused whole if the new list does not fit. */
  replaceServerTools(server: string, tools: readonly ToolDeclaration[]): void {
    this.catalog.replaceServerTools(server, tools);
  }

  /** Starts a session. From the first start on, hooks are fixed. */
  async start(options: SessionOptions = {}): Promise<Session> {
    checkSessionOptions(options);
    this.parts.hooks.seal();
    const { id = newId<SessionId>(), host = 'own', coreType = 'own', agent = ['main'], cwd, hides } = options;
    const facts = Object.freeze({ id: id as SessionId, host, coreType, agent: Object.freeze([...agent]), cwd });
    const parts = hides === undefined ? this.parts : { ...this.parts, catalog: hideTools(this.parts.whole, hides) };
    return Session.start(parts, facts, options);
  }
}

/** Puts a guard together. Options, then tools, then hooks, then policy: each tells all its problems in one error. */
export function createGuard(options: GuardOptions): Guard {
  checkOptions(options);
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
      : compileFor(catalog, given, surroundings);
  const parts: GuardParts = {
    hooks,
    policy,
    catalog,
    whole: catalog,
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
  };
  return new Guard(parts, catalog, policy);
}
