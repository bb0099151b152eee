/** Decides the planner's reply to one call, tool calls or text. A pure function of the call. */

import type { LanguageModelV4CallOptions, LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { type PlannerConversation, listedTools, messageText, readConversation } from './reply/conversation.ts';
import { introduction, missingToolsText, notUnderstoodText } from './reply/help.ts';
import { isUseful } from './grammar/hint.ts';
import { nextCallsOf } from './reply/next-calls.ts';
import { parseJson } from './reply/parse-json.ts';
import { planFor, type PlannedCall } from './grammar/plan.ts';
import { type ReportLimits, reportOf, reportSkipped } from './reply/report.ts';
import { isPlainRecord, structuredAnswer } from './reply/structured-answer.ts';
import { asksForSummary, summaryOf } from './reply/summarise-conversation.ts';
import { splitWords } from './grammar/words.ts';

export interface PlannerReply {
  readonly text: string;
  readonly calls: readonly PlannedCall[];
}

export function decideReply(callOptions: LanguageModelV4CallOptions, limits: ReportLimits): PlannerReply {
  const options = { ...callOptions, prompt: withoutFeedback(callOptions.prompt) };
  const conversation = readConversation(options.prompt);
  const listed = listedTools(options);
  const reply =
    listed.size === 0 && asksForSummary(conversation.message) ? textReply(summaryOf(options.prompt)) : undefined;
  const decided = reply ?? planReply(conversation, listed, limits);
  if (decided.calls.length > 0 || options.responseFormat?.type !== 'json') return decided;
  return jsonReply(options.responseFormat, conversation, decided.text);
}

const lostText = 'The original request is no longer in the conversation, so I stop here.';

function textReply(text: string): PlannerReply {
  return { text, calls: [] };
}

function planReply(
  { message, completedSteps }: PlannerConversation,
  listed: ReadonlySet<string>,
  limits: ReportLimits,
): PlannerReply {
  const intro = introduction(message, listed);
  const context = { ...limits, message, listed };
  if (intro !== undefined) return textReply(intro);
  const plan = planFor(message);
  if (plan.type === 'unclear') {
    // The message does not match the results, so compaction may have removed the original request.
    if (completedSteps.length > 0) return textReply(`${reportOf(completedSteps, context)}\n\n${lostText}`);
    const { problem, hint } = plan;
    const hinted = hint !== undefined && isUseful(hint, listed) ? hint.text : undefined;
    return textReply(notUnderstoodText(problem, hinted, listed));
  }
  // Before the first step, all tools of the plan must be available; later, those of the next step.
  const { calls, skipped } = nextCallsOf(plan.steps, completedSteps);
  const needed = completedSteps.length === 0 ? plan.steps.flatMap((step) => step.calls) : calls;
  const missing = [...new Set(needed.map(({ tool }) => tool))].filter((tool) => !listed.has(tool));
  if (missing.length === 0 && calls.length > 0) return { text: '', calls };
  const parts = [
    completedSteps.length > 0 ? reportOf(completedSteps, context) : '',
    skipped.length > 0 ? reportSkipped(skipped) : '',
    missing.length > 0 ? missingToolsText(missing, listed) : '',
  ];
  return textReply(parts.filter((part) => part !== '').join('\n\n'));
}

/**
 * Removes feedback about the schema, since the planner cannot answer differently and the feedback contains no values.
 */
function withoutFeedback(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  let end = prompt.length;
  while (end > 2 && isSchemaFeedback(prompt[end - 1]) && prompt[end - 2]?.role === 'assistant') end -= 2;
  return prompt.slice(0, end);
}

function isSchemaFeedback(message: LanguageModelV4Message | undefined): boolean {
  return message?.role === 'user' && messageText(message).includes('does not match the schema');
}

function jsonReply(
  responseFormat: LanguageModelV4CallOptions['responseFormat'],
  { message, completedSteps }: PlannerConversation,
  report: string,
): PlannerReply {
  const schema = responseFormat?.type === 'json' ? responseFormat.schema : undefined;
  if (schema === undefined) return textReply(JSON.stringify({ text: report }));
  const text = message.slice(-65_536);
  const jsonWords = splitWords(text).filter(({ quote }) => quote === '{');
  const results = completedSteps.flat().map(({ output }) => output);
  const objects = [
    ...jsonWords.map((word) => parseJson(word.text)),
    ...results.map((output) => (output?.type === 'text' ? parseJson(output.value) : undefined)),
    ...results.map((output) => (output?.type === 'json' ? output.value : undefined)),
  ].filter(isPlainRecord);
  const answer = structuredAnswer(schema, { text, objects, report: completedSteps.length > 0 ? report : '' });
  if ('json' in answer) return textReply(answer.json);
  const names = answer.missing.length > 0 ? answer.missing.join(', ') : 'the fields of the schema';
  return textReply(
    `I cannot answer in that form. I am a small built-in planner, and the conversation contains no value for: ${names}.`,
  );
}
