/** Reading what was asked for, once and in bounded time: whatever it is and does, it becomes a call or a problem. */

import type { CallRequest } from '../call.ts';
import { type CallPlace, type ReadCall, readCall, schemaInTime } from '../catalog/read-call.ts';
import type { Deadlines } from '../deadlines.ts';
import { messageOf } from '../errors.ts';
import { isPromise, type MaybePromise } from '../maybe-promise.ts';
import type { GuardParts } from './core.ts';

export function readRequest(request: unknown, place: CallPlace, parts: GuardParts): MaybePromise<ReadCall> {
  const { asked, problem } = takeOnce(request, parts.limits.nameLength);
  const refuse = (text: string): ReadCall => {
    const nothing = { catalog: { find: () => ({ problem: text }) }, limits: parts.limits };
    // A finder that finds nothing is asked synchronously.
    return readCall(asked, place, nothing) as ReadCall;
  };
  if (problem !== undefined) return refuse(problem);
  try {
    const reading = readCall(asked, place, parts);
    return isPromise(reading) ? schemaInTime(reading, limitOf(parts), refuse) : reading;
  } catch (error) {
    return refuse(`The call cannot be read: ${messageOf(error)}`);
  }
}

/** A schema may take no longer than a predicate. */
export function limitOf({ deadlines, policy }: GuardParts): { deadlines: Deadlines; timeoutMs: number } {
  return { deadlines, timeoutMs: policy.timeoutMs };
}

interface Taken {
  readonly asked: CallRequest;
  readonly problem?: string | undefined;
}

/** Each field is read once: a getter that answers differently the second time must not split what is checked and run. */
function takeOnce(request: unknown, nameLength: number): Taken {
  if (typeof request !== 'object' || request === null)
    return { asked: { tool: '' }, problem: 'The call is no object.' };
  try {
    const { id, tool, server, args } = request as CallRequest;
    if (!isLong(tool, nameLength) && !isLong(server, nameLength)) return { asked: { id, tool, server, args } };
    const asked = { id, tool: cutName(tool, nameLength), server: cutName(server, nameLength), args };
    return { asked, problem: `The name of the tool or its server is longer than ${nameLength} characters.` };
  } catch (error) {
    return { asked: { tool: '' }, problem: `The call cannot be read: ${messageOf(error)}` };
  }
}

function isLong(name: unknown, nameLength: number): boolean {
  return typeof name === 'string' && name.length > nameLength;
}

function cutName<T>(name: T, nameLength: number): T | string {
  return typeof name === 'string' ? name.slice(0, nameLength).toWellFormed() : name;
}
