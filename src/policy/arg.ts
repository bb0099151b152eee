/** Predicates that say which argument they read, so that a policy can check the name and follow its aliases. */

import type { ToolCall } from '../call.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { When } from './rule.ts';

type ArgumentTest = (value: JsonValue | undefined, call: ToolCall) => boolean | Promise<boolean>;

/** A predicate made by {@link arg}. */
export interface ArgumentWhen extends When {
  readonly argument: string;
  /** The same predicate reading the argument under another name. */
  readonly readFrom: (canonical: string) => When;
}

/**
 * True if the named argument passes a test; a missing argument is undefined.
 * @example
 * allow('run_command', { when: arg('command_line', (line) => line === 'npm test') });
 */
export function arg(name: string, test: ArgumentTest): ArgumentWhen {
  const readFrom =
    (canonical: string): When =>
    (args: JsonObject, call) =>
      test(Object.hasOwn(args, canonical) ? args[canonical] : undefined, call);
  return Object.assign(readFrom(name), { argument: name, readFrom });
}

export function isArgumentWhen(when: When): when is ArgumentWhen {
  return 'argument' in when && 'readFrom' in when;
}
