/**
 * Compacts a conversation: a summary replaces the older part, the newest turns stay. It is cut only before a user or
 * assistant message, so that a tool call is never separated from its result.
 */

import { BridleError, messageOf } from '../../kernel/errors.ts';
import type { Message } from '../../kernel/hooks/points/payloads.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { ModelMessage } from '../model/model-interface.ts';
import type { ToolListing } from '../model/tool-registry.ts';
import { defaultCompaction } from '../model/history.ts';
import { askModel, feedbackMessages, handleRejection, prepareRequest, toResponse } from './model-request.ts';
import type { TurnWork } from './turn-work.ts';

const charactersPerToken = 4;

/** How many steps of the current turn stay if that turn alone is too long. */
const keptSteps = 2;

/** A summary, or why there is none. */
type SummaryResult = { readonly text: string; readonly problem?: undefined } | { readonly problem: string };

function estimatedTokens(characters: number): number {
  return Math.ceil(characters / charactersPerToken);
}

/** True if the conversation has become too long. */
export function isTooLong({ agent, compactedLength }: TurnWork, listing: ToolListing): boolean {
  const { parts, own } = agent;
  const { atTokens = defaultCompaction.atTokens } = parts.compaction;
  // Another compaction right after the last one would gain nothing.
  if (atTokens === false || own.history.messages.length < compactedLength + 2 * keptSteps) return false;
  return estimatedTokens(own.history.characters + listing.characters) >= atTokens;
}

/** Compacts now. Returns the number of messages removed. */
export async function compact(work: TurnWork): Promise<number> {
  const { turn, agent } = work;
  const { history } = agent.own;
  const { atTokens, keepTurns = defaultCompaction.keepTurns } = agent.parts.compaction;
  const all = history.snapshot();
  const removed = cutIndex(all, 'user', keepTurns) || cutIndex(all, 'assistant', keptSteps);
  if (removed === 0) return skip(work, 'there are no older messages to summarise');
  const messages = all.slice(0, removed);
  const tokensBefore = estimatedTokens(history.characters);
  const budget = { tokens: atTokens === false || atTokens === undefined ? tokensBefore : atTokens, used: tokensBefore };
  const decision = await turn.dispatch('preCompaction', Object.freeze({ messages: asMessages(messages), budget }));
  if (decision.type === 'rejected') return skip(work, decision.reason);
  if (decision.type === 'failed') throw new BridleError('HOOK_FATAL', decision.reason);
  const hookSummary =
    decision.type === 'answered' && decision.action.type === 'summary' ? decision.action.text : undefined;
  const hint = decision.type === 'passed' ? decision.hint : undefined;
  const obtained =
    hookSummary === undefined ? await summarise(work, [...messages, summaryRequest(hint)]) : { text: hookSummary };
  if (obtained.problem !== undefined) return skip(work, obtained.problem);
  const { text: summary } = obtained;
  if (summary.trim() === '') return skip(work, 'the summary is empty');
  const cutsPrompt = removed > work.mark;
  history.replaceStart(removed, summaryMessage(summary, cutsPrompt ? work.prompt.text : undefined));
  work.mark = Math.max(1, work.mark - removed + 1);
  work.compactedLength = history.messages.length;
  const tokensAfter = estimatedTokens(history.characters);
  turn.emit(() => ({ type: 'compacted', removed, tokensBefore, tokensAfter }));
  const dispatched = await turn.dispatch(
    'postCompaction',
    Object.freeze({ removed, summary, tokensBefore, tokensAfter }),
  );
  if (dispatched.type === 'failed') throw new BridleError('HOOK_FATAL', dispatched.reason);
  return removed;
}

/** Asks the model for a summary of messages. Hooks see this call like any other. */
async function summarise(work: TurnWork, messages: readonly ModelMessage[]): Promise<SummaryResult> {
  const { agent, turn } = work;
  const { settings } = agent.own;
  const sent = [...messages];
  const attempts = { count: 0 };
  try {
    for (let rejected = 0; ; rejected++) {
      work.checkOpen();
      const { listing } = agent;
      const model = agent.own.caller.modelKey;
      const messages = [...sent] as readonly unknown[] as readonly Message[];
      const request = { model, messages, tools: [], settings };
      const prepared = await prepareRequest(work, request, { listing, isForeign: false });
      if (typeof prepared === 'string') return { problem: prepared };
      const answer = await askModel(work, prepared, { purpose: 'compaction', held: true, attempts });
      const response = toResponse(answer, listing);
      await work.checkpoint();
      const result = await turn.dispatch('postLlmCall', Object.freeze({ response }));
      if (result.type === 'passed') return { text: (result.payload?.response ?? response).text };
      const { reason, next, error } = handleRejection(work, result, rejected);
      if (next === 'fail') return { problem: error?.message ?? reason };
      sent.push(...feedbackMessages(response.text, reason));
    }
  } catch (error) {
    if (work.stopped !== undefined || turn.isCancelled) throw error;
    return { problem: messageOf(error) };
  }
}

function skip(work: TurnWork, reason: string): number {
  // The next step would fail for the same reason, so it does not try again.
  work.compactedLength = work.agent.own.history.messages.length;
  work.turn.emit(() => ({ type: 'compaction_skipped', reason }));
  return 0;
}

/** The index of the message that starts the newest `keep` turns or steps; 0 if there are no older ones. */
function cutIndex(messages: readonly ModelMessage[], startRole: 'user' | 'assistant', keep: number): number {
  let count = 0;
  for (let index = messages.length - 1; index > 1; index--) {
    if (messages[index]?.role === startRole && ++count >= keep) return index;
  }
  return 0;
}

function asMessages(messages: readonly ModelMessage[]): readonly Message[] {
  return Object.freeze(messages) as readonly unknown[] as readonly Message[];
}

function summaryRequest(hint: JsonObject | undefined): ModelMessage {
  const hintText = hint === undefined ? '' : ` Take this into account: ${JSON.stringify(hint)}`;
  const text =
    'Summarise the conversation above for yourself: what was asked, what was found and done, which files and facts ' +
    `matter, and what is still open. Answer with the summary only.${hintText}`;
  return { role: 'user', content: [{ type: 'text', text }] };
}

/** If the current prompt was cut off too, it is repeated verbatim after the summary. */
function summaryMessage(summary: string, prompt: string | undefined): ModelMessage {
  const current = prompt === undefined ? '' : `\n\nThe current request:\n${prompt}`;
  const text = `Summary of the conversation so far:\n${summary}${current}`;
  return { role: 'user', content: [{ type: 'text', text }] };
}
