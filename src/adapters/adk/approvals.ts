/** Approvals in ADK: a question is a tool confirmation, and the answer is the response to it. */

import { randomUUID } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue, sameJson } from '../../kernel/json.ts';
import type { FrameworkAnswer, PausedQuestion } from '../paused-questions.ts';
import type {
  AdkEvent,
  AdkFunctionCall,
  AdkPart,
  InvocationContext,
  ToolConfirmation,
  ToolContext,
} from './adk-types.ts';

const confirmationName = 'adk_request_confirmation';
const userName = 'a user of ADK';

/** What a person answered about a call. `args` are those of the call. */
export function readAnswer({ confirmed, payload }: ToolConfirmation, args: JsonObject): FrameworkAnswer {
  const by = userName;
  const { args: edited, reason } = isJsonObject(payload as JsonValue) ? (payload as JsonObject) : {};
  if (confirmed !== true) return { type: 'deny', by, reason: typeof reason === 'string' ? reason : undefined };
  // User interfaces may send back the payload as it was.
  if (edited === undefined || edited === null || sameJson(edited, args)) return { type: 'approve', by };
  if (isJsonObject(edited)) return { type: 'approve', by, args: edited };
  return { type: 'deny', by, reason: 'The edited args are not an object' };
}

/** Pauses the run with a question. The returned value does not reach the model. */
export function pause(context: ToolContext, question: PausedQuestion): JsonObject {
  const { id, text, shown, tool, server, args, expiresAt } = question;
  const payload = { approval: id, shown, tool, ...(server === undefined ? {} : { server }), args, expiresAt };
  context.requestConfirmation({ hint: text, payload });
  // If the answer to an earlier question did not count, ADK would go on with the model.
  if (context.toolConfirmation !== undefined) context.invocationContext.endInvocation = true;
  return { error: text };
}

/** ADK loses a question that is asked while a run is resumed: this makes the event ask it. True if the event asks. */
export function keepQuestion(event: AdkEvent, { session }: InvocationContext): boolean {
  const asked = event.actions?.requestedToolConfirmations;
  if (asked === undefined || Object.keys(asked).length === 0) return false;
  const parts = event.content?.parts ?? [];
  if (callsIn(event).some(({ name }) => name === confirmationName)) return true;
  const asks = parts.flatMap(({ functionResponse }): readonly AdkPart[] => {
    const id = functionResponse?.id ?? '';
    const toolConfirmation = asked[id];
    const call = session.events.flatMap(callsIn).find((each) => each.id === id);
    if (toolConfirmation === undefined || call === undefined) return [];
    const args = { originalFunctionCall: call, toolConfirmation } as unknown as JsonObject;
    return [{ functionCall: { id: `adk-${randomUUID()}`, name: confirmationName, args } }];
  });
  if (asks.length === 0) return false;
  event.content = { ...event.content, parts: asks };
  event.longRunningToolIds = asks.map(({ functionCall }) => functionCall?.id ?? '');
  return true;
}

/** The invocation in which the turn began: a resumed one continues the turn that was paused. */
export function firstInvocation({ invocationId, session }: InvocationContext): string {
  const { events } = session;
  let first = invocationId;
  for (let hops = 0; hops < events.length; hops++) {
    const message = events.find((event) => event.author === 'user' && event.invocationId === first);
    const answer = message?.content?.parts?.find(
      ({ functionResponse }) => functionResponse?.name === confirmationName,
    )?.functionResponse;
    if (answer?.id === undefined) return first;
    const asked = events.find((event) => callsIn(event).some(({ id }) => id === answer.id));
    if (asked === undefined) return first;
    first = asked.invocationId;
  }
  return first;
}

function callsIn({ content }: AdkEvent): readonly AdkFunctionCall[] {
  return (content?.parts ?? []).flatMap(({ functionCall }) => (functionCall === undefined ? [] : [functionCall]));
}
