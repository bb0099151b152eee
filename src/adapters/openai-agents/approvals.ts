/** Approvals of the OpenAI Agents SDK: calls that wait as interruptions of a run, and the answers of people. */

import { BridleError } from '../../kernel/errors.ts';
import { type JsonObject, isJsonObject, type JsonValue } from '../../kernel/json.ts';
import { quoteName } from '../../kernel/names.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import type { RunContext } from './agents-sdk.ts';

/** Who gives an answer through the SDK. */
export const userName = 'a user of OpenAI Agents';

/** A step in a turn of an agent. */
export interface AgentStep {
  readonly agent: readonly string[];
  readonly turn: string;
  readonly step: number;
}

/** Identifies a call. */
interface CallKey {
  readonly session: string;
  readonly agent: readonly string[];
  readonly callId: string;
}

/** A call that waits for an answer. */
export interface PendingAsk extends AgentStep, CallKey {
  readonly tool: ToolDeclaration;
  /** The name of the tool in the SDK. */
  readonly toolName: string;
  readonly args: JsonValue;
}

/** Asks that nobody came back to are forgotten, the oldest first. */
const maxAsks = 1000;

/** The calls that wait. */
export class PendingAsks {
  private readonly asks = new Map<string, PendingAsk>();

  add(ask: PendingAsk): void {
    this.asks.set(keyOf(ask), ask);
    if (this.asks.size > maxAsks) this.asks.delete(this.asks.keys().next().value as string);
  }

  take(call: CallKey): PendingAsk | undefined {
    const ask = this.asks.get(keyOf(call));
    this.asks.delete(keyOf(call));
    return ask;
  }

  /** Calls of this agent that a person has refused. The SDK runs nothing for a refusal. */
  refused(session: string, agent: readonly string[], context: RunContext): readonly PendingAsk[] {
    return [...this.asks.values()].filter(
      (ask) =>
        keyOf(ask) === keyOf({ session, agent, callId: ask.callId }) && isRefused(context, ask.toolName, ask.callId),
    );
  }
}

export function isRefused(context: RunContext, toolName: string, callId: string): boolean {
  return context.isToolApproved({ toolName, callId }) === false;
}

function keyOf({ session, agent, callId }: CallKey): string {
  return JSON.stringify([session, agent, callId]);
}

/** An item of `result.interruptions`. */
export interface Interruption {
  readonly agent: object;
  readonly rawItem: unknown;
}

/** Args that people have changed, by agent and call. */
const edits = new WeakMap<object, Map<string, JsonObject>>();

/** Makes edits possible for the calls of an agent. Its clones share them. */
export function acceptEdits(agent: object, like: object = agent): void {
  edits.set(agent, edits.get(like) ?? new Map<string, JsonObject>());
}

/**
 * Approves a call with other args, like `state.approve(interruption)`. Policy decides about the new args again. Resume the
 * run in the same process.
 *
 * @example
 * ```ts
 * import { approveWithEdits } from 'bridle/openai-agents';
 * ```
 */
export function approveWithEdits<I extends Interruption>(
  state: { approve(interruption: I): void },
  interruption: I,
  args: JsonObject,
): void {
  const { callId, name } = interruption.rawItem as { readonly callId?: string; readonly name?: string };
  const own = edits.get(interruption.agent);
  if (own === undefined || callId === undefined) {
    throw new BridleError('OPTION_INVALID', `${quoteName(name ?? 'the call')} is not a call of a guarded agent`);
  }
  own.set(callId, args);
  state.approve(interruption);
}

/** The edited args of a call, once. */
export function takeEdit(agent: object, callId: string): JsonObject | undefined {
  const own = edits.get(agent);
  const args = own?.get(callId);
  own?.delete(callId);
  return args;
}

/** The args that a model wrote; undefined if they are not a JSON object. */
export function argsOf(input: string): JsonObject | undefined {
  try {
    const args = JSON.parse(input) as JsonValue;
    return isJsonObject(args) ? args : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
