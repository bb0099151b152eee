/** A policy loaded from files, ready to decide calls. Every policy command works on it. */

import type { CallRequest, Decision } from '../kernel/call.ts';
import type { ToolFinder } from '../kernel/catalog/catalog.ts';
import type { MaybePromise } from '../kernel/maybe-promise.ts';
import type { Explanation, PolicyEvaluator, Policy } from '../kernel/policy/evaluator/policy.ts';
import type { ServerDeclaration, ToolDeclaration } from '../kernel/tool.ts';
import type { CheckState, FilePosition, PolicyFile } from './policy-file.ts';

/** A call to decide, with its folder and state. */
export interface CheckRequest extends CallRequest {
  /** Absolute. Default: the folder the policy was loaded for. */
  readonly cwd?: string | undefined;
  readonly state?: CheckState | undefined;
}

/** One file of a policy. The first layer is the highest: an extended file comes before the file that extends it. */
export interface PolicyLayer {
  readonly policyFile: PolicyFile;
  /** Decides as this layer alone would. A decision without a rule means that the layer abstains. */
  readonly policy: Policy;
}

/** A warning about a policy file, with its position. */
export interface PolicyFinding {
  readonly file: string;
  readonly at: FilePosition;
  readonly message: string;
}

/** How one layer evaluated a call. */
export interface LayerExplanation extends Explanation {
  readonly layer: PolicyLayer;
}

export interface PolicyExplanation {
  readonly decision: Decision;
  /** The highest layer first. */
  readonly layers: readonly LayerExplanation[];
}

export interface LoadedPolicy {
  readonly layers: readonly PolicyLayer[];
  /** A hash of the effective rules. */
  readonly version: string;
  readonly default: Decision['effect'];
  readonly findings: readonly PolicyFinding[];
  /** Absolute paths of all files that were read. */
  readonly files: readonly string[];
  /** Absolute paths of the modules that the files name in `hooks`. Decisions of this policy do not include them. */
  readonly hookModules: readonly string[];
  /** False if the file is not trusted yet: it can then only make decisions stricter. */
  readonly trusted: boolean;
  /** All known tools: those passed to `loadPolicy`, and those declared in the files. */
  readonly tools: readonly ToolDeclaration[];
  /** All known servers. */
  readonly servers: readonly ServerDeclaration[];
  /** Absolute path of the folder the policy was loaded for. */
  readonly cwd: string;
  /** Finds the declaration of a tool. */
  readonly catalog: ToolFinder;
  /** Evaluates calls that are already parsed; {@link decide} uses it. */
  readonly evaluator: PolicyEvaluator;
  /** Decides as the runtime would. */
  decide(request: CheckRequest): MaybePromise<Decision>;
  explain(request: CheckRequest): Promise<PolicyExplanation>;
}
