/// <reference lib="esnext.disposable" preserve="true" />
/**
 * The guard of a framework's agents. The adapter attaches the tools that the framework has, so a policy file is enough.
 * All agents of a guard share policy, hooks, journal and approvals. Every call takes the kernel's one path.
 */

import { resolve } from 'node:path';
import { createStoreParts, type StorePartsOptions } from '../agent/assembly/store-parts.ts';
import { inlineRulesOf, type PolicyInput, policySourceOf, refuseSecondDefault } from '../agent/options/policy-input.ts';
import { realPathOf } from '../facts/paths/resolve/resolve-path.ts';
import { declareForeignTool } from '../kernel/catalog/foreign-tool.ts';
import { BridleError, messageOf, throwProblems } from '../kernel/errors.ts';
import { buildGuard, type Guard, reportOnce } from '../kernel/guard/guard.ts';
import type { GuardOptions, PolicySource } from '../kernel/guard/guard-options.ts';
import type { PointName } from '../kernel/hooks/points/points.ts';
import { newId } from '../kernel/ids.ts';
import type { MaybePromise } from '../kernel/maybe-promise.ts';
import { pairText } from '../kernel/names.ts';
import type { ServerDeclaration, StandardSchema, ToolDeclaration } from '../kernel/tool.ts';
import type { SessionRun } from '../store/store-approver.ts';
import { toStandardSchema } from '../tools/json-schema/standard-schema.ts';
import { readyMadeHooks } from '../ready-made/hook-makers.ts';
import { mergeDeclarations, policyOf, refuseUnknownOptions, refuseUnreachable, serversIn } from './framework-setup.ts';
import { FrameworkSession } from './framework-session.ts';
import { type PausedQuestion, PausedQuestions } from './paused-questions.ts';

export interface FrameworkGuardOptions
  extends
    StorePartsOptions,
    Pick<
      GuardOptions,
      | 'default'
      | 'hooks'
      | 'resultOrder'
      | 'limits'
      | 'grant'
      | 'timeoutMs'
      | 'journalTimeoutMs'
      | 'onWarning'
      | 'clock'
    > {
  /** Rules, or the path of a policy file such as `bridle.yaml`. */
  readonly policy: PolicyInput;
  /** Declares what the framework's tools do not say about themselves: tier, paths, what they touch. */
  readonly tools?: readonly ToolDeclaration[] | undefined;
  /** The folder that relative paths start from. Default: the working directory of the process. */
  readonly cwd?: string | undefined;
}

/** A tool as a framework knows it. */
export interface ForeignTool {
  readonly name: string;
  /** The MCP server that runs it. */
  readonly server?: string | undefined;
  /** The object with its schema, in a field that frameworks use: `inputSchema`, `parameters`, `schema`… */
  readonly tool: object;
  /** Changes how its schema is applied, for a framework that has parsed the args already. */
  readonly adaptSchema?: ((schema: StandardSchema) => StandardSchema) | undefined;
}

/** The tools of one agent, as its adapter has found them. */
export interface AttachedTools {
  readonly framework: string;
  /** The points that the adapter calls hooks at. */
  readonly points: readonly PointName[];
  readonly tools: readonly ForeignTool[];
  /** Names of tools that the user accepted as unguarded. */
  readonly unguarded?: readonly string[] | undefined;
}

/** How long a question can wait in the pause of a framework, if nothing else is set: a week. */
const pauseTimeoutMs = 7 * 24 * 60 * 60 * 1000;
const optionNames: readonly (keyof FrameworkGuardOptions)[] = [
  ...(['policy', 'tools', 'hooks', 'store', 'approver', 'answerers', 'journal', 'mask', 'default', 'cwd'] as const),
  ...(['limits', 'grant', 'timeoutMs', 'askTimeoutMs', 'journalTimeoutMs'] as const),
  ...(['resultOrder', 'onWarning', 'clock'] as const),
];
/** A question does not wait inside a call: the call is made again when somebody has answered. */
const stopWaiting = AbortSignal.abort();
/** The longest list of sessions that are kept open at the same time. */
const maxSessions = 10_000;

