/** One evaluation of a condition: the call, the values of loops, and how much work is left. */

import type { ToolCall } from '../../call.ts';
import { BridleError } from '../../errors.ts';
import type { JsonObject, JsonValue } from '../../json.ts';
import type { ToolDeclaration } from '../../tool.ts';
import type { Span } from './problem.ts';

/** What a condition is asked about besides the arguments and the call. */
export interface About {
  readonly tool: ToolDeclaration;
  readonly state: { readonly session: JsonObject; readonly turn: JsonObject };
}

/**
 * Why there is no value: `unknown` where a fact cannot be told, `failed` where the expression went wrong. It travels as a
 * value, so that every operator says for itself what becomes of it, and so that a failure is never lost behind an unknown.
 */
export class Trouble {
  constructor(
    readonly type: 'unknown' | 'failed',
    readonly why: string,
    readonly at?: Span,
  ) {}
}

export type Value = JsonValue | Trouble;

export type Run = (evaluation: Evaluation) => Value;

/** Work one evaluation may do; a step is about a microsecond at worst. */
const mostSteps = 200_000;
/** Characters of a text, and items of a list, that an expression may make. */
const mostCharacters = 4 * 1024 * 1024;
const mostItems = 200_000;

export class Evaluation {
  /** The items that loops are at, by the depth of the loop. */
  readonly items: JsonValue[] = [];
  private left = mostSteps;

  constructor(
    readonly args: JsonObject,
    readonly call: ToolCall,
    readonly about: About,
  ) {}

  /** Past the limit the whole evaluation ends: nothing can absorb it. */
  spend(steps: number): void {
    this.left -= steps;
    if (!(this.left >= 0)) throw tooMuch('takes too many steps');
  }

  /** To be asked before a text or a list is made. */
  spendOn(size: { readonly characters?: number; readonly items?: number }): void {
    const { characters = 0, items = 0 } = size;
    if (characters > mostCharacters || items > mostItems) throw tooMuch('makes values that are too large');
    this.spend(1 + characters / 1000 + items / 10);
  }
}

function tooMuch(what: string): BridleError {
  return new BridleError('CONDITION_FAILED', `The condition ${what} for this call.`);
}

/** A failure outweighs an unknown: it denies whatever the rule is. */
export function worst(a: Value | undefined, b: Value): Trouble | undefined {
  const one = a instanceof Trouble ? a : undefined;
  const other = b instanceof Trouble ? b : undefined;
  return one === undefined || (one.type === 'unknown' && other?.type === 'failed') ? other : one;
}

export function failed(why: string, at?: Span): Trouble {
  return new Trouble('failed', why, at);
}

/** A value as messages name it; the value itself may be a secret. */
export function kindOfValue(value: Value): string {
  if (value === null) return 'null';
  return Array.isArray(value)
    ? 'list'
    : typeof value === 'object'
      ? 'map'
      : typeof value === 'boolean'
        ? 'bool'
        : typeof value;
}
