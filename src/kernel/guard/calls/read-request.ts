/** Reads a call request, once and within a time limit. Any input, even a hostile one, becomes a call or a problem. */

import type { CallRequest } from '../../call.ts';
import { type CallPosition, type ReadCall, readCall, withSchemaTimeout } from '../../catalog/read-call.ts';
import type { Deadlines } from '../../deadlines.ts';
import { messageOf } from '../../errors.ts';
import { isPromise, type MaybePromise } from '../../maybe-promise.ts';
import type { GuardParts } from '../state/session-state.ts';

/** Reads each field once: a getter that changes its value must not make the checked call differ from the one that runs. */
export function readRequest(request: unknown, position: CallPosition, parts: GuardParts): MaybePromise<ReadCall> {
  const { nameLength } = parts.limits;
  let asked: CallRequest = { tool: '' };
  const refuse = (text: string): ReadCall => {
    const nothing = { catalog: { find: () => ({ problem: text }) }, limits: parts.limits };
    // Synchronous, because this catalog finds nothing.
    return readCall(asked, position, nothing) as ReadCall;
  };
  if (typeof request !== 'object' || request === null) return refuse('The call is not an object.');
  try {
    const { id, tool, server, args } = request as CallRequest;
    asked = { id, tool: cutName(tool, nameLength), server: cutName(server, nameLength), args };
    if (!Object.is(asked.tool, tool) || !Object.is(asked.server, server)) {
      return refuse(`The name of the tool or its server is longer than ${nameLength} characters.`);
    }
    const reading = readCall(asked, position, { catalog: parts.visibleTools, limits: parts.limits });
    return isPromise(reading) ? withSchemaTimeout(reading, schemaLimitOf(parts), refuse) : reading;
  } catch (error) {
    return refuse(`The call cannot be read: ${messageOf(error)}`);
  }
}

/** Schemas have the time limit of predicates. */
export function schemaLimitOf({ deadlines, policy }: GuardParts): { deadlines: Deadlines; timeoutMs: number } {
  return { deadlines, timeoutMs: policy.timeoutMs };
}

/** The name itself, unless it is too long to be one. */
function cutName<T>(name: T, nameLength: number): T | string {
  return typeof name === 'string' && name.length > nameLength ? name.slice(0, nameLength).toWellFormed() : name;
}
