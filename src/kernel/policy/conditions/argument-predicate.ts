/** Predicates that name the argument they read, so that the compiler can check the name. */

import type { ToolCall } from '../../call.ts';
import { BridleError } from '../../errors.ts';
import type { JsonObject, JsonValue } from '../../json.ts';

type ArgumentTest = (value: JsonValue | undefined, call: ToolCall) => boolean | Promise<boolean>;

/** A predicate made by {@link arg}. */
export interface ArgumentPredicate {
  (args: JsonObject, call: ToolCall): boolean | Promise<boolean>;
  readonly argument: string;
  readonly test: ArgumentTest;
}

/**
 * True if the named argument passes a test. A missing argument is undefined.
 * @example
 * allow('run_command', { when: arg('command_line', (line) => line === 'npm test') });
 */
export function arg(name: string, test: ArgumentTest): ArgumentPredicate {
  if (typeof name !== 'string' || name === '' || typeof test !== 'function') {
    throw new BridleError('RULE_INVALID', 'arg takes the name of an argument and a function that tests its value');
  }
  const when = (args: JsonObject, call: ToolCall) => test(Object.hasOwn(args, name) ? args[name] : undefined, call);
  return Object.freeze(Object.assign(when, { argument: name, test }));
}

export function isArgumentPredicate(when: unknown): when is ArgumentPredicate {
  return typeof when === 'function' && 'argument' in when && 'test' in when;
}
