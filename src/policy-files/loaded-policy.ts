/** A policy from files, ready to be asked: what every command works on. */

import type { CallRequest, Decision } from '../kernel/call.ts';
import type { ToolFinder } from '../kernel/catalog/catalog.ts';
import type { MaybePromise } from '../kernel/maybe-promise.ts';
import type { Explanation, PolicyEvaluator, Policy } from '../kernel/policy/evaluator/policy.ts';
import type { ServerDeclaration, ToolDeclaration } from '../kernel/tool.ts';
import type { CheckState, FilePosition, PolicyFile } from './policy-file.ts';

/** A call to ask about, and where it is supposed to happen. */
export interface CheckRequest extends CallRequest {
  /** Absolute; the folder the policy was loaded for if not given. */
  readonly cwd?: string | undefined;
  readonly state?: CheckState | undefined;
}

/** One file of a policy. The first layer of a policy is the highest: what it extends comes before a file. */
export interface PolicyLayer {
  readonly policyFile: PolicyFile;
  /** Decides as this layer alone would; a decision without a rule means that it abstains. */
  readonly policy: Policy;
}

/** Something odd that is no error, with its place. */
export interface PolicyFinding {
  readonly file: string;
  readonly at: FilePosition;
  readonly message: string;
}

/** What one layer had to do with a call. */
export interface LayerExplanation extends Explanation {
  readonly layer: PolicyLayer;
}

export interface PolicyExplanation {
  readonly decision: Decision;
  /** Of the highest layer first. */
  readonly layers: readonly LayerExplanation[];
}

export interface LoadedPolicy {
  readonly layers: readonly PolicyLayer[];
  /** The hash of the effective rules. */
  readonly version: string;
  readonly default: Decision['effect'];
  readonly findings: readonly PolicyFinding[];
  /** Every file that was read, absolute. */
  readonly files: readonly string[];
  /** False: it may only tighten the rules that hold until it is trusted. */
  readonly trusted: boolean;
  /** Every tool that is known, as calls meet it: those it was loaded with, and what the files say of tools. */
  readonly tools: readonly ToolDeclaration[];
  /** Every server that is known. */
  readonly servers: readonly ServerDeclaration[];
  /** The folder it was loaded for, absolute. */
  readonly cwd: string;
  /** Finds what is declared of the tool of a call. */
  readonly catalog: ToolFinder;
  /** What {@link decide} asks once a call is read, for whoever reads calls otherwise. */
  readonly evaluator: PolicyEvaluator;
  /** Decides as the runtime would. */
  decide(request: CheckRequest): MaybePromise<Decision>;
  explain(request: CheckRequest): Promise<PolicyExplanation>;
}
