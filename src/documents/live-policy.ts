/** The policy of a file as the guard sees it: looked at before every decision, so that none is made by an older one. */

import type { Approver } from '../approval.ts';
import type { CallRequest, Decision, RuleRef, ToolCall } from '../call.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { systemClock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import type { PolicyChange } from '../guard/guard.ts';
import { defaultLimits } from '../limits.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { StateReader } from '../policy/compiled-rule.ts';
import type { CompileOptions } from '../policy/compile-options.ts';
import type { Explanation, GuardPolicy, ShadowAnswer } from '../policy/policy.ts';
import type { Rules } from '../policy/rule.ts';
import type { ToolDeclaration } from '../tool.ts';
import { type Asking, decideRequest, explainRequest } from './ask-stack.ts';
import { type BuiltStack, buildStack } from './build-stack.ts';
import { ownFileRules } from './own-files.ts';
import { contentHash, type PolicyFileRead } from './policy-files.ts';
import { trustFileIn } from './trust.ts';
import { printAt, type SeenFile, WatchedFiles } from './watched-files.ts';

/** What is in force in full, and what may only tighten it. */
export interface InForce {
  readonly full: readonly PolicyFileRead[];
  readonly tightening: readonly PolicyFileRead[];
  /** What the list of trusted policies looked like before it was asked. */
  readonly trustPrint: string;
}

/** How a file is read again, and what a change may do. */
export interface ReloadPlan {
  readonly cwd: string;
  readonly home: string;
  readonly untrusted?: Rules | undefined;
  readonly abstains?: boolean | undefined;
  readonly read: () => readonly PolicyFileRead[];
  /** Layers above the file, which are taken as they are. */
  readonly higher: () => readonly PolicyFileRead[];
  readonly trusts: (files: readonly PolicyFileRead[]) => boolean;
  readonly tell: (change: PolicyChange) => void;
}

/** What the guard gives a policy. */
export interface PolicyPlace {
  readonly catalog: Catalog;
  readonly options: CompileOptions;
  readonly above: Rules;
}

export class LivePolicy implements GuardPolicy {
  private built: BuiltStack;
  private higher: readonly PolicyFileRead[];
  private readonly files: WatchedFiles;
  private readonly asking: Asking;

  constructor(
    private inForce: InForce,
    private readonly plan: ReloadPlan,
    private readonly place: PolicyPlace,
  ) {
    this.higher = plan.higher();
    this.files = new WatchedFiles(this.watched());
    this.built = this.build(inForce, this.higher);
    const { options, catalog } = place;
    const limits = { ...defaultLimits, ...options.limits };
    this.asking = { catalog, limits, clock: options.clock ?? systemClock, cwd: plan.cwd };
  }

  get version(): string {
    return this.built.stack.version;
  }

  get timeoutMs(): number {
    return this.built.stack.timeoutMs;
  }

  get rules(): readonly RuleRef[] {
    return this.built.stack.rules;
  }

  get warnings(): readonly string[] {
    const { findings, stack } = this.built;
    const told = findings.map(({ file, at, message }) => `${file}:${at.line}: ${message}`);
    return [...new Set([...told, ...stack.warnings.filter((text) => !told.some((each) => each.endsWith(text)))])];
  }

  evaluate(call: ToolCall, tool: ToolDeclaration, reader?: StateReader): MaybePromise<Decision> {
    this.refresh();
    return this.built.stack.evaluate(call, tool, reader);
  }

  decide(request: CallRequest): MaybePromise<Decision> {
    this.refresh();
    return decideRequest(this.built, request, this.asking);
  }

  async explain(request: CallRequest): Promise<Explanation> {
    this.refresh();
    const { decision, layers } = await explainRequest(this.built, request, this.asking);
    return {
      decision,
      considered: layers.flatMap(({ considered }) => considered),
      shadows: layers.flatMap(({ shadows }) => shadows),
    };
  }

  shadows(call: ToolCall, tool: ToolDeclaration, reader?: StateReader): readonly Promise<ShadowAnswer>[] {
    return this.built.stack.shadows(call, tool, reader);
  }

  hasShadows(call: ToolCall, tool?: ToolDeclaration): boolean {
    return this.built.stack.hasShadows(call, tool);
  }

  handlerOf(rule: RuleRef): Approver | undefined {
    return this.built.stack.handlerOf(rule);
  }

  orderOf(rule: RuleRef): number {
    return this.built.stack.orderOf(rule);
  }

  /** A file has a default for whatever no rule is about. */
  isUncovered(): boolean {
    return false;
  }

  /** Reads the files again if they have changed. */
  refresh(): void {
    if (!this.files.haveChanged()) return;
    try {
      const trustPrint = printAt(trustFileIn(this.plan.home));
      this.take(this.plan.read(), this.plan.higher(), trustPrint);
    } catch (error) {
      this.plan.tell({ type: 'failed', message: `the policy in force stays: ${messageOf(error)}` });
    }
  }

  private take(files: readonly PolicyFileRead[], higher: readonly PolicyFileRead[], trustPrint: string): void {
    const full = this.stillInForce();
    const trusted = contentHash(files) === contentHash(full) || this.plan.trusts(files);
    const next: InForce = trusted
      ? { full: files, tightening: [], trustPrint }
      : { full, tightening: files, trustPrint };
    const isSame = hashOf(next, higher) === hashOf(this.inForce, this.higher);
    if (!isSame) this.built = this.build(next, higher);
    this.inForce = next;
    this.higher = higher;
    this.files.watch(this.watched());
    if (isSame) return;
    this.plan.tell({ type: 'changed', version: this.version, trusted, files: files.map(({ path }) => path) });
  }

  private build({ full, tightening }: InForce, higher: readonly PolicyFileRead[]): BuiltStack {
    const { catalog, options, above } = this.place;
    const { cwd, home, untrusted, abstains } = this.plan;
    const paths = [...higher, ...full, ...tightening].map(({ path }) => path);
    const own = ownFileRules({ files: paths, cwd, home });
    return buildStack({
      above: [own, above],
      base: higher.length + full.length === 0 ? untrusted : undefined,
      higher,
      files: full,
      tightening,
      catalog,
      options: abstains === true ? { ...options, default: 'allow' } : { ...options, default: undefined },
    });
  }

  /** A file the user has named needs no trust for what it said then; one that was found loses what it was trusted for. */
  private stillInForce(): readonly PolicyFileRead[] {
    const { full } = this.inForce;
    const { untrusted, trusts } = this.plan;
    return untrusted === undefined || full.length === 0 || trusts(full) ? full : [];
  }

  /** Trust can be given or taken back while a policy is in force. */
  private watched(): readonly SeenFile[] {
    const { full, tightening, trustPrint } = this.inForce;
    const latest = tightening.length === 0 ? full : tightening;
    return [...this.higher, ...latest, { path: trustFileIn(this.plan.home), print: trustPrint }];
  }
}

function hashOf({ full, tightening }: InForce, higher: readonly PolicyFileRead[]): string {
  return JSON.stringify([higher, full, tightening].map(contentHash));
}
