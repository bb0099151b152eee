/**
 * The policy that the guard uses. It checks the files before every decision, so no decision uses an outdated policy.
 */

import type { CallRequest, Decision, RuleRef, ToolCall } from '../../kernel/call.ts';
import type { Catalog } from '../../kernel/catalog/catalog.ts';
import { systemClock } from '../../kernel/clock.ts';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import type { PolicyChange } from '../../kernel/guard/guard-options.ts';
import { defaultLimits } from '../../kernel/limits.ts';
import type { MaybePromise } from '../../kernel/maybe-promise.ts';
import type { ScopeReader } from '../../kernel/policy/evaluator/compiled-rule.ts';
import type { CompileOptions } from '../../kernel/policy/compiler/compile-options.ts';
import type { Explanation, GuardPolicy, RuleDetails, ShadowEvaluation } from '../../kernel/policy/evaluator/policy.ts';
import type { Rules } from '../../kernel/policy/rules/rule.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { type RequestContext, decideRequest, explainRequest } from '../layers/decide-request.ts';
import { type BuiltStack, buildStack } from '../layers/build-stack.ts';
import { ownFileRules } from '../own-file-rules.ts';
import { contentHash, hooksHash, partsOf, type PolicyFileOnDisk, stampAt } from '../read/read-policy-files.ts';
import type { OpenedHooks } from './policy-hooks.ts';
import { trustFilePath } from './trust.ts';

/** The files that are fully in force, and those that can only make decisions stricter. */
export interface ActiveFiles {
  readonly full: readonly PolicyFileOnDisk[];
  readonly tightening: readonly PolicyFileOnDisk[];
  /** The stamp of the trust file from before it was read. */
  readonly trustStamp: string;
}

/** How to reload the files, and what a change can do. */
export interface ReloadPlan {
  readonly cwd: string;
  readonly home: string;
  readonly untrusted?: Rules | undefined;
  readonly abstains?: boolean | undefined;
  readonly read: () => readonly PolicyFileOnDisk[];
  /** Files above this one. They need no trust. */
  readonly higher: () => readonly PolicyFileOnDisk[];
  readonly isTrusted: (files: readonly PolicyFileOnDisk[]) => boolean;
  readonly notify: (change: PolicyChange) => void;
  readonly hooks: OpenedHooks;
}

/** What the guard passes to a policy. */
export interface PolicyCompileInput {
  readonly catalog: Catalog;
  readonly options: CompileOptions;
  readonly extraRules: Rules;
}

const howToLoadHooks = 'Load them with loadHooks() of the opened policy, and pass them to the guard as hooks.';

export class LivePolicy implements GuardPolicy {
  private built: BuiltStack;
  private higher: readonly PolicyFileOnDisk[];
  private readonly watchedFiles: WatchedFiles;
  private readonly requestContext: RequestContext;

  constructor(
    private activeFiles: ActiveFiles,
    private readonly plan: ReloadPlan,
    private readonly context: PolicyCompileInput,
  ) {
    this.higher = plan.higher();
    this.watchedFiles = new WatchedFiles(this.filesToWatch());
    this.built = this.build(activeFiles, this.higher);
    const { options, catalog } = context;
    const limits = { ...defaultLimits, ...options.limits };
    this.requestContext = { catalog, limits, clock: options.clock ?? systemClock, cwd: plan.cwd };
  }

  get version(): string {
    return this.built.stack.version;
  }

  get timeoutMs(): number {
    return this.built.stack.timeoutMs;
  }

  get rules(): readonly RuleRef[] {
    return this.built.layers.flatMap(({ policy }) => policy.rules);
  }

  get warnings(): readonly string[] {
    const { findings, layers } = this.built;
    const fileWarnings = findings.map(({ file, at, message }) => `${file}:${at.line}: ${message}`);
    return [
      ...new Set([
        ...fileWarnings,
        ...layers
          .flatMap(({ policy }) => policy.warnings)
          .filter((text) => !fileWarnings.some((each) => each.endsWith(text))),
      ]),
    ];
  }

  evaluate(call: ToolCall, tool: ToolDeclaration, reader?: ScopeReader): MaybePromise<Decision> {
    this.refresh();
    const unloaded = this.unloadedHooks();
    if (unloaded !== undefined) return deniedBecause(unloaded);
    return this.built.stack.evaluate(call, tool, reader);
  }

  decide(request: CallRequest): MaybePromise<Decision> {
    this.refresh();
    return decideRequest(this.built, request, this.requestContext);
  }

  async explain(request: CallRequest): Promise<Explanation> {
    this.refresh();
    const { decision, layers } = await explainRequest(this.built, request, this.requestContext);
    return {
      decision,
      considered: layers.flatMap(({ considered }) => considered),
      shadows: layers.flatMap(({ shadows }) => shadows),
    };
  }

