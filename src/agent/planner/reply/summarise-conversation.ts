/** Summarises a conversation by selecting lines: requests, calls and answers. Nothing is rephrased. */

import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import { toCompletedCall, callsIn, messageText, resultsIn } from './conversation.ts';
import { describeCall, outcomeOf } from './describe-call.ts';

const width = 240;
const firstLines = 10;
const lastLines = 20;

/** True if a message asks for a summary of the conversation. */
export function asksForSummary(message: string): boolean {
  return /\b(?:summar(?:y|i[sz]e|i[sz]ing)|compact)\b/i.test(message);
}

export function summaryOf(prompt: LanguageModelV4Prompt): string {
  const last = prompt.findLastIndex(({ role }) => role === 'user');
  const before = prompt.slice(0, Math.max(0, last)).filter(({ role }) => role !== 'system');
  const request = prompt[last];
  const lines =
    before.length > 0 ? eventLines(before) : messageLines(request === undefined ? '' : messageText(request));
  return `Lines selected by Bridle's built-in planner:\n${firstAndLast(lines).join('\n')}`;
}

function eventLines(messages: LanguageModelV4Prompt): readonly string[] {
  const results = resultsIn(messages);
  return messages.flatMap((message) => {
    const text = truncateLine(messageText(message));
    const speaker = message.role === 'user' ? 'Asked' : 'Answered';
    const spoken = text === '' ? [] : [`${speaker}: ${text}`];
    const calls = callsIn(message).map((call) => {
      const completed = toCompletedCall(call, results);
      const outcome = outcomeOf(completed.output);
      return outcome.type === 'ok'
        ? `${describeCall(completed, 'did')}: ${truncateLine(outcome.text)}`
        : `${describeCall(completed, 'doing')} ${outcome.type === 'denied' ? 'was denied' : 'failed'}: ${truncateLine(outcome.text)}`;
    });
    return [...spoken, ...calls];
  });
}

/** If the conversation is part of the message itself, the first paragraph is the request and is left out. */
function messageLines(message: string): readonly string[] {
  const requestEnd = message.indexOf('\n\n');
  const body = requestEnd === -1 ? message : message.slice(requestEnd + 2);
  return body
    .split('\n')
    .map(truncateLine)
    .filter((line) => line !== '');
}

function firstAndLast(lines: readonly string[]): readonly string[] {
  const omitted = lines.length - firstLines - lastLines;
  if (omitted <= 0) return lines;
  return [...lines.slice(0, firstLines), `… ${omitted} more …`, ...lines.slice(-lastLines)];
}

function truncateLine(text: string): string {
  const line = text
    .slice(0, width * 4)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length > width ? `${line.slice(0, width)}…` : line;
}
