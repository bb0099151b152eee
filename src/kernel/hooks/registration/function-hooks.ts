/** A function as a hook: one helper per point. */

import { unknownFieldProblems } from '../../check-fields.ts';
import { BridleError } from '../../errors.ts';
import { type Hook, hookFields, type HookMethod, type HookOptions } from './hook.ts';
import type { PointName } from '../points/points.ts';

export interface FunctionHookOptions extends HookOptions {
  /** The name of the hook; the function's own if not given. */
  readonly name?: string | undefined;
}

type FunctionHook<P extends PointName> = (method: HookMethod<P>, options?: FunctionHookOptions) => Hook;

function helper<P extends PointName>(point: P): FunctionHook<P> {
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
    const [unknown] = unknownFieldProblems(options, hookFields);
    if (unknown !== undefined) {
      throw new BridleError('HOOK_OPTION_INVALID', `${point}(fn, options): option ${unknown}`);
    }
    return { ...options, name, [point]: method };
  };
}

export const onSessionStart = helper('onSessionStart');
export const onSessionEnd = helper('onSessionEnd');
export const preTurn = helper('preTurn');
export const postTurn = helper('postTurn');
export const onTurnError = helper('onTurnError');
export const preLlmCall = helper('preLlmCall');
export const postLlmCall = helper('postLlmCall');
export const onLlmError = helper('onLlmError');
export const preToolCall = helper('preToolCall');
export const postToolCall = helper('postToolCall');
export const onToolError = helper('onToolError');
export const onInteraction = helper('onInteraction');
export const preCompaction = helper('preCompaction');
export const postCompaction = helper('postCompaction');
export const onEvent = helper('onEvent');
