/** Approvals of the OpenAI Agents SDK: calls that wait as interruptions of a run, and the answers of people. */

import { BridleError } from '../../kernel/errors.ts';
import { type JsonObject, isJsonObject, type JsonValue } from '../../kernel/json.ts';
import { quoteName } from '../../kernel/names.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import type { PausedQuestion } from '../paused-questions.ts';
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

  get isEmpty(): boolean {
    return this.asks.size === 0;
  }

  add(ask: PendingAsk): void {
    this.asks.set(keyOf(ask), ask);
    if (this.asks.size > maxAsks) this.asks.delete(this.asks.keys().next().value as string);
  }

  take(call: CallKey): PendingAsk | undefined {
    if (this.isEmpty) return undefined;
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

/** Args that a person has changed. While they wait in memory, the state cannot be saved. */
interface Edit {
  readonly args: JsonObject;
  /** The context of the run that a person has answered: call ids repeat in other runs. */
  readonly run: unknown;
  readonly allowSaving: () => void;
}

/** What the calls of an agent wait for, and the args that people have changed, by call id. */
interface CallNotes {
  readonly questions: Map<string, PausedQuestion>;
  readonly edits: Map<string, readonly Edit[]>;
}

const notes = new WeakMap<object, CallNotes>();

/** Keeps notes about the calls of an agent. Its clones share them. */
export function keepNotes(agent: object, like: object = agent): void {
  notes.set(agent, notes.get(like) ?? { questions: new Map(), edits: new Map() });
}

export function noteQuestion(agent: object, callId: string, question: PausedQuestion): void {
  const questions = notes.get(agent)?.questions;
  questions?.set(callId, question);
  if (questions !== undefined && questions.size > maxAsks) questions.delete(questions.keys().next().value as string);
}

/**
 * The question about an interruption: its text, the args that would run, and until when it waits. Undefined if another
 * process has asked.
 */
export function questionOf({ agent, rawItem }: Interruption): PausedQuestion | undefined {
  return notes.get(agent)?.questions.get((rawItem as { readonly callId?: string }).callId ?? '');
}

/**
 * Approves a call with these args, like `state.approve(interruption)`. Policy decides about them again. Until the run
 * resumes in this process, the state cannot be saved: another process would run the original args.
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
  const own = notes.get(interruption.agent);
  if (own === undefined || callId === undefined) {
    throw new BridleError('OPTION_INVALID', `${quoteName(name ?? 'the call')} is not a call of a guarded agent`);
  }
  const { _context: run } = state as { readonly _context?: unknown };
  const edits = own.edits.get(callId) ?? [];
  own.edits.set(callId, [...edits, { args, run, allowSaving: preventSaving(state) }]);
  state.approve(interruption);
}

const savingMethods = ['toString', 'toJSON'] as const;

function refuseSaving(): never {
  throw new BridleError(
    'OPTION_INVALID',
    'a state with a call that was approved with edits cannot be saved; resume the run in this process first',
  );
}

/** Makes saving a state an error until the returned function is called. */
function preventSaving(state: object): () => void {
  for (const name of savingMethods) Object.defineProperty(state, name, { value: refuseSaving, configurable: true });
  return () => {
    for (const name of savingMethods) Reflect.deleteProperty(state, name);
  };
}

/**
 * The edited args of a call, once; the question about it is answered. `unclear` if a person has edited a call with this id
 * in another run: then it cannot be told what was approved here.
 */
export function takeEdit(agent: object, callId: string, run: unknown): JsonObject | 'unclear' | undefined {
  const own = notes.get(agent);
  const edits = own?.edits.get(callId) ?? [];
  const edit = edits.find((each) => each.run === run);
  if (edit === undefined) return edits.length === 0 ? undefined : 'unclear';
  edit.allowSaving();
  own?.edits.set(
    callId,
    edits.filter((each) => each !== edit),
  );
  if (edits.length === 1) own?.edits.delete(callId);
  own?.questions.delete(callId);
  return edit.args;
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
