/** Turns a function into a hook: one helper for each point. */

import { didYouMean, quoteName } from '../../names.ts';
import { BridleError } from '../../errors.ts';
import { type Hook, hookFields, type HookMethod, type HookOptions } from './hook.ts';
import type { PointName } from '../points/points.ts';

export interface FunctionHookOptions extends HookOptions {
  /** The name of the hook; the function's name if not set. */
  readonly name?: string | undefined;
}

type FunctionHook<P extends PointName> = (method: HookMethod<P>, options?: FunctionHookOptions) => Hook;

function functionHook<P extends PointName>(point: P): FunctionHook<P> {
  return (method, options = {}) => {
    if (typeof method !== 'function') {
      throw new BridleError('HOOK_INVALID', `${point}() takes a function, not a ${typeof method}`);
    }
    const name = options.name ?? method.name;
    if (name === '') {
      throw new BridleError(
        'HOOK_UNNAMED',
        `${point}(fn) got a function without a name; give one: ${point}(fn, { name })`,
      );
    }
    const unknown = Object.keys(options).find((field) => !hookFields.includes(field));
    if (unknown !== undefined) {
      const hint = `is not known${didYouMean(unknown, hookFields)}`;
      throw new BridleError('HOOK_OPTION_INVALID', `${point}(fn, options): option ${quoteName(unknown)} ${hint}`);
    }
    return { ...options, name, [point]: method };
  };
}

export const onSessionStart = functionHook('onSessionStart');
export const onSessionEnd = functionHook('onSessionEnd');
export const preTurn = functionHook('preTurn');
export const postTurn = functionHook('postTurn');
export const onTurnError = functionHook('onTurnError');
export const preLlmCall = functionHook('preLlmCall');
export const postLlmCall = functionHook('postLlmCall');
export const onLlmError = functionHook('onLlmError');
export const preToolCall = functionHook('preToolCall');
export const postToolCall = functionHook('postToolCall');
export const onToolError = functionHook('onToolError');
export const onInteraction = functionHook('onInteraction');
export const preCompaction = functionHook('preCompaction');
export const postCompaction = functionHook('postCompaction');
export const onEvent = functionHook('onEvent');
