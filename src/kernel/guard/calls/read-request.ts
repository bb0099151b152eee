/** Reads a call request, once and within a time limit. Any input, even a hostile one, becomes a call or a problem. */

import type { CallRequest } from '../../call.ts';
import type { ToolView } from '../../catalog/catalog.ts';
import { type ReadCall, readCall, withSchemaTimeout } from '../../catalog/read-call.ts';
import type { Deadlines } from '../../deadlines.ts';
import { messageOf } from '../../errors.ts';
import { isPromise, type MaybePromise } from '../../maybe-promise.ts';
import type { TurnState } from '../state/hook-activity.ts';
import type { GuardParts, SessionState } from '../state/session-state.ts';

/** Where a call comes from. */
export interface CallOrigin {
  readonly session: SessionState;
  readonly turn: TurnState;
  /** The tools that can be called: the visible ones of the session, and a wrapped one. */
  readonly tools: ToolView;
}

/** Reads each field once: a getter that changes its value must not make the checked call differ from the one that runs. */
export function readRequest(request: unknown, { session, turn, tools }: CallOrigin): MaybePromise<ReadCall> {
  const { parts, info } = session;
  const { nameLength } = parts.limits;
  const position = { session: info.id, agent: info.agent, cwd: info.cwd, turn: turn.number, step: turn.step };
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
    const reading = readCall(asked, position, { catalog: tools, limits: parts.limits });
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
