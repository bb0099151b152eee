/** A summary by picking lines: what was asked, what was done, what was answered. Nothing is rephrased. */

import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import { toCompletedCall, callsIn, messageText, resultsIn } from './conversation.ts';
import { describeCall, outcomeOf } from './outcome.ts';

const width = 240;
const firstLines = 10;
const lastLines = 20;

/** Whether a message asks for a summary of the conversation. */
export function asksForSummary(message: string): boolean {
  return /\b(?:summar(?:y|i[sz]e|i[sz]ing)|compact)\b/i.test(message);
}

export function summaryOf(prompt: LanguageModelV4Prompt): string {
  const last = prompt.findLastIndex(({ role }) => role === 'user');
  const before = prompt.slice(0, Math.max(0, last)).filter(({ role }) => role !== 'system');
  const asking = prompt[last];
  const lines = before.length > 0 ? eventLines(before) : messageLines(asking === undefined ? '' : messageText(asking));
  return `Lines picked by Bridle's built-in planner:\n${firstAndLast(lines).join('\n')}`;
}

function eventLines(messages: LanguageModelV4Prompt): readonly string[] {
  const results = resultsIn(messages);
  return messages.flatMap((message) => {
    const text = truncateLine(messageText(message));
    const speaker = message.role === 'user' ? 'Asked' : 'Answered';
    const said = text === '' ? [] : [`${speaker}: ${text}`];
    const calls = callsIn(message).map((call) => {
      const done = toCompletedCall(call, results);
      const outcome = outcomeOf(done.output);
      return outcome.type === 'ok'
        ? `${describeCall(done, 'did')}: ${truncateLine(outcome.text)}`
        : `${describeCall(done, 'doing')} was ${outcome.type === 'denied' ? 'denied' : 'tried and failed'}: ${truncateLine(outcome.text)}`;
    });
    return [...said, ...calls];
  });
}

/** Where the conversation is part of the message itself, its first paragraph is the wish. */
function messageLines(message: string): readonly string[] {
  const wish = message.indexOf('\n\n');
  const body = wish === -1 ? message : message.slice(wish + 2);
  return body
    .split('\n')
    .map(truncateLine)
    .filter((line) => line !== '');
}

function firstAndLast(lines: readonly string[]): readonly string[] {
  const left = lines.length - firstLines - lastLines;
  if (left <= 0) return lines;
  return [...lines.slice(0, firstLines), `… ${left} more …`, ...lines.slice(-lastLines)];
}

function truncateLine(text: string): string {
  const line = text
    .slice(0, width * 4)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length > width ? `${line.slice(0, width)}…` : line;
}
