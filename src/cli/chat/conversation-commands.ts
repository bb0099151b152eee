/** The slash commands of `bridle chat` about the conversation: model, cost, sessions, export. */

import { BridleError, messageOf } from '../../kernel/errors.ts';
import type { Store } from '../../store/store.ts';
import type { LoopControl, SlashCommand } from '../../terminal/loop-commands.ts';
import { safeText } from '../../terminal/output/safe-text.ts';
import type { Chat } from './chat-agent.ts';
import { listChats, newChatId, resumedLines, type SavedChat } from './chat-sessions.ts';
import { dollarsText, limitsText, tokensText } from './status-line.ts';

const maxListed = 20;

export function conversationCommands(chat: Chat): Readonly<Record<string, SlashCommand>> {
  return {
    model: {
      usage: '/model [name]',
      summary: 'shows the model, or switches to another one',
      run: (loop, name) => switchModel(loop, chat, name),
    },
    clear: { usage: '/clear', summary: 'starts a new conversation', run: (loop) => clear(loop, chat) },
    sessions: {
      usage: '/sessions [n|id]',
      summary: 'lists the saved sessions of this folder, or resumes one; /sessions delete n|id deletes one',
      run: (loop, rest) => sessions(loop, chat, rest),
    },
    export: {
      usage: '/export [file]',
      summary: 'writes the conversation to a .md or .json file, secrets masked',
      run: async ({ session }, file) => {
        const { exportConversation } = await import('./export-conversation.ts');
        return exportConversation(session.history, { file, session: session.id, ...chat });
      },
    },
    cost: { usage: '/cost', summary: 'shows tokens, cost and budget so far', run: (loop) => costText(loop, chat) },
    compact: { usage: '/compact', summary: 'summarises the conversation to make it shorter', run: compact },
  };
}

async function switchModel({ session }: LoopControl, chat: Chat, name: string): Promise<string> {
  if (name === '') return `The model is ${safeText(session.model)}. To switch: /model <name>`;
  try {
    await session.useModel(name);
    chat.model = name;
    return `From the next turn on, the model is ${safeText(session.model)}.`;
  } catch (error) {
    return `The model is still ${safeText(session.model)}. ${safeText(messageOf(error))}`;
  }
}

async function clear(loop: LoopControl, chat: Chat): Promise<string> {
  const { session: before } = loop;
  if (before.history.length === 0) return 'This conversation is new already.';
  await openSession(loop, chat, { id: newChatId() });
  if (chat.store === undefined) return 'This is a new conversation. The one before was not saved.';
  return `This is a new conversation. To go back: /sessions ${before.id}`;
}

/** Sessions stay open until the chat ends, so that going back to one is possible at any time. */
async function openSession(
  loop: LoopControl,
  chat: Chat,
  options: { readonly id: string; readonly mode?: 'resume' },
): Promise<void> {
  const { agent, session: before } = loop;
  const { id } = options;
  chat.sessions.set(before.id, before);
  const opened = chat.sessions.get(id) ?? (await agent.open(options));
  if (chat.model !== undefined) await opened.useModel(chat.model);
  chat.sessions.set(id, opened);
  loop.session = opened;
}

async function sessions(loop: LoopControl, chat: Chat, rest: string): Promise<string> {
  const { store, cwd } = chat;
  if (store === undefined) return 'Sessions are not saved, because this chat has no store.';
  const saved = await listChats(store, { agent: loop.agent.name, cwd, limit: maxListed });
  if (rest === '') return listText(saved, loop.session.id);
  if (rest === 'delete') return 'Name the session to delete: /sessions delete <number or id>.';
  const [, chosen] = /^delete\s+(\S+)$/.exec(rest) ?? [];
  if (chosen !== undefined) return deleteSession(loop, chat, saved[Number(chosen) - 1]?.id ?? chosen);
  const id = saved[Number(rest) - 1]?.id ?? rest;
  if (id === loop.session.id) return `You are in session ${safeText(id)} already.`;
  try {
    await openSession(loop, chat, { id, mode: 'resume' });
  } catch (error) {
    return `Session ${safeText(id)} was not resumed: ${safeText(messageOf(error))}. See /sessions.`;
  }
  return resumedLines(loop.session).map(safeText).join('\n');
}

async function deleteSession(loop: LoopControl, { store, sessions: opened }: Chat, id: string): Promise<string> {
  const name = safeText(id);
  if (id === loop.session.id || opened.has(id))
    return `Session ${name} is open in this chat, so it was not deleted. Delete it from another chat.`;
  if (store === undefined || !(await isSaved(store, id))) return `There is no saved session ${name}. See /sessions.`;
  await store.sessions.delete(id);
  return `Session ${name} was deleted. The journal still has its decisions.`;
}

/** A damaged session is there, too: deleting it is the only way to be rid of it. */
async function isSaved(store: Store, id: string): Promise<boolean> {
  try {
    return (await store.sessions.load(id)) !== undefined;
  } catch (error) {
    if (error instanceof BridleError && error.code === 'STORE_DAMAGED') return true;
    throw error;
  }
}

function listText(saved: readonly SavedChat[], current: string): string {
  if (saved.length === 0) return 'No sessions are saved for this folder yet.';
  const lines = saved.map(({ id, savedAt, turns, firstWords }, index) => {
    const mark = id === current ? '*' : ' ';
    const when = new Date(savedAt).toLocaleString('sv-SE').slice(0, 16);
    const count = `${turns} turn${turns === 1 ? '' : 's'}`;
    return `${mark}${String(index + 1).padStart(2)}  ${when}  ${count.padStart(8)}  ${safeText(firstWords)}  (${safeText(id)})`;
  });
  return [
    ...lines,
    'To resume one: /sessions <number>, or --session <id> at the start of a chat. To delete one: /sessions delete <number>',
  ].join('\n');
}

function costText({ session }: LoopControl, { limits }: Chat): string {
  const { total, cost, agents } = session.usage;
  const each = Object.entries(agents).map(([name, usage]) => `  ${safeText(name)}: ${tokensText(usage)}`);
  return [`tokens ${tokensText(total)} · cost ${dollarsText(cost)} · budget ${limitsText(limits)}`, ...each].join('\n');
}

async function compact({ session }: LoopControl): Promise<string> {
  try {
    const removed = await session.compact();
    return removed === 0 ? 'There is nothing to summarise yet.' : `${removed} messages were summarised.`;
  } catch (error) {
    return `The conversation was not summarised: ${safeText(messageOf(error))}`;
  }
}
