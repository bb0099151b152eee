/**
 * Making a conversation shorter: the older part becomes a summary, the newest turns stay. It is cut only where a user's
 * message begins, so that a tool call is never parted from its result.
 */

import { BridleError } from '../../../kernel/errors.ts';
import type { Message } from '../../../kernel/hooks/points/payloads.ts';
import type { JsonObject } from '../../../kernel/json.ts';
import { defaultCompaction } from '../state/compaction-options.ts';
import type { ModelMessage } from '../../model/model-messages.ts';
import type { TurnWork } from '../state/turn-work.ts';

const charactersPerToken = 4;

/** Steps of the present turn that stay, where one turn alone is too long. */
const keptSteps = 2;

/** A summary, or why there is none. */
export type SummaryResult = { readonly text: string; readonly problem?: undefined } | { readonly problem: string };

/** How a summary is obtained from the model. */
export type Summariser = (work: TurnWork, messages: readonly ModelMessage[]) => Promise<SummaryResult>;

function estimatedTokens(characters: number): number {
  return Math.ceil(characters / charactersPerToken);
}

/** True if the conversation has become too long. */
export function isTooLong({ agent: actor, compactedLength }: TurnWork): boolean {
  const { parts, own: facts, listing } = actor;
  const { atTokens = defaultCompaction.atTokens } = parts.compaction;
  // Right after a compaction there is nothing to gain by another one.
  if (atTokens === false || facts.history.length < compactedLength + 2 * keptSteps) return false;
  return estimatedTokens(facts.history.characters + listing.characters) >= atTokens;
}

/** Compacts now; tells how many messages went. */
export async function compact(work: TurnWork, summarise: Summariser): Promise<number> {
  const { turn, agent: actor } = work;
  const { history } = actor.own;
  const { atTokens, keepTurns = defaultCompaction.keepTurns } = actor.parts.compaction;
  const all = history.snapshot();
  const removed = cutIndex(all, 'user', keepTurns) || cutIndex(all, 'assistant', keptSteps);
  if (removed === 0) return skip(work, 'there is nothing older to summarise');
  const messages = all.slice(0, removed);
  const tokensBefore = estimatedTokens(history.characters);
  const budget = { tokens: atTokens === false || atTokens === undefined ? tokensBefore : atTokens, used: tokensBefore };
  const asked = await turn.dispatch('preCompaction', Object.freeze({ messages: asMessages(messages), budget }));
  if (asked.type === 'rejected') return skip(work, asked.reason);
  if (asked.type === 'failed') throw new BridleError('HOOK_FATAL', asked.reason);
  const own = asked.type === 'answered' && asked.action.type === 'summary' ? asked.action.text : undefined;
  const hint = asked.type === 'passed' ? asked.hint : undefined;
  const obtained = own === undefined ? await summarise(work, [...messages, summaryRequest(hint)]) : { text: own };
  if (obtained.problem !== undefined) return skip(work, obtained.problem);
  const { text: summary } = obtained;
  if (summary.trim() === '') return skip(work, 'the summary is empty');
  const cutsPrompt = removed > work.mark;
  history.replaceStart(removed, summaryMessage(summary, cutsPrompt ? work.prompt.text : undefined));
  work.mark = Math.max(1, work.mark - removed + 1);
  work.compactedLength = history.length;
  const tokensAfter = estimatedTokens(history.characters);
  turn.emit(() => ({ type: 'compacted', removed, tokensBefore, tokensAfter }));
  const dispatched = await turn.dispatch(
    'postCompaction',
    Object.freeze({ removed, summary, tokensBefore, tokensAfter }),
  );
  if (dispatched.type === 'failed') throw new BridleError('HOOK_FATAL', dispatched.reason);
  return removed;
}

function skip(work: TurnWork, reason: string): number {
  // Whatever was in the way now will be in the way of the next step.
  work.compactedLength = work.agent.own.history.length;
  work.turn.emit(() => ({ type: 'compaction_skipped', reason }));
  return 0;
}

/** The index of the message that begins the newest `keep` turns or steps; 0 if there are no more than these. */
function cutIndex(messages: readonly ModelMessage[], begins: 'user' | 'assistant', keep: number): number {
  let kept = 0;
  for (let index = messages.length - 1; index > 1; index--) {
    if (messages[index]?.role === begins && ++kept >= keep) return index;
  }
  return 0;
}

function asMessages(messages: readonly ModelMessage[]): readonly Message[] {
  return Object.freeze(messages) as readonly unknown[] as readonly Message[];
}

function summaryRequest(hint: JsonObject | undefined): ModelMessage {
  const kept = hint === undefined ? '' : ` Keep this in mind: ${JSON.stringify(hint)}`;
  const text =
    'Summarise the conversation above for yourself: what was asked, what was found and done, which files and facts ' +
    `matter, and what is still open. Answer with the summary alone.${kept}`;
  return { role: 'user', content: [{ type: 'text', text }] };
}

/** What is being worked on is said in the user's own words. */
function summaryMessage(summary: string, prompt: string | undefined): ModelMessage {
  const present = prompt === undefined ? '' : `\n\nThe request that is being worked on:\n${prompt}`;
  const text = `Summary of the conversation so far:\n${summary}${present}`;
  return { role: 'user', content: [{ type: 'text', text }] };
}
