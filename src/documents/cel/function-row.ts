/** What the table of functions says of each. */

import type { ToolCall } from '../../call.ts';
import type { JsonValue } from '../../json.ts';
import type { ToolDeclaration } from '../../tool.ts';
import type { CelType } from './cel-type.ts';
import type { Evaluation, Value } from './evaluation.ts';
import type { CelFacts, Told } from './facts.ts';
import type { TextUse } from './scope.ts';

interface Described {
  readonly name: string;
  /** How it is written, `text` and `list` standing for any expression. */
  readonly signature: string;
  readonly description: string;
}

/** Texts in quotes that a fact is asked about. */
interface Asked {
  readonly use: TextUse;
  readonly most: number;
  /** True: there may be none. */
  readonly optional?: true;
}

/** `runs("rm")`: a fact about the call. */
export interface CallFactRow extends Described {
  readonly type: 'call fact';
  readonly asked?: Asked | undefined;
  readonly returns: CelType;
  readonly make: (facts: CelFacts, texts: readonly string[]) => (call: ToolCall, tool: ToolDeclaration) => Told;
}

/** `args.command.runs("rm")`: the same of a text. */
export interface TextFactRow extends Described {
  readonly type: 'text fact';
  readonly asked?: Asked | undefined;
  readonly returns: CelType;
  readonly make: (facts: CelFacts, texts: readonly string[]) => (text: string) => Told;
}

/** A kind of value that a function takes. */
export type Taken = 'text' | 'list' | 'sized' | 'number or text' | 'scalar';

/** A function of values; a method has its text or list first. */
export interface ValueRow extends Described {
  readonly type: 'function' | 'method';
  readonly takes: readonly Taken[];
  readonly returns: CelType;
  readonly run: (values: readonly JsonValue[], evaluation: Evaluation) => Value;
}

/** `text.matches("…")`, `has(args.x)`, and loops over lists: what they are given is not only values. */
export interface FormRow extends Described {
  readonly type: 'pattern' | 'presence' | 'loop';
}

export type FunctionRow = CallFactRow | TextFactRow | ValueRow | FormRow;

/** Whether a function is written behind a text or list and a dot. */
export function isMethod({ type }: FunctionRow): boolean {
  return type === 'text fact' || type === 'method' || type === 'pattern' || type === 'loop';
}
