/** What the planner answers to one call: tool calls, or words. A pure function of what it was asked. */

import type { LanguageModelV4CallOptions, LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { type PlannerConversation, listedTools, messageText, readConversation } from './reply/conversation.ts';
import { introduction, missingToolsText, notUnderstoodText } from './reply/help.ts';
import { isUseful } from './grammar/hint.ts';
import { nextCallsOf } from './reply/next-calls.ts';
import { parseJson } from './reply/parse-json.ts';
import { planFor, type PlannedCall } from './grammar/plan.ts';
import { type ReportLimits, reportOf, reportSkipped } from './reply/report.ts';
import { isPlainRecord, structuredAnswer } from './reply/structured-answer.ts';
import { asksForSummary, summaryOf } from './reply/summary.ts';
import { splitWords } from './grammar/words.ts';

export interface PlannerReply {
  readonly text: string;
  readonly calls: readonly PlannedCall[];
}

export function decideReply(asked: LanguageModelV4CallOptions, limits: ReportLimits): PlannerReply {
  const options = { ...asked, prompt: withoutFeedback(asked.prompt) };
  const conversation = readConversation(options.prompt);
  const listed = listedTools(options);
  const reply =
    listed.size === 0 && asksForSummary(conversation.message) ? textReply(summaryOf(options.prompt)) : undefined;
  const decided = reply ?? planReply(conversation, listed, limits);
  if (decided.calls.length > 0 || options.responseFormat?.type !== 'json') return decided;
  return jsonReply(options.responseFormat, conversation, decided.text);
}

const lostText = 'I cannot tell any more what else was asked for, so I stop here.';

function textReply(text: string): PlannerReply {
  return { text, calls: [] };
}

function planReply(
  { message, completedSteps: done }: PlannerConversation,
  listed: ReadonlySet<string>,
  limits: ReportLimits,
): PlannerReply {
  const hello = introduction(message, listed);
  const context = { ...limits, message: message, listed };
  if (hello !== undefined) return textReply(hello);
  const plan = planFor(message);
  if (plan.type === 'unclear') {
    // The message before the results is not the one they came from: it may have been summarised away.
    if (done.length > 0) return textReply(`${reportOf(done, context)}\n\n${lostText}`);
    const { problem, hint } = plan;
    const hinted = hint !== undefined && isUseful(hint, listed) ? hint.text : undefined;
    return textReply(notUnderstoodText(problem, hinted, listed));
  }
  // Before the first step the whole plan must be possible, later what comes next.
  const { calls, skipped } = nextCallsOf(plan.steps, done);
  const needed = done.length === 0 ? plan.steps.flatMap((step) => step.calls) : calls;
  const missing = [...new Set(needed.map(({ tool }) => tool))].filter((tool) => !listed.has(tool));
  if (missing.length === 0 && calls.length > 0) return { text: '', calls };
  const parts = [
    done.length > 0 ? reportOf(done, context) : '',
    skipped.length > 0 ? reportSkipped(skipped) : '',
    missing.length > 0 ? missingToolsText(missing, listed) : '',
  ];
  return textReply(parts.filter((part) => part !== '').join('\n\n'));
}

/** Told that an answer does not fit, the planner has no other one; and a complaint states no values. */
function withoutFeedback(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  let end = prompt.length;
  while (end > 2 && isSchemaFeedback(prompt[end - 1]) && prompt[end - 2]?.role === 'assistant') end -= 2;
  return prompt.slice(0, end);
}

function isSchemaFeedback(message: LanguageModelV4Message | undefined): boolean {
  return message?.role === 'user' && messageText(message).includes('does not fit the schema');
}

function jsonReply(
  responseFormat: LanguageModelV4CallOptions['responseFormat'],
  { message, completedSteps: done }: PlannerConversation,
  report: string,
): PlannerReply {
  const schema = responseFormat?.type === 'json' ? responseFormat.schema : undefined;
  if (schema === undefined) return textReply(JSON.stringify({ text: report }));
  const text = message.slice(-65_536);
  const said = splitWords(text).filter(({ quote }) => quote === '{');
  const results = done.flat().map(({ output }) => output);
  const objects = [
    ...said.map((word) => parseJson(word.text)),
    ...results.map((output) => (output?.type === 'text' ? parseJson(output.value) : undefined)),
    ...results.map((output) => (output?.type === 'json' ? output.value : undefined)),
  ].filter(isPlainRecord);
  const answer = structuredAnswer(schema, { text, objects, report: done.length > 0 ? report : '' });
  if ('json' in answer) return textReply(answer.json);
  const names = answer.missing.length > 0 ? answer.missing.join(', ') : 'what the schema asks for';
  return textReply(
    `I cannot answer in that form: I am a small built-in planner and find nothing in the conversation for: ${names}.`,
  );
}
