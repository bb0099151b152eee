/** Approvals in Strands: a question is an interrupt of the agent, and the answer is the response to it. */

import { BridleError } from '../../kernel/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import type { FrameworkAnswer, PausedQuestion } from '../paused-questions.ts';
import type { RaiseInterrupt, ToolStage } from './strands-types.ts';

/** The name of the interrupts that ask for approval. */
const interruptName = 'bridle-approval';
const userName = 'a user of Strands';

/** What a person answered about a call; undefined if nobody has. The answer is taken: it counts once. */
export function takeAnswer({ agent, toolUse, interrupt }: ToolStage): FrameworkAnswer | undefined {
  if (interrupt === undefined) return undefined;
  const found = tryInterrupt(interrupt);
  if (!('response' in found)) return undefined;
  delete agent._interruptState?.interrupts[`middleware:executeTool:${toolUse.toolUseId}:${interruptName}`];
  return readAnswer(found.response);
}

/** Pauses the agent with a question. All questions of a step are reported in one pause. */
export function pause({ agent, interrupt }: ToolStage, question: PausedQuestion): never {
  const found = interrupt === undefined ? undefined : tryInterrupt(interrupt, reasonOf(question));
  if (found === undefined || 'response' in found) {
    throw new BridleError('CALL_REFUSED', `The call needs approval, and the answer does not count: ${question.text}`);
  }
  for (const each of found.raised.interrupts ?? []) agent._interruptState?.registerInterrupt(each);
  throw found.raised;
}

/** True for the error with which Strands pauses. */
export function isInterrupt(error: unknown): error is InterruptError {
  return error instanceof Error && error.name === 'InterruptError';
}

type InterruptError = Error & { readonly interrupts?: readonly unknown[] };

function tryInterrupt(
  interrupt: RaiseInterrupt,
  reason?: JsonObject,
): { readonly response: unknown } | { readonly raised: InterruptError } {
  try {
    return interrupt(reason === undefined ? { name: interruptName } : { name: interruptName, reason });
  } catch (error) {
    if (isInterrupt(error)) return { raised: error };
    throw error;
  }
}

/** What a user interface shows. */
function reasonOf({ id, text, shown, tool, server, args, expiresAt }: PausedQuestion): JsonObject {
  return { approval: id, text, shown, tool, ...(server === undefined ? {} : { server }), args, expiresAt };
}

/** Strands' own confirmations take `true`, `y` and `yes`. Whatever is not an approval refuses the call. */
function readAnswer(response: unknown): FrameworkAnswer {
  const by = userName;
  if (response === true) return { type: 'approve', by };
  if (typeof response === 'string') {
    const text = response.trim();
    if (/^(?:y|yes|approve)$/i.test(text)) return { type: 'approve', by };
    return { type: 'deny', by, reason: /^(?:n|no|deny|)$/i.test(text) ? undefined : text };
  }
  if (!isJsonObject(response as JsonValue)) return { type: 'deny', by };
  const { type, args, reason } = response as JsonObject;
  if (type !== 'approve') return { type: 'deny', by, reason: typeof reason === 'string' ? reason : undefined };
  if (args === undefined || args === null) return { type: 'approve', by };
  if (isJsonObject(args)) return { type: 'approve', by, args };
  return { type: 'deny', by, reason: 'The edited args are not an object' };
}
