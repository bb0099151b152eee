/** Where a call happens: session, agent, turn and step. A call inside a tool belongs to the agent that called the tool. */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { FrameworkGuard } from '../framework-guard.ts';
import type { TurnKey } from '../framework-session.ts';
import type { NativeCall, NativeMessage, Runtime, ToolRequest } from './native.ts';

export interface PlaceOptions {
  /** The id of the session. Default: the thread id. */
  readonly session?: string | undefined;
  /** Agent names from the root to this agent. Default: `main`; in a tool, the path of its agent and the tool's name. */
  readonly agent?: readonly string[] | undefined;
}

export interface CallPlace extends TurnKey {
  readonly session: string;
  readonly agent: readonly string[];
  /** The attempt to run the graph: the same for all calls in it, also in subagents. */
  readonly run: object;
  /** False if other calls can pause at the same time. */
  readonly isOnlyCall: boolean;
}

interface RunningTool extends CallPlace {
  readonly guard: FrameworkGuard;
  readonly tool: string;
}

const runningTools = new AsyncLocalStorage<RunningTool>();

/** Runs a tool. Agents that it calls get a path below its agent. */
export function insideTool<T>(tool: RunningTool, run: () => T): T {
  return runningTools.run(tool, run);
}

export function placeOf(
  guard: FrameworkGuard,
  { configurable, writer }: Runtime,
  { session, agent }: PlaceOptions = {},
): CallPlace {
  const store = runningTools.getStore();
  const parent = store?.guard === guard ? store : undefined;
  const thread = configurable?.thread_id as string | number | undefined;
  return {
    session: session ?? parent?.session ?? (thread === undefined ? guard.defaultSession : String(thread)),
    agent: agent ?? (parent === undefined ? ['main'] : [...parent.agent, parent.tool]),
    run: store?.run ?? (writer as object),
    isOnlyCall: store?.isOnlyCall ?? true,
  };
}

/** The place of a tool call. */
export function placeOfCall(
  guard: FrameworkGuard,
  { toolCall, state, runtime }: ToolRequest,
  options: PlaceOptions,
): CallPlace & { readonly id: string } {
  const place = placeOf(guard, runtime, options);
  const { messages } = state as { readonly messages: readonly NativeMessage[] };
  const asking = messages.findLast(({ tool_calls: calls = [] }) => calls.some(({ id }) => id === toolCall.id));
  const calls = asking?.tool_calls ?? [];
  const isOnlyCall = place.isOnlyCall && calls.length === 1;
  return { ...place, isOnlyCall, ...turnOf(messages, toolCall.id), id: idOf(toolCall, calls, runtime) };
}

/** The id of a call. If the model gave none, or the same to several calls, the task of the graph tells them apart. */
function idOf({ id = '' }: NativeCall, calls: readonly NativeCall[], { configurable }: Runtime): string {
  const isUnique = id !== '' && calls.filter((call) => call.id === id).length <= 1;
  const task = configurable?.checkpoint_ns;
  return isUnique || typeof task !== 'string' ? id : `${id}@${task.slice(task.lastIndexOf('|') + 1)}`;
}

/** A turn is what follows a message of the user, and a step is a message of the model in it. */
export function turnOf(messages: readonly unknown[], callId?: string): Pick<TurnKey, 'turn' | 'step'> {
  const all = messages as readonly NativeMessage[];
  const last = all.findLastIndex((message) => message.getType() === 'human' && !isSummary(message));
  const answers = all.slice(last + 1).filter((message) => message.getType() === 'ai');
  const own = answers.findIndex(({ tool_calls: calls = [] }) => calls.some(({ id }) => id === callId));
  return { turn: all[last]?.id ?? '', step: own === -1 ? answers.length + 1 : own + 1 };
}

function isSummary({ additional_kwargs: fields }: NativeMessage): boolean {
  return fields?.['lc_source'] === 'summarization';
}
