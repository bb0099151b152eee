/** One evaluation of a condition: the call, the items of loops, and the remaining step budget. */

import type { ToolCall } from '../../../kernel/call.ts';
import { BridleError } from '../../../kernel/errors.ts';
import type { JsonObject, JsonValue } from '../../../kernel/json.ts';
import type { ToolDeclaration } from '../../../kernel/tool.ts';
import type { TextSpan } from '../syntax/parse-condition.ts';

/** What a condition can read in addition to the arguments and the call. */
export interface ConditionContext {
  readonly tool: ToolDeclaration;
  readonly state: { readonly session: JsonObject; readonly turn: JsonObject };
}

/**
 * The result of an expression without a value: `unknown` if a fact is unknown, `failed` if the expression failed. It is
 * passed on as a value, so that every operator decides how to handle it, and a failure never disappears behind an
 * unknown.
 */
export class NoValue {
  constructor(
    readonly type: 'unknown' | 'failed',
    readonly why: string,
    readonly at?: TextSpan,
  ) {}
}

export type CelValue = JsonValue | NoValue;

export type Evaluator = (evaluation: Evaluation) => CelValue;

/** The step limit of one evaluation. A step takes about a microsecond at worst. */
const maxSteps = 200_000;
/** The size limits of strings and lists that an expression creates. */
const maxCharacters = 4 * 1024 * 1024;
const maxItems = 200_000;

export class Evaluation {
  /** The current item of each loop, by loop depth. */
  readonly items: JsonValue[] = [];
  private stepsLeft = maxSteps;

  constructor(
    readonly args: JsonObject,
    readonly call: ToolCall,
    readonly context: ConditionContext,
  ) {}

  /** Past the limit, the whole evaluation fails; no operator can absorb that. */
  spend(steps: number): void {
    this.stepsLeft -= steps;
    if (!(this.stepsLeft >= 0)) throw limitError('takes too many steps');
  }

  /** Call this before creating a string or a list. */
  spendOnResult(size: { readonly characters?: number; readonly items?: number }): void {
    const { characters = 0, items = 0 } = size;
    if (characters > maxCharacters || items > maxItems) throw limitError('creates values that are too large');
    this.spend(1 + characters / 1000 + items / 10);
  }
}

function limitError(what: string): BridleError {
  return new BridleError('CONDITION_FAILED', `The condition ${what} for this call.`);
}

/** A failure wins over an unknown, because it denies the call under every rule. */
export function worseOf(a: CelValue | undefined, b: CelValue): NoValue | undefined {
  const one = a instanceof NoValue ? a : undefined;
  const other = b instanceof NoValue ? b : undefined;
  return one === undefined || (one.type === 'unknown' && other?.type === 'failed') ? other : one;
}

export function failure(why: string, at?: TextSpan): NoValue {
  return new NoValue('failed', why, at);
}

/** The kind of a value, for messages. The value itself may be a secret. */
export function kindOfValue(value: CelValue): string {
  if (value === null) return 'null';
  return Array.isArray(value)
    ? 'list'
    : typeof value === 'object'
      ? 'map'
      : typeof value === 'boolean'
        ? 'bool'
        : typeof value;
}