export class FrameworkGuard {
  /** The session of all agents that name no other one. */
  readonly defaultSession: string = newId();
  /** Questions that wait in a framework's own pause. */
  readonly questions: PausedQuestions;
  private readonly source: PolicySource | undefined;
  private readonly policy: PolicySource;
  private readonly storeOptions: ReturnType<typeof createStoreParts>['options'];
  private readonly runs = new Map<string, SessionRun>();
  /** Absolute and real: the folder that relative paths start from. */
  readonly cwd: string;
  private readonly declared = new Map<string, ToolDeclaration>();
  private readonly points = new Set<PointName>(['onSessionStart', 'onSessionEnd', 'onEvent']);
  private readonly unguarded = new Set<string>();
  private readonly warnings = new Set<string>();
  private readonly sessions = new Map<string, MaybePromise<FrameworkSession>>();
  private guard: Guard;
  private starting: Promise<Guard> | undefined;
  private isEnded = false;

  constructor(private readonly options: FrameworkGuardOptions) {
    refuseUnknownOptions('createGuard', options, optionNames);
    if (options.store !== undefined && options.store?.type !== 'bridle-store')
      throw new BridleError(
        'OPTION_INVALID',
        'createGuard: option "store" is not a store; open one with openStore() of bridle/store',
      );
    this.cwd = realPathOf(resolve(options.cwd ?? process.cwd()));
    this.source = policySourceOf(options.policy, { cwd: this.cwd, abstains: false });
    refuseSecondDefault(this.source, options.default);
    this.questions = new PausedQuestions(options.clock);
    const approver = options.approver ?? this.questions.local;
    const askTimeoutMs = options.askTimeoutMs ?? (options.approver === undefined ? pauseTimeoutMs : undefined);
    const parts = createStoreParts({ ...options, approver, askTimeoutMs }, this.runs);
    this.storeOptions = { ...parts.options, approver: this.questions.noting(parts.options.approver ?? approver) };
    this.policy = policyOf(this.source, [inlineRulesOf(options.policy), parts.rules]);
    for (const tool of options.tools ?? []) this.declared.set(keyOf(tool), tool);
    this.guard = this.build(false);
  }

  /** Adds the tools of an agent and returns their declarations. Throws if no rule covers one of them. */
  attach({ tools, points, unguarded = [] }: AttachedTools): readonly ToolDeclaration[] {
    for (const point of points) this.points.add(point);
    const known = new Map(this.declared);
    const userDeclared = (key: string) => this.options.tools?.find((each) => keyOf(each) === key);
    const added = declareTools(tools).map((tool) => mergeDeclarations(userDeclared(keyOf(tool)), tool));
    for (const tool of added) this.declared.set(keyOf(tool), tool);
    if (this.starting === undefined && tools.length > 0) this.rebuild(known);
    for (const name of unguarded) this.unguarded.add(name);
    return added;
  }

  /** True if questions are put into a store, where people answer them from any process. */
  get hasStore(): boolean {
    return this.options.store !== undefined;
  }

  /** Throws if a hook is registered at a point that the attached adapters do not reach. Hooks of the file are checked later. */
  checkHooks(framework: string): void {
    refuseUnreachable(this.options.hooks ?? [], this.points, framework);
  }

  /** True if the user accepted that a tool of this name is not guarded. */
  isAccepted(name: string): boolean {
    return this.unguarded.has(name);
  }

  /** The declaration of an attached tool. */
  attachedTool({ server, tool: name }: Pick<PausedQuestion, 'server' | 'tool'>): ToolDeclaration | undefined {
    return this.declared.get(pairText(server, name));
  }

  /** True if the code has a hook at this point. Hooks of a policy file are loaded later. */
  hasHooks(point: PointName): boolean {
    return (this.options.hooks ?? []).some((hook) => typeof hook[point] === 'function');
  }

  /** The session with this id, which may have run in another process. It starts with its first use: until then, a promise. */
  session(framework: string, id: string = this.defaultSession): MaybePromise<FrameworkSession> {
    if (this.isEnded) return Promise.reject(new BridleError('SESSION_ENDED', 'the guard has ended'));
    const known = this.sessions.get(id);
    // The sessions are in order of their last use.
    if (known !== undefined && this.sessions.size > 1) {
      this.sessions.delete(id);
      this.sessions.set(id, known);
    }
    if (known !== undefined) return known;
    const started = this.startSession(framework, id).catch((error: unknown) => {
      this.sessions.delete(id);
      throw error;
    });
    this.sessions.set(id, started);
    if (this.sessions.size > maxSessions) void this.endOldest();
    return started;
  }

