/**
 * The built-in model: a keyword planner that needs no API key and no network. It turns a few plain requests into tool
 * calls (`requests.ts`) and reports their results. If it does not understand a request, it says what it understands. It
 * is stateless: each reply is computed from the conversation.
 */

import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import { messageOf } from '../../kernel/errors.ts';
import { createPartStream, throwIfAborted } from '../model/part-stream.ts';
import { collectStream, finishPart, replyParts, type StreamedReply } from '../model/streamed-reply.ts';
import { planFor, type PlannedCall, type PlanStep } from './plan.ts';
import {
  callsIn,
  hasFailed,
  helpText,
  hintText,
  messageText,
  type ReportedCall,
  reportMissing,
  reportOf,
  reportSkipped,
  resultsIn,
  summaryOf,
  toReportedCall,
} from './reply.ts';

export interface PlannerOptions {
  /** How many lines of each result an answer shows. Default: 2000. */
  readonly resultLines?: number | undefined;
  /** The delay before each word, to make streaming visible. Default: 0. */
  readonly delayMs?: number | undefined;
}

interface PlannerReply {
  readonly text: string;
  readonly calls: readonly PlannedCall[];
}

/** The built-in model `bridle/planner`. */
export function plannerModel({ resultLines = 2000, delayMs = 0 }: PlannerOptions = {}): LanguageModelV4 {
  async function doStream(options: LanguageModelV4CallOptions) {
    throwIfAborted(options.abortSignal);
    const reply = streamedReply(options, decideSafely(options, resultLines));
    const parts = [...replyParts(reply, byWord), finishPart(reply)];
    const { abortSignal: signal } = options;
    return { stream: createPartStream(parts, { ending: { type: 'close' }, delayMs, preloaded: false, signal }) };
  }
  return {
    specificationVersion: 'v4',
    provider: 'bridle',
    modelId: 'planner',
    supportedUrls: {},
    doStream,
    doGenerate: async (options) => collectStream(await doStream(options)),
  };
}

/** An error in the planner becomes its answer and never fails the turn. */
function decideSafely(options: LanguageModelV4CallOptions, lines: number): PlannerReply {
  try {
    const reply = decideReply(options, lines);
    const format = options.responseFormat;
    if (reply.calls.length > 0 || format?.type !== 'json') return reply;
    return textReply(format.schema === undefined ? JSON.stringify({ text: reply.text }) : noSchemaText);
  } catch (error) {
    return textReply(`The built-in planner failed: ${messageOf(error)}.`);
  }
}

const lostText = 'The original request is no longer in the conversation, so I stop here.';
const noSchemaText = 'I cannot answer in the form of a schema: I am a small built-in keyword planner, not a model.';
const greeting = /^\W*(?:help|hi|hello|hey|(?:who|what) are you|what can you do)?[\s.!?]*$/i;

function textReply(text: string): PlannerReply {
  return { text, calls: [] };
}

function decideReply(options: LanguageModelV4CallOptions, lines: number): PlannerReply {
  const { prompt } = options;
  const last = prompt.findLastIndex(({ role }) => role === 'user');
  const message = prompt[last] === undefined ? '' : messageText(prompt[last]);
  const listed = listedTools(options);
  if (listed.size === 0 && /\bsummar(?:y|i[sz]e)\b/i.test(message)) return textReply(summaryOf(prompt));
  if (message.length <= 100 && greeting.test(message)) return textReply(helpText(listed));
  const completed = completedSteps(prompt.slice(last + 1));
  const report = reportOf(completed.flat(), lines);
  const plan = planFor(message);
  if (plan.type === 'unclear') {
    // The message does not match the results, so compaction may have removed the original request.
    if (completed.length > 0) return textReply(`${report}\n\n${lostText}`);
    return textReply(`${plan.problem} I have done nothing.\n\n${hintText(message.trim(), listed)}`);
  }
  // Before the first step, all tools of the plan must be available; later, those of the next step.
  const { calls, skipped } = nextCalls(plan.steps, completed);
  const needed = completed.length === 0 ? plan.steps.flatMap((step) => step.calls) : calls;
  const missing = [...new Set(needed.map(({ tool }) => tool))].filter((tool) => !listed.has(tool));
  if (missing.length === 0 && calls.length > 0) return { text: '', calls };
  const parts = [
    report,
    skipped.length > 0 ? reportSkipped(skipped) : '',
    missing.length > 0 ? reportMissing(missing, listed) : '',
  ];
  return textReply(parts.filter((part) => part !== '').join('\n\n'));
}

/** The names of the tools that may be called. */
function listedTools({ tools = [], toolChoice }: LanguageModelV4CallOptions): ReadonlySet<string> {
  if (toolChoice?.type === 'none') return new Set();
  const names = tools.filter(({ type }) => type === 'function').map(({ name }) => name);
  return new Set(toolChoice?.type === 'tool' ? names.filter((name) => name === toolChoice.toolName) : names);
}

type Steps = readonly (readonly ReportedCall[])[];

function completedSteps(since: LanguageModelV4Message[]): Steps {
  const results = resultsIn(since);
  const steps = since.map(callsIn).filter((calls) => calls.length > 0);
  return steps.map((calls) => calls.map((call) => toReportedCall(call, results)));
}

/** The calls to make now, none at the end of the plan; and the calls skipped because the previous step failed. */
function nextCalls(steps: readonly PlanStep[], completed: Steps): Record<'calls' | 'skipped', readonly PlannedCall[]> {
  const skipped: PlannedCall[] = [];
  let index = 0;
  let failed = false;
  for (const step of steps) {
    if (step.dependent && failed) {
      skipped.push(...step.calls);
      continue;
    }
    const calls = completed[index];
    if (calls === undefined) return { calls: step.calls, skipped };
    index += 1;
    failed = calls.some(hasFailed);
  }
  return { calls: [], skipped };
}

function streamedReply(options: LanguageModelV4CallOptions, { text, calls }: PlannerReply): StreamedReply {
  const callCount = options.prompt.reduce((count, message) => count + callsIn(message).length, 0);
  const toolCalls = calls.map(({ tool, args }, index) => ({
    id: `call-${callCount + index + 1}`,
    tool,
    input: JSON.stringify(args),
  }));
  return {
    thinking: '',
    text,
    toolCalls,
    finishReason: toolCalls.length > 0 ? 'tool-calls' : 'stop',
    usage: estimateUsage(options, text + JSON.stringify(calls)),
  };
}

/** Token counts estimated from text lengths, so that budgets work with the planner too. */
function estimateUsage({ prompt, tools = [] }: LanguageModelV4CallOptions, written: string): LanguageModelV4Usage {
  const input = Math.ceil((lengthOf(prompt) + lengthOf(tools)) / 4);
  const output = Math.ceil(written.length / 4);
  return {
    inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: output, text: output, reasoning: 0 },
  };
}

/** The length as JSON, without the data of media. */
function lengthOf(value: unknown): number {
  try {
    return JSON.stringify(value, (key, each: unknown) => (key === 'data' ? undefined : each)).length;
  } catch {
    return 0;
  }
}

/** Splits a text into words, each with the space after it. */
function byWord(text: string): readonly string[] {
  return text.match(/\S+\s*|\s+/g) ?? [];
}