  shadows(call: ToolCall, tool: ToolDeclaration, reader?: ScopeReader): readonly ShadowEvaluation[] {
    return this.built.stack.shadows(call, tool, reader);
  }

  detailsOf(rule: RuleRef): RuleDetails | undefined {
    return this.built.stack.detailsOf(rule);
  }

  /** Every call is covered: a policy file always has a default. */
  isUncovered(): boolean {
    return false;
  }

  /** Reloads the files if they changed. */
  refresh(): void {
    if (!this.watchedFiles.haveChanged()) return;
    try {
      const trustStamp = stampAt(trustFilePath(this.plan.home));
      this.applyFiles(this.plan.read(), this.plan.higher(), trustStamp);
    } catch (error) {
      this.plan.notify({
        type: 'failed',
        message: `the change cannot be loaded, so the previous policy stays in force: ${messageOf(error)}`,
      });
    }
  }

  /** A policy without its hooks would allow calls that the hooks reject. */
  private unloadedHooks(): string | undefined {
    if (this.plan.hooks.areLoaded) return undefined;
    const file = [...this.higher, ...this.activeFiles.full].find(({ hooks }) => hooks.length > 0);
    return file && `Denied: the hooks of ${file.policyFile.file} are not loaded. ${howToLoadHooks}`;
  }

  private applyFiles(
    files: readonly PolicyFileOnDisk[],
    higher: readonly PolicyFileOnDisk[],
    trustStamp: string,
  ): void {
    if (hooksHash(higher) !== hooksHash(this.higher))
      throw new BridleError('POLICY_FILE', 'its hooks are different; restart the agent to load them');
    const full = this.filesStillInForce();
    // The hooks of a running agent do not change, so a file with other hooks can only make it stricter.
    const trusted =
      contentHash(files) === contentHash(full) || (this.plan.hooks.areSame(files) && this.plan.isTrusted(files));
    const next: ActiveFiles = trusted
      ? { full: files, tightening: [], trustStamp }
      : { full, tightening: files, trustStamp };
    const isSame = hashOf(next, higher) === hashOf(this.activeFiles, this.higher);
    if (!isSame) this.built = this.build(next, higher);
    this.activeFiles = next;
    this.higher = higher;
    this.watchedFiles.watch(this.filesToWatch());
    if (isSame) return;
    this.plan.notify({ type: 'changed', version: this.version, trusted, files: files.map(({ path }) => path) });
  }

  private build({ full, tightening }: ActiveFiles, higher: readonly PolicyFileOnDisk[]): BuiltStack {
    const { catalog, options, extraRules } = this.context;
    const { cwd, home, untrusted, abstains } = this.plan;
    const paths = partsOf([...higher, ...full, ...tightening]).map(({ path }) => path);
    const ownRules = ownFileRules({ files: paths, cwd, home });
    return buildStack({
      extraRules: [ownRules, extraRules],
      baseRules: higher.length + full.length === 0 ? untrusted : undefined,
      higher,
      files: full,
      tightening,
      catalog,
      options: abstains === true ? { ...options, default: 'allow' } : { ...options, default: undefined },
    });
  }

  /**
   * A file that the user named needs no trust for its original contents. A file that Bridle found loses its effect when
   * its trust is revoked.
   */
  private filesStillInForce(): readonly PolicyFileOnDisk[] {
    const { full } = this.activeFiles;
    const { untrusted, isTrusted } = this.plan;
    return untrusted === undefined || full.length === 0 || isTrusted(full) ? full : [];
  }

  /** The trust file is included, because trust can be granted or revoked while the policy is in force. */
  private filesToWatch(): readonly StampedFile[] {
    const { full, tightening, trustStamp } = this.activeFiles;
    const latest = tightening.length === 0 ? full : tightening;
    return [...partsOf([...this.higher, ...latest]), { path: trustFilePath(this.plan.home), stamp: trustStamp }];
  }
}

function deniedBecause(reason: string): Decision {
  return { effect: 'deny', reason, rule: undefined, grant: undefined, paths: [], constant: false };
}

function hashOf({ full, tightening }: ActiveFiles, higher: readonly PolicyFileOnDisk[]): string {
  return JSON.stringify([higher, full, tightening].map(contentHash));
}

/** A file, and its stamp from before it was read. */
interface StampedFile {
  readonly path: string;
  readonly stamp: string;
}

/** Detects whether any of the files changed since it was read. */
class WatchedFiles {
  /** The stamps when a change was last reported. */
  private lastReported: string | undefined;

  constructor(private files: readonly StampedFile[]) {}

  /** Replaces the watched files. */
  watch(files: readonly StampedFile[]): void {
    this.files = files;
    this.lastReported = undefined;
  }

  /** True once per change. */
  haveChanged(): boolean {
    const now = this.files.map(({ path }) => stampAt(path)).join(' ');
    if (now === (this.lastReported ?? this.files.map(({ stamp }) => stamp).join(' '))) return false;
    this.lastReported = now;
    return true;
  }
}
