/** Reading what was asked for, once and in bounded time: whatever it is and does, it becomes a call or a problem. */

import type { CallRequest } from '../../call.ts';
import { type CallPosition, type ReadCall, readCall, withSchemaTimeout } from '../../catalog/read-call.ts';
import type { Deadlines } from '../../deadlines.ts';
import { messageOf } from '../../errors.ts';
import { isPromise, type MaybePromise } from '../../maybe-promise.ts';
import type { GuardParts } from '../state/session-state.ts';

/** Each field is read once: a getter that answers differently the second time must not split what is checked and run. */
export function readRequest(request: unknown, position: CallPosition, parts: GuardParts): MaybePromise<ReadCall> {
  const { nameLength } = parts.limits;
  let asked: CallRequest = { tool: '' };
  const refuse = (text: string): ReadCall => {
    const nothing = { catalog: { find: () => ({ problem: text }) }, limits: parts.limits };
    // A finder that finds nothing is asked synchronously.
    return readCall(asked, position, nothing) as ReadCall;
  };
  if (typeof request !== 'object' || request === null) return refuse('The call is no object.');
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

/** A schema may take no longer than a predicate. */
export function schemaLimitOf({ deadlines, policy }: GuardParts): { deadlines: Deadlines; timeoutMs: number } {
  return { deadlines, timeoutMs: policy.timeoutMs };
}

/** The name itself, unless it is too long to be one. */
function cutName<T>(name: T, nameLength: number): T | string {
  return typeof name === 'string' && name.length > nameLength ? name.slice(0, nameLength).toWellFormed() : name;
}
