/** Approvals of the AI SDK: they are parts of the messages, so the answer to a question is read from there. */

import type { FrameworkAnswer } from '../paused-questions.ts';
import type { TurnKey } from '../framework-session.ts';

/** The part of a model message that is read here. */
export interface ChatMessage {
  readonly role: string;
  readonly content: string | readonly ChatPart[];
}

interface ChatPart {
  readonly type: string;
  readonly text?: string | undefined;
  readonly toolCallId?: string | undefined;
  readonly approvalId?: string | undefined;
  readonly approved?: boolean | undefined;
  readonly reason?: string | undefined;
  readonly output?: { readonly type: string; readonly reason?: string | undefined } | undefined;
}

/** Who gives an answer through the SDK. */
export const userName = 'a user of the AI SDK';

/** What a person answered about a call, if the messages say so. */
export function answerIn(messages: readonly ChatMessage[], toolCallId: string): FrameworkAnswer | undefined {
  // Nearly always, there is none.
  if (!messages.some(hasAnswer)) return undefined;
  const parts = messages.flatMap(partsOf);
  const asked = new Set(
    parts.flatMap(({ type, approvalId, toolCallId: id }) =>
      type === 'tool-approval-request' && id === toolCallId && approvalId !== undefined ? [approvalId] : [],
    ),
  );
  const answers = parts.filter(
    ({ type, approvalId = '' }) => type === 'tool-approval-response' && asked.has(approvalId),
  );
  const last = answers.at(-1);
  if (last === undefined) return undefined;
  if (last.approved === true) return { type: 'approve', by: userName };
  return { type: 'deny', by: userName, reason: last.reason || undefined };
}

function hasAnswer({ content }: ChatMessage): boolean {
  return typeof content !== 'string' && content.some(({ type }) => type === 'tool-approval-response');
}

/** Calls that a person has refused, as the model is told in its next request. */
export function refusalsIn(
  messages: readonly ChatMessage[],
): readonly { readonly id: string; readonly reason?: string }[] {
  const { role, content } = messages.at(-1) ?? { role: '', content: '' };
  if (role !== 'tool' || typeof content === 'string') return [];
  return content.flatMap(({ type, toolCallId: id = '', output }) =>
    type === 'tool-result' && output?.type === 'execution-denied'
      ? [output.reason ? { id, reason: output.reason } : { id }]
      : [],
  );
}

/**
 * The turn and step of a call. The AI SDK has no ids of runs: a turn is what follows a message of the user, and a step
 * is a message of the model in it.
 */
export function positionOf(messages: readonly ChatMessage[], toolCallId?: string): Pick<TurnKey, 'turn' | 'step'> {
  let prompts = 0;
  let prompt: ChatMessage | undefined;
  let answers = 0;
  let own: number | undefined;
  for (const message of messages) {
    if (message.role === 'user') {
      prompts++;
      prompt = message;
      answers = 0;
      own = undefined;
    } else if (message.role === 'assistant') {
      answers++;
      if (own === undefined && toolCallId !== undefined && hasCall(message, toolCallId)) own = answers;
    }
  }
  return { turn: `${prompts} ${prompt === undefined ? '' : textOf(prompt)}`, step: own ?? answers + 1 };
}

function hasCall({ content }: ChatMessage, id: string): boolean {
  return typeof content !== 'string' && content.some(({ toolCallId }) => toolCallId === id);
}

function textOf({ content }: ChatMessage): string {
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('\n');
}

function partsOf({ content }: ChatMessage): readonly ChatPart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}
