import { message, recover } from '../hooks/actions.ts';
import type { Hook } from '../hooks/hook.ts';
import type { ToolError } from '../hooks/payloads.ts';
import { copyJson, type JsonValue } from '../json.ts';
import { defaultLimits } from '../limits.ts';
import { BridleError } from '../errors.ts';
import { kindOf } from '../kind-of.ts';
import { type CallTarget, callFilter, isCallTarget } from './call-filter.ts';
import { isPattern, matchesAny } from './pattern.ts';
import { checkOptions, hookOptions, listOf, type StockOptions, words } from './stock-options.ts';

/** What the model gets in the place of an error: a value, or still an error with a better text. */
export type Recovery = {
  /** A pattern, a part of the error's text, or a test of the error. */
  readonly match: RegExp | string | ((error: ToolError) => boolean);
  /** Only errors of these tools; of all if not given. */
  readonly tools?: readonly CallTarget[] | undefined;
} & (
  | { readonly value: JsonValue; readonly message?: undefined }
  | { readonly message: string; readonly value?: undefined }
);

interface Ready {
  readonly fits: (error: ToolError) => boolean;
  readonly answer: ReturnType<typeof recover> | ReturnType<typeof message>;
}

/** Answers a failing tool with the first recovery that fits; an error that none fits stays as it is. */
export function errorRecovery(recoveries: readonly Recovery[], options: StockOptions = {}): Hook {
  checkOptions('errorRecovery', options, { checks: {} });
  if (!Array.isArray(recoveries) || recoveries.length === 0) {
    throw new BridleError('OPTION_INVALID', 'errorRecovery takes a list of recoveries, with at least one');
  }
  const ready = (recoveries as readonly Recovery[]).map(prepare);
  return {
    ...hookOptions(options, { name: 'error-recovery' }),
    onToolError: ({ error }) => ready.find(({ fits }) => fits(error))?.answer,
  };
}

function prepare(recovery: Recovery, index: number): Ready {
  checkOptions(`errorRecovery [${index}]`, recovery, {
    checks: { match: isMatch, tools: listOf(isCallTarget), value: isJson, message: words },
    needed: ['match'],
    shared: [],
  });
  const { match, tools = ['*'], value, message: text } = recovery;
  if ((value === undefined) === (text === undefined)) {
    throw new BridleError(
      'OPTION_INVALID',
      `errorRecovery [${index}]: either "value" or "message" is needed, not both`,
    );
  }
  const ofTools = callFilter(tools);
  const matches = toTest(match);
  return {
    fits: (error) => ofTools(error) && matches(error),
    answer: value === undefined ? message(text) : recover(value),
  };
}

function toTest(match: Recovery['match']): (error: ToolError) => boolean {
  if (typeof match === 'function') return (error) => isTrue(match(error));
  if (typeof match === 'string') return (error) => error.message.includes(match);
  const hits = matchesAny([match]);
  return (error) => hits(error.message);
}

/** A promise is not true, whatever it holds. */
function isTrue(answer: unknown): boolean {
  return answer === true;
}

function isMatch(value: unknown): string | undefined {
  if (typeof value === 'function') return undefined;
  const problem = typeof value === 'string' ? words(value) : isPattern(value);
  return problem === undefined ? undefined : `is ${kindOf(value)}, not a pattern, a text or a function`;
}

function isJson(value: unknown): string | undefined {
  return copyJson(value, { bytes: defaultLimits.answerBytes, depth: defaultLimits.depth }).problem;
}
