/** What the table of functions says of each. */

import type { ToolCall } from '../../../kernel/call.ts';
import type { JsonValue } from '../../../kernel/json.ts';
import type { ToolDeclaration } from '../../../kernel/tool.ts';
import type { CelType } from '../expression/cel-type.ts';
import type { Evaluation, CelValue } from '../expression/evaluation.ts';
import type { ConditionFacts, FactResult } from './condition-facts.ts';
import type { TextUse } from '../expression/checked-expression.ts';

interface FunctionDescription {
  readonly name: string;
  /** How it is written, `text` and `list` standing for any expression. */
  readonly signature: string;
  readonly description: string;
}

/** Texts in quotes that a fact is asked about. */
interface TextArguments {
  readonly use: TextUse;
  readonly max: number;
  /** True: there may be none. */
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

/** `args.command.runs("rm")`: the same of a text. */
export interface TextFactRow extends FunctionDescription {
  readonly type: 'text fact';
  readonly textArguments?: TextArguments | undefined;
  readonly returns: CelType;
  readonly make: (facts: ConditionFacts, texts: readonly string[]) => (text: string) => FactResult;
}

/** A kind of value that a function takes. */
export type ParameterKind = 'text' | 'list' | 'sized' | 'number or text' | 'scalar';

/** A function of values; a method has its text or list first. */
export interface ValueRow extends FunctionDescription {
  readonly type: 'function' | 'method';
  readonly parameters: readonly ParameterKind[];
  readonly returns: CelType;
  readonly run: (values: readonly JsonValue[], evaluation: Evaluation) => CelValue;
}

/** `text.matches("…")`, `has(args.x)`, and loops over lists: what they are given is not only values. */
export interface SpecialFormRow extends FunctionDescription {
  readonly type: 'pattern' | 'presence' | 'loop';
}

export type FunctionRow = CallFactRow | TextFactRow | ValueRow | SpecialFormRow;

/** Whether a function is written behind a text or list and a dot. */
export function isMethod({ type }: FunctionRow): boolean {
  return type === 'text fact' || type === 'method' || type === 'pattern' || type === 'loop';
}
