/** What the planner answers to one call: tool calls, or words. A pure function of what it was asked. */

import type { LanguageModelV4CallOptions, LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { type Conversation, listedTools, messageText, readConversation } from './conversation.ts';
import { introduction, notListed, notUnderstood } from './help.ts';
import { helps } from './hint.ts';
import { nextMove } from './next-move.ts';
import { parseJson } from './parse-json.ts';
import { planFor, type PlannedCall } from './plan.ts';
import { type ReportLimits, reportOf, reportSkipped } from './report.ts';
import { isRecord, structuredAnswer } from './structured-answer.ts';
import { asksForSummary, summaryOf } from './summary.ts';
import { wordsOf } from './words.ts';

export interface Reply {
  readonly text: string;
  readonly calls: readonly PlannedCall[];
}

export function decideReply(asked: LanguageModelV4CallOptions, limits: ReportLimits): Reply {
  const options = { ...asked, prompt: withoutFeedback(asked.prompt) };
  const conversation = readConversation(options.prompt);
  const listed = listedTools(options);
  const reply = listed.size === 0 && asksForSummary(conversation.message) ? say(summaryOf(options.prompt)) : undefined;
  const decided = reply ?? planned(conversation, listed, limits);
  if (decided.calls.length > 0 || options.responseFormat?.type !== 'json') return decided;
  return inJson(options.responseFormat, conversation, decided.text);
}

const lost = 'I cannot tell any more what else was asked for, so I stop here.';

function say(text: string): Reply {
  return { text, calls: [] };
}

function planned({ message, done }: Conversation, listed: ReadonlySet<string>, limits: ReportLimits): Reply {
  const hello = introduction(message, listed);
  const scene = { ...limits, said: message, listed };
  if (hello !== undefined) return say(hello);
  const plan = planFor(message);
  if (plan.type === 'unclear') {
    // The message before the results is not the one they came from: it may have been summarised away.
    if (done.length > 0) return say(`${reportOf(done, scene)}\n\n${lost}`);
    const { problem, hint } = plan;
    const hinted = hint !== undefined && helps(hint, listed) ? hint.text : undefined;
    return say(notUnderstood(problem, hinted, listed));
  }
  // Before the first step the whole plan must be possible, later what comes next.
  const { calls, skipped } = nextMove(plan.steps, done);
  const needed = done.length === 0 ? plan.steps.flatMap((step) => step.calls) : calls;
  const missing = [...new Set(needed.map(({ tool }) => tool))].filter((tool) => !listed.has(tool));
  if (missing.length === 0 && calls.length > 0) return { text: '', calls };
  const parts = [
    done.length > 0 ? reportOf(done, scene) : '',
    skipped.length > 0 ? reportSkipped(skipped) : '',
    missing.length > 0 ? notListed(missing, listed) : '',
  ];
  return say(parts.filter((part) => part !== '').join('\n\n'));
}

/** Told that an answer does not fit, the planner has no other one; and a complaint states no values. */
function withoutFeedback(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  let end = prompt.length;
  while (end > 2 && isComplaint(prompt[end - 1]) && prompt[end - 2]?.role === 'assistant') end -= 2;
  return prompt.slice(0, end);
}

function isComplaint(message: LanguageModelV4Message | undefined): boolean {
  return message?.role === 'user' && messageText(message).includes('does not fit the schema');
}

function inJson(
  responseFormat: LanguageModelV4CallOptions['responseFormat'],
  { message, done }: Conversation,
  report: string,
): Reply {
  const schema = responseFormat?.type === 'json' ? responseFormat.schema : undefined;
  if (schema === undefined) return say(JSON.stringify({ text: report }));
  const text = message.slice(-65_536);
  const said = wordsOf(text).filter(({ quote }) => quote === '{');
  const results = done.flat().map(({ output }) => output);
  const objects = [
    ...said.map((word) => parseJson(word.text)),
    ...results.map((output) => (output?.type === 'text' ? parseJson(output.value) : undefined)),
    ...results.map((output) => (output?.type === 'json' ? output.value : undefined)),
  ].filter(isRecord);
  const answer = structuredAnswer(schema, { text, objects, report: done.length > 0 ? report : '' });
  if ('json' in answer) return say(answer.json);
  const names = answer.missing.length > 0 ? answer.missing.join(', ') : 'what the schema asks for';
  return say(
    `I cannot answer in that form: I am a small built-in planner and find nothing in the conversation for: ${names}.`,
  );
}
