/** Handles one event of a host: decides calls, settles them, and calls the hooks of the points that the event reaches. */

import { BridleError } from '../../kernel/errors.ts';
import type { HookAnswer, HostEvent, HostRecord } from '../host.ts';
import { decideCalls } from './decide-calls.ts';
import { type HostSession, type HostSessionParts, openParts, withHostSession } from './host-session.ts';
import { type HandlerOptions, HostPolicy } from './host-policy.ts';
import { SessionStateStore } from './session-state.ts';
import { needsResultHooks, settleCalls } from './settle-calls.ts';

const pass: HookAnswer = { type: 'pass' };

export function answerEvent(event: HostEvent, record: HostRecord, options: HandlerOptions): Promise<HookAnswer> {
  switch (event.type) {
    case 'tool-call':
      return decideCalls(event, record, options);
    case 'tool-result':
      return settleCalls(event, options);
    case 'prompt':
      return startTurn(event, record, options);
    default:
      return callHooks(event, options);
  }
}

/** Counts the turn and calls `preTurn`. */
async function startTurn(
  event: Extract<HostEvent, { readonly type: 'prompt' }>,
  record: HostRecord,
  options: HandlerOptions,
): Promise<HookAnswer> {
  // Without a policy there are no hooks, and every call will be denied with the reason.
  const policy = new HostPolicy(event, options);
  if (policy.place.file === undefined) return pass;
  const parts = await openParts(event, options, policy);
  const states = new SessionStateStore(parts.store, options.host, event);
  await states.update((state) => ({ ...state, turn: state.turn + 1, inTurn: {} }));
  if (parts.hooks.length === 0) return pass;
  const { text } = event;
  const entered = await withHostSession(event, options, { ...parts, work: ({ turn }) => turn.enter(text) });
  if (options.observes) return pass;
  if (entered.type === 'rejected') return { type: 'deny', reason: entered.reason };
  if (entered.prompt.text === text) return pass;
  return { type: 'deny', reason: `A hook changes the prompt, which is not possible in ${record.title}.` };
}

/** A fault blocks a call and a prompt. Every other event has happened already; `note` is for the person at the host. */
export async function answerFault(
  event: HostEvent,
  options: HandlerOptions,
  problem: string,
): Promise<{ readonly answer: HookAnswer; readonly note?: string }> {
  switch (event.type) {
    case 'tool-call':
    case 'prompt':
    case 'settings-change':
      return { answer: { type: 'deny', reason: `Denied by Bridle: ${problem}` } };
    case 'tool-result': {
      const text = `Bridle withheld the result of this call, because its hooks could not check it: ${problem}`;
      const isWithheld = await needsResultHooks(event, options);
      return { answer: isWithheld ? { type: 'replace-result', text } : pass, note: problem };
    }
    default:
      return { answer: pass, note: `${event.name} could not be handled: ${problem}` };
  }
}

/** Calls the hooks of an event. Only a compaction can be refused. */
async function callHooks(event: HostEvent, options: HandlerOptions): Promise<HookAnswer> {
  if (event.type === 'other' || event.type === 'settings-change') return pass;
  const policy = new HostPolicy(event, options);
  const hooks = await policy.hooks();
  const isEnd = event.type === 'session-end' && policy.hasStore();
  if (hooks.length === 0 && !isEnd) return pass;
  const parts = { policy, hooks, store: await policy.openStore() };
  let answer = pass;
  if (event.type === 'session-start') await startSession(event, options, parts);
  else if (hooks.length > 0) {
    answer = await withHostSession(event, options, { ...parts, work: (session) => callPoint(event, session) });
  }
  // Signs what the session has added to the journal: hook processes for calls do not take the time.
  if (isEnd) {
    await parts.store.journal.checkpoint();
    await parts.store.close();
  }
  return options.observes ? pass : answer;
}

async function callPoint(event: HostEvent, { session, turn }: HostSession): Promise<HookAnswer> {
  if (event.type === 'session-end') await session.end(event.reason);
  if (event.type === 'turn-end') {
    const output = { text: event.text ?? '', thinking: '', steps: 1, usage: noUsage, stopReason: 'stop' };
    await turn.dispatch('postTurn', { input: { text: '', media: [] }, output });
  }
  if (event.type !== 'compaction') return pass;
  // Hosts report neither the messages nor the size of the conversation.
  if (event.phase === 'after') {
    await turn.dispatch('postCompaction', { removed: 0, summary: event.summary, tokensBefore: 0, tokensAfter: 0 });
    return pass;
  }
  const result = await turn.dispatch('preCompaction', { messages: [], budget: { tokens: 0, used: 0 } });
  return result.type === 'rejected' ? { type: 'deny', reason: result.reason } : pass;
}

const noUsage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, cacheCreationTokens: 0 };

/** A host starts the session even if a hook rejects it, so the rejection is kept and denies every call. */
async function startSession(event: HostEvent, options: HandlerOptions, parts: HostSessionParts): Promise<void> {
  const states = new SessionStateStore(parts.store, options.host, event);
  let rejected: string | undefined;
  try {
    await withHostSession(event, options, { ...parts, joined: false, work: () => Promise.resolve() });
  } catch (error) {
    if (!(error instanceof BridleError) || error.code !== 'SESSION_REJECTED') throw error;
    rejected = error.message;
  }
  await states.update((state) => ({ ...state, rejected }));
}
