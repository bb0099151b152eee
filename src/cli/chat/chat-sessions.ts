/** The saved sessions of a folder: their list, the last one, ids for new ones, and the end of old ones. */

import { randomBytes } from 'node:crypto';
import type { AgentSession } from '../../agent/session/agent-session.ts';
import type { Message } from '../../kernel/hooks/points/payloads.ts';
import { messageOf } from '../../kernel/errors.ts';
import { readSavedSession } from '../../agent/saved-sessions/session-store.ts';
import { maskSecrets } from '../../redact/mask-secrets.ts';
import type { SavedSession } from '../../agent/saved-sessions/saved-session.ts';
import type { Store } from '../../store/store.ts';

export interface SavedChat {
  readonly id: string;
  readonly savedAt: number;
  readonly turns: number;
  /** The first words of the first prompt. */
  readonly firstWords: string;
}

/** How many sessions are read to find those of one folder. */
const maxRead = 100;
const maxWords = 60;

/** The sessions of an agent that worked in this folder, the last saved first. Damaged ones are left out. */
export async function listChats(
  store: Store,
  { agent, cwd, limit }: { readonly agent: string; readonly cwd: string; readonly limit: number },
): Promise<readonly SavedChat[]> {
  const found: SavedChat[] = [];
  const mask = maskSecrets();
  for (const { id, savedAt } of await store.sessions.list(maxRead)) {
    if (found.length >= limit) break;
    const saved = await readSaved(store, id).catch(messageOf);
    if (typeof saved !== 'object' || saved.agent !== agent || saved.turns === 0) continue;
    if (saved.cwd !== undefined && saved.cwd !== cwd) continue;
    const messages = saved.messages as readonly unknown[] as readonly Message[];
    found.push({ id, savedAt, turns: saved.turns, firstWords: mask(firstWordsOf(messages)) });
  }
  return found;
}

/** Not with the session store of an agent: what that has loaded, it may overwrite. */
async function readSaved(store: Store, id: string): Promise<SavedSession | undefined> {
  const found = await store.sessions.load(id);
  return found === undefined ? undefined : readSavedSession(found.body, id);
}

function firstWordsOf(messages: readonly Message[]): string {
  const first = messages.find(({ role }) => role === 'user');
  return startOf(first === undefined ? '' : textOf(first));
}

function startOf(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ');
  return line.length > maxWords ? `${line.slice(0, maxWords)}…` : line;
}

/** That a session was resumed, its last request, and the start of its last answer; empty for a new session. */
export function resumedLines({ id, history }: Pick<AgentSession, 'id' | 'history'>): readonly string[] {
  const { length } = history;
  if (length === 0) return [];
  const asked = history.findLast((message) => message.role === 'user' && textOf(message) !== '');
  const answered = history.findLast((message) => message.role === 'assistant' && textOf(message) !== '');
  const mask = maskSecrets();
  return [
    `session ${id}: resumed, ${length} message${length === 1 ? '' : 's'}`,
    ...(asked === undefined ? [] : [`  last request: ${mask(firstWordsOf([asked]))}`]),
    ...(answered === undefined ? [] : [`  last answer: ${mask(startOf(textOf(answered)))}`]),
  ];
}

/** The text of a message, without media and tool calls. */
export function textOf({ content }: Message): string {
  if (typeof content === 'string') return content;
  return content.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : [])).join('\n');
}

/** `chat-2026-11-18-1305-4f2a`: sorted by time, and easy to type. */
export function newChatId(now = new Date()): string {
  const [date = '', time = ''] = now.toISOString().split('T');
  return `chat-${date}-${time.slice(0, 5).replace(':', '')}-${randomBytes(2).toString('hex')}`;
}

const ownId = /^chat-\d{4}-\d{2}-\d{2}-\d{4}-[0-9a-f]{4}$/;
/** How many chats with ids of Bridle are kept in the store of a folder. */
export const maxKept = 100;
/** A chat that was saved since then may still be open in another terminal. */
const maybeOpenMs = 86_400_000;
/** Deleting many would delay the end of a chat; the next chat deletes more. */
const maxDeleted = 50;
const maxListed = 1000;

/** Deletes the oldest chats over the limit. Sessions that a person has named stay. */
export async function deleteOldChats(store: Pick<Store, 'sessions'>, now = Date.now()): Promise<void> {
  const chats = (await store.sessions.list(maxListed)).filter(({ id }) => ownId.test(id));
  const old = chats.slice(maxKept).filter(({ savedAt }) => savedAt < now - maybeOpenMs);
  for (const { id } of old.slice(-maxDeleted)) await store.sessions.delete(id);
}