  /** Ends all sessions. Guarded tools are refused from then on. */
  async end(reason?: string): Promise<void> {
    this.isEnded = true;
    // Sessions that have started end in this moment: no tool may start any more.
    const ending = [...this.sessions.values()].map((each) =>
      each instanceof Promise
        ? each.then(
            (started) => started.end(reason),
            () => undefined,
          )
        : each.end(reason),
    );
    this.sessions.clear();
    for (const each of await Promise.allSettled(ending)) if (each.status === 'rejected') throw each.reason;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.end();
  }

  /** If the tools are refused, the guard stays as it was. */
  private rebuild(known: ReadonlyMap<string, ToolDeclaration>): void {
    try {
      this.guard = this.build(true);
    } catch (error) {
      this.declared.clear();
      for (const [key, tool] of known) this.declared.set(key, tool);
      throw error;
    }
  }

  private async startSession(framework: string, id: string): Promise<FrameworkSession> {
    const guard = await (this.starting ??= this.start(framework));
    this.runs.set(id, { id, stopWaiting, isResumed: () => false, triesAgain: true });
    const own = await guard.start({ id, host: framework, loopName: framework, cwd: this.cwd });
    const session = new FrameworkSession(own, this.questions);
    this.sessions.set(id, session);
    return session;
  }

  /** Registers the hooks of the policy file. From then on, no hooks can be added. */
  private async start(framework: string): Promise<Guard> {
    const fromFile = (await this.source?.loadHooks?.(readyMadeHooks)) ?? [];
    refuseUnreachable([...(this.options.hooks ?? []), ...fromFile], this.points, framework);
    for (const hook of fromFile) this.guard.register(hook);
    for (const warning of this.warnings) (this.options.onWarning ?? reportOnce)(warning);
    return this.guard;
  }

  /** Ends the session that was not used for the longest time, unless a call of it is running. */
  private async endOldest(): Promise<void> {
    for (const [id, starting] of this.sessions) {
      const session = starting instanceof Promise ? await starting.catch(() => undefined) : starting;
      if (id === this.defaultSession || session?.isActive === true) continue;
      if (!this.sessions.delete(id)) return;
      this.runs.delete(id);
      // A hook that fails here must not end the process: nobody waits for this.
      await session?.end('idle').catch((error: unknown) => reportOnce(`session "${id}": ${messageOf(error)}`));
      return;
    }
  }

  /** Servers that rules name may be attached later. */
  private serversOf(tools: readonly ToolDeclaration[]): readonly ServerDeclaration[] {
    const names = tools.flatMap(({ server }) => (server === undefined ? [] : [server]));
    return [...new Set([...names, ...serversIn(inlineRulesOf(this.options.policy))])].map((name) => ({ name }));
  }

  /** The tools are complete when the first session starts, so warnings wait until then. */
  private build(refusesUncovered: boolean): Guard {
    const { hooks, resultOrder, limits, grant, timeoutMs, journalTimeoutMs, clock } = this.options;
    this.warnings.clear();
    const tools = [...this.declared.values()];
    return buildGuard(
      {
        tools,
        servers: this.serversOf(tools),
        policy: this.policy,
        default: this.options.default,
        hooks,
        resultOrder,
        limits,
        grant,
        timeoutMs,
        journalTimeoutMs,
        clock,
        ...this.storeOptions,
      },
      { warn: (warning) => this.warnings.add(warning), refusesUncovered },
    );
  }
}

/**
 * Creates a guard for the agents of a framework. The adapter adds the framework's tools.
 *
 * @example
 * ```ts
 * import { createGuard } from 'bridle/ai-sdk';
 *
 * const guard = createGuard({ policy: 'bridle.yaml' });
 * ```
 */
export function createGuard(options: FrameworkGuardOptions): FrameworkGuard {
  return new FrameworkGuard(options);
}

function keyOf({ server, name }: ToolDeclaration): string {
  return pairText(server, name);
}

/** Declares tools. Throws one error with every tool that cannot be read. */
function declareTools(tools: readonly ForeignTool[]): readonly ToolDeclaration[] {
  const problems: string[] = [];
  const declared = tools.map(({ name, server, tool, adaptSchema }) => {
    const own = declareForeignTool({ name, tool }, toStandardSchema, problems);
    const schema = own.schema && adaptSchema?.(own.schema);
    return Object.freeze({ ...own, server, ...(schema === undefined ? {} : { schema }) });
  });
  throwProblems('TOOL_INVALID', problems);
  return declared;
}
