/** One evaluation of a condition: the call, the values of loops, and how much work is left. */

import type { ToolCall } from '../../../kernel/call.ts';
import { BridleError } from '../../../kernel/errors.ts';
import type { JsonObject, JsonValue } from '../../../kernel/json.ts';
import type { ToolDeclaration } from '../../../kernel/tool.ts';
import type { TextSpan } from '../syntax/condition-problem.ts';

/** What a condition is asked about besides the arguments and the call. */
export interface ConditionContext {
  readonly tool: ToolDeclaration;
  readonly state: { readonly session: JsonObject; readonly turn: JsonObject };
}

/**
 * Why there is no value: `unknown` where a fact cannot be told, `failed` where the expression went wrong. It travels as a
 * value, so that every operator says for itself what becomes of it, and so that a failure is never lost behind an unknown.
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

/** Work one evaluation may do; a step is about a microsecond at worst. */
const maxSteps = 200_000;
/** Characters of a text, and items of a list, that an expression may make. */
const maxCharacters = 4 * 1024 * 1024;
const maxItems = 200_000;

export class Evaluation {
  /** The items that loops are at, by the depth of the loop. */
  readonly items: JsonValue[] = [];
  private stepsLeft = maxSteps;

  constructor(
    readonly args: JsonObject,
    readonly call: ToolCall,
    readonly context: ConditionContext,
  ) {}

  /** Past the limit the whole evaluation ends: nothing can absorb it. */
  spend(steps: number): void {
    this.stepsLeft -= steps;
    if (!(this.stepsLeft >= 0)) throw limitError('takes too many steps');
  }

  /** To be asked before a text or a list is made. */
  spendOnResult(size: { readonly characters?: number; readonly items?: number }): void {
    const { characters = 0, items = 0 } = size;
    if (characters > maxCharacters || items > maxItems) throw limitError('makes values that are too large');
    this.spend(1 + characters / 1000 + items / 10);
  }
}

function limitError(what: string): BridleError {
  return new BridleError('CONDITION_FAILED', `The condition ${what} for this call.`);
}

/** A failure outweighs an unknown: it denies whatever the rule is. */
export function worseOf(a: CelValue | undefined, b: CelValue): NoValue | undefined {
  const one = a instanceof NoValue ? a : undefined;
  const other = b instanceof NoValue ? b : undefined;
  return one === undefined || (one.type === 'unknown' && other?.type === 'failed') ? other : one;
}

export function failure(why: string, at?: TextSpan): NoValue {
  return new NoValue('failed', why, at);
}

/** A value as messages name it; the value itself may be a secret. */
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
