import { errorMessage, recover } from '../../kernel/hooks/points/actions.ts';
import type { Hook } from '../../kernel/hooks/registration/hook.ts';
import type { ToolError } from '../../kernel/hooks/points/payloads.ts';
import type { JsonValue } from '../../kernel/json.ts';
import { defaultLimits } from '../../kernel/limits.ts';
import { BridleError } from '../../kernel/errors.ts';
import { type CallTarget, callFilter, callTarget } from '../options/call-filter.ts';
import { pattern, matchesAny } from '../options/patterns.ts';
import { checkHookOptions, hookSettings, type ReadyMadeOptions } from '../options/ready-made-options.ts';
import * as is from '../../kernel/shapes.ts';
import { Invalid } from '../../kernel/shapes.ts';

/** What the model gets instead of an error: a value, or an error with a better message. */
export type Recovery = {
  /** A pattern, part of the error message, or a function that tests the error. */
  readonly match: RegExp | string | ((error: ToolError) => boolean);
  /** Only errors of these tools. Default: all tools. */
  readonly tools?: readonly CallTarget[] | undefined;
} & (
  | { readonly value: JsonValue; readonly message?: undefined }
  | { readonly message: string; readonly value?: undefined }
);

interface PreparedRecovery {
  readonly fits: (error: ToolError) => boolean;
  readonly answer: ReturnType<typeof recover> | ReturnType<typeof errorMessage>;
}

/** Answers a failing tool with the first matching recovery. Other errors stay unchanged. */
export function errorRecovery(recoveries: readonly Recovery[], options: ReadyMadeOptions = {}): Hook {
  checkHookOptions('errorRecovery', options, { shapes: {} });
  if (!Array.isArray(recoveries) || recoveries.length === 0) {
    throw new BridleError('OPTION_INVALID', 'errorRecovery: pass a list with at least one recovery');
  }
  const prepared = (recoveries as readonly Recovery[]).map(prepare);
  return {
    ...hookSettings(options, { name: 'error-recovery' }),
    onToolError: ({ error }) => prepared.find(({ fits }) => fits(error))?.answer,
  };
}

function prepare(recovery: Recovery, index: number): PreparedRecovery {
  checkHookOptions(`errorRecovery [${index}]`, recovery, {
    shapes: { match: matchShape, tools: is.nonEmptyList(callTarget), value: is.json, message: is.nonEmptyText },
    needed: ['match'],
    shared: [],
  });
  const { match, tools = ['*'], value, message: text } = recovery;
  if ((value === undefined) === (text === undefined)) {
    throw new BridleError('OPTION_INVALID', `errorRecovery [${index}]: set either "value" or "message"`);
  }
  const isTarget = callFilter(tools);
  const matches = toPredicate(match);
  return {
    fits: (error) => isTarget(error) && matches(error),
    answer: value === undefined ? errorMessage(text) : recover(value),
  };
}

function toPredicate(match: Recovery['match']): (error: ToolError) => boolean {
  if (typeof match === 'function') return (error) => isTrue(match(error));
  if (typeof match === 'string') return (error) => error.message.includes(match);
  const hits = matchesAny([match]);
  return (error) => hits(error.message);
}

/** A promise does not count as true. */
function isTrue(answer: unknown): boolean {
  return answer === true;
}

const matchShape = is.that(
  'a pattern, a string or a function',
  (value) =>
    typeof value === 'function' ||
    (typeof value === 'string' ? value.trim() !== '' : !(pattern(value, defaultLimits) instanceof Invalid)),
);
