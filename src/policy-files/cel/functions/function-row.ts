/** The rows of the function table. */

import type { ToolCall } from '../../../kernel/call.ts';
import type { JsonValue } from '../../../kernel/json.ts';
import type { ToolDeclaration } from '../../../kernel/tool.ts';
import type { CelType } from '../expression/cel-type.ts';
import type { Evaluation, CelValue } from '../expression/evaluation.ts';
import type { TextUse } from '../expression/checked-expression.ts';
import type { Fact, Truth, Unknown } from '../../../facts/truth.ts';

interface FunctionDescription {
  readonly name: string;
  /** How to write a call; `text` and `list` represent any expression. */
  readonly signature: string;
  readonly description: string;
}

/** The string literals that a fact accepts. */
interface TextArguments {
  readonly use: TextUse;
  readonly max: number;
  /** True if they can be omitted. */
  readonly optional?: true;
}

/** `runs("rm")`: a fact about the call. */
export interface CallFactRow extends FunctionDescription {
  readonly type: 'call fact';
  readonly textArguments?: TextArguments | undefined;
  readonly returns: CelType;
  readonly make: (
    facts: ConditionFacts,
    texts: readonly string[],
  ) => (call: ToolCall, tool: ToolDeclaration) => FactResult;
}

/** `args.command.runs("rm")`: the same fact about a string. */
export interface TextFactRow extends FunctionDescription {
  readonly type: 'text fact';
  readonly textArguments?: TextArguments | undefined;
  readonly returns: CelType;
  readonly make: (facts: ConditionFacts, texts: readonly string[]) => (text: string) => FactResult;
}

/** The kind of a parameter. */
export type ParameterKind = 'text' | 'list' | 'sized' | 'number or text' | 'scalar';

/** A function of values. The first parameter of a method is its receiver. */
export interface ValueRow extends FunctionDescription {
  readonly type: 'function' | 'method';
  readonly parameters: readonly ParameterKind[];
  readonly returns: CelType;
  readonly run: (values: readonly JsonValue[], evaluation: Evaluation) => CelValue;
}

/** `text.matches("…")`, `has(args.x)` and loops: their arguments are not only values. */
export interface SpecialFormRow extends FunctionDescription {
  readonly type: 'pattern' | 'presence' | 'loop';
}

export type FunctionRow = CallFactRow | TextFactRow | ValueRow | SpecialFormRow;

/** True if a function is written after a receiver and a dot. */
export function isMethod({ type }: FunctionRow): boolean {
  return type === 'text fact' || type === 'method' || type === 'pattern' || type === 'loop';
}

/** The result of a fact: true, false, a string, or unknown. */
export type FactResult = Truth | string;

/** Facts about a call, and the same facts about a string. Their arguments are checked when they are created. */
export interface ConditionFacts {
  readonly runs: (entries: readonly string[]) => Fact;
  readonly runsOnly: (entries: readonly string[]) => Fact;
  readonly runsListed: (entries: readonly string[]) => Fact;
  readonly opaque: (entries: readonly string[]) => Fact;
  readonly reads: (glob: string) => Fact;
  readonly writes: (glob: string) => Fact;
  readonly readsInside: (folders: readonly string[]) => Fact;
  readonly writesInside: (folders: readonly string[]) => Fact;
  readonly worksIn: (folders: readonly string[]) => Fact;
  readonly isPublicHost: () => Fact;
  readonly underDomain: (name: string) => Fact;
  readonly host: () => (call: ToolCall, tool: ToolDeclaration) => string | Unknown;
  readonly runsIn: (text: string, entries: readonly string[]) => Truth;
  readonly runsOnlyIn: (text: string, entries: readonly string[]) => Truth;
  readonly opaqueIn: (text: string, entries: readonly string[]) => Truth;
  readonly hostOf: (text: string) => string | Unknown;
  readonly isPublicHostOf: (text: string) => Truth;
  readonly underDomainOf: (text: string, name: string) => Truth;
}
