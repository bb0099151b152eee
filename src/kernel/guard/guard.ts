/// <reference lib="esnext.disposable" preserve="true" />
/**
 * A guard combines hooks, policy, tools, approver and journal, and checks them once. It starts sessions; every tool call
 * of their turns goes through `calls/call-path.ts`.
 */

import { Catalog, hideTools } from '../catalog/catalog.ts';
import { systemClock } from '../clock.ts';
import { deadlinesOf } from '../deadlines.ts';
import { BridleError } from '../errors.ts';
import type { Hook } from '../hooks/registration/hook.ts';
import { createHooks } from '../hooks/registration/hooks.ts';
import { newId, type SessionId } from '../ids.ts';
import { defaultLimits } from '../limits.ts';
import { compilePolicyFor } from '../policy/compiler/compile-policy.ts';
import type { GuardPolicy } from '../policy/evaluator/policy.ts';
import type { ToolDeclaration } from '../tool.ts';
import type { GuardParts } from './state/session-state.ts';
import { type GuardOptions, readGuardOptions, readSessionOptions, type SessionOptions } from './guard-options.ts';
import { guardSingleCall, type SingleCall, type ToolFunction } from './single-call.ts';
import { refuseUncovered, uncoveredBy } from './refuse-uncovered.ts';
import type { CallResult } from './calls/call-result.ts';
import { Session } from './session.ts';
import { type GuardedTools, type WrappableTools, type WrapOptions, wrapTools } from './wrap-tools.ts';

const fiveSeconds = 5_000;
const tenMinutes = 600_000;

interface GuardBase {
  readonly catalog: Catalog;
  readonly policy: GuardPolicy;
  readonly session: SessionOptions | undefined;
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
    const start = readSessionOptions(options);
    this.parts.hooks.seal();
    const { id = newId<SessionId>(), host = 'own', loopName = 'own', agent = ['main'], cwd, hides } = start;
    const info = Object.freeze({ id: id as SessionId, host, loopName, agent: Object.freeze([...agent]), cwd });
    const parts =
      hides === undefined ? this.parts : { ...this.parts, visibleTools: hideTools(this.parts.allTools, hides) };
    return Session.start(parts, info, start);
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
    if (this.parts.warn === undefined) return;
    for (const warning of this.warnings) {
      if (this.warned.has(warning)) continue;
      this.warned.add(warning);
      this.parts.warn(warning);
    }
  }
}

/** Warnings printed so far. Each is printed once per process, even if several guards have the same rules. */
const printed = new Set<string>();

export function reportOnce(warning: string): void {
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
  return buildGuard(options, { warn: reportOnce, refusesUncovered: true });
}

/** {@link createGuard}, for agents. They report warnings and uncovered tools themselves, once their servers have connected. */
export function buildGuard(
  given: GuardOptions,
  { warn, refusesUncovered }: { warn?: GuardParts['warn']; refusesUncovered: boolean } = { refusesUncovered: false },
): Guard {
  const options = readGuardOptions(given);
  const { tools, servers = [], approver, timeoutMs, clock = systemClock, policy: rules, session } = options;
  const limits = Object.freeze({ ...defaultLimits, ...options.limits });
  const catalog = new Catalog(tools, servers);
  const hooks = createHooks(options.hooks, { timeoutMs, resultOrder: options.resultOrder });
  const compileOptions = { tools, servers, approver, default: options.default, timeoutMs, limits, clock };
  const policy =
    'type' in rules && rules.type === 'policy-source'
      ? rules.compileFor(catalog, compileOptions)
      : compilePolicyFor(catalog, rules, compileOptions);
  const checksCoverage = refusesUncovered && options.default === undefined;
  const parts: GuardParts = {
    hooks,
    policy,
    visibleTools: catalog,
    allTools: catalog,
    approver,
    mask: options.mask,
    keyspace: options.keyspace,
    journal: options.journal,
    journalTimeoutMs: options.journalTimeoutMs ?? fiveSeconds,
    clock,
    deadlines: deadlinesOf(clock),
    limits,
    askTimeoutMs: options.askTimeoutMs ?? tenMinutes,
    grant: Object.freeze({ timeoutMs: tenMinutes, outputBytes: limits.resultBytes, ...options.grant }),
    toStandardSchema: options.toStandardSchema,
    isUncovered: checksCoverage ? uncoveredBy(policy, options.hooks ?? []) : () => false,
    warn: options.onWarning ?? warn,
  };
  refuseUncovered(catalog.list().filter(parts.isUncovered), 'TOOL_UNCOVERED');
  return new Guard(parts, { catalog, policy, session });
}
