/** The saved form of a session, and the check of what a store loads. */

import type { Usage } from '../../kernel/hooks/points/payloads.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import { type BudgetCounts, budgetKinds, type RecentCallTimes } from '../budget/budget-options.ts';
import type { ModelMessage } from '../model/model-interface.ts';
import { noUsage } from '../budget/usage.ts';

/** Everything needed to resume a session. */
export interface SavedSession {
  readonly version: 1;
  readonly id: string;
  readonly agent: string;
  /** The folder the agent worked in. Sessions of older versions do not have it. */
  readonly cwd?: string | undefined;
  readonly savedAt: number;
  readonly turns: number;
  readonly messages: readonly ModelMessage[];
  readonly state: JsonObject;
  readonly toolState: JsonObject;
  readonly counts: BudgetCounts;
  /** The times of recent rate-limited calls. */
  readonly recent?: RecentCallTimes | undefined;
  readonly usage: Readonly<Record<string, Usage>>;
  /** True once a model without a known price was called, so the cost in `counts` is incomplete. */
  readonly costUnknown?: boolean | undefined;
}

/** A larger number cannot be real, and near 2^53 turn numbers would stop being distinct. */
const maxTurns = 1_000_000_000;

/** Why a value is not the saved session with this id. An incomplete one would lose counts or reuse idempotency keys. */
export function savedSessionProblem(saved: unknown, id: string): string | undefined {
  if (!isObject(saved)) return 'is damaged: it is not an object';
  const given: Partial<Record<keyof SavedSession, JsonValue>> = saved;
  if (given.version !== 1)
    return `has version ${JSON.stringify(given.version)}, but this version of Bridle reads only version 1`;
  if (given.id !== id) return `contains the session ${JSON.stringify(given.id)} instead`;
  const { turns, messages, state, toolState, counts, recent, usage } = given;
  if (!isAmount(turns) || !Number.isSafeInteger(turns) || turns > maxTurns)
    return 'is damaged: its number of turns is invalid';
  if (!isObject(state) || !isObject(toolState)) return 'is damaged: its state is missing';
  if (!hasAmounts(counts, budgetKinds)) return 'is damaged: its usage counts are missing';
  if (recent !== undefined && !hasTimes(recent)) return 'is damaged: its call times are invalid';
  const kinds = Object.keys(noUsage);
  if (!isObject(usage) || !Object.values(usage).every((each) => hasAmounts(each, kinds))) {
    return 'is damaged: the usage of its agents is missing';
  }
  return Array.isArray(messages) && isConversation(messages) ? undefined : 'is damaged: its messages are invalid';
}

function isObject(value: unknown): value is JsonObject {
  return value !== undefined && isJsonObject(value as JsonValue);
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function hasAmounts(value: JsonValue | undefined, names: readonly string[]): boolean {
  return isObject(value) && names.every((name) => isAmount(value[name]));
}

function hasTimes(recent: JsonValue): boolean {
  const kinds = ['modelCalls', 'toolCalls'];
  return isObject(recent) && kinds.every((kind) => Array.isArray(recent[kind]) && recent[kind].every(isAmount));
}

/** Checks that every tool call has a result. Otherwise the model would refuse every later turn. */
function isConversation(messages: readonly JsonValue[]): boolean {
  let open = '';
  for (const message of messages) {
    if (!isMessage(message)) return false;
    const settled = message.role === 'tool' ? idsOf(message, 'tool-result') : '';
    if (settled !== open) return false;
    open = message.role === 'assistant' ? idsOf(message, 'tool-call') : '';
  }
  return open === '';
}

interface SavedMessage {
  readonly role: string;
  readonly content: readonly JsonObject[];
}

function isMessage(message: JsonValue): message is JsonValue & SavedMessage {
  if (!isObject(message)) return false;
  const { role, content } = message;
  const parts: readonly JsonValue[] = Array.isArray(content) ? content : [];
  const known = role === 'user' || role === 'assistant' || role === 'tool';
  return known && parts.length > 0 && parts.every((part) => isPart(part));
}

function isPart(part: JsonValue): boolean {
  if (!isObject(part) || typeof part['type'] !== 'string') return false;
  const { type, text, toolCallId, toolName, output } = part;
  if (type === 'text' || type === 'reasoning') return typeof text === 'string';
  if (type === 'tool-call') return typeof toolCallId === 'string' && typeof toolName === 'string';
  if (type === 'tool-result') return typeof toolCallId === 'string' && isObject(output);
  // Only inline data is valid, never a URL that a provider would fetch.
  return type === 'file' && isObject(part['data']) && part['data']['type'] === 'data';
}

function idsOf({ content }: SavedMessage, type: string): string {
  return content
    .filter((part) => part['type'] === type)
    .map(({ toolCallId }) => JSON.stringify(toolCallId))
    .join();
}
