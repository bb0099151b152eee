/** Approvals of the OpenAI Agents SDK: calls that wait as interruptions of a run, and the answers of people. */

import { BridleError } from '../../kernel/errors.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import { quoteName } from '../../kernel/names.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import type { PausedQuestion } from '../paused-questions.ts';
import type { RunContext } from './agents-sdk.ts';

/** Identifies a call. */
interface CallKey {
  readonly session: string;
  readonly agent: readonly string[];
  readonly callId: string;
}

/** A call that waits for an answer. */
export interface PendingAsk extends CallKey {
  readonly turn: string;
  readonly step: number;
  readonly tool: ToolDeclaration;
  /** The name of the tool in the SDK. */
  readonly toolName: string;
  readonly args: JsonValue;
  /** Undefined if another process has asked. */
  readonly question?: PausedQuestion | undefined;
}

/** Args that a person has changed. */
interface Edit extends Omit<CallKey, 'session'> {
  readonly args: JsonObject;
  /** The context of the run that a person has answered: call ids repeat in other runs. */
  readonly run: unknown;
  readonly allowSaving: () => void;
}

/** Asks that nobody came back to are forgotten, the oldest first. */
const maxAsks = 1000;

/** The calls that wait, of all agents of one `guardAgent`. */
export class PendingCalls {
  private readonly asks = new Map<string, PendingAsk>();
  private edits: readonly Edit[] = [];

  add(ask: PendingAsk): void {
    this.asks.set(keyOf(ask), ask);
    if (this.asks.size > maxAsks) this.asks.delete(this.asks.keys().next().value as string);
  }

  take(call: CallKey): PendingAsk | undefined {
    if (this.asks.size === 0) return undefined;
    const ask = this.asks.get(keyOf(call));
    this.asks.delete(keyOf(call));
    return ask;
  }

  /** Calls of this agent that a person has refused. The SDK runs nothing for a refusal. */
  refused(session: string, agent: readonly string[], context: RunContext): readonly PendingAsk[] {
    if (this.asks.size === 0) return [];
    return [...this.asks.values()].filter(
      (ask) =>
        keyOf(ask) === keyOf({ session, agent, callId: ask.callId }) && isRefused(context, ask.toolName, ask.callId),
    );
  }

  questionOf(agent: readonly string[], callId: string): PausedQuestion | undefined {
    return [...this.asks.values()].findLast((ask) => ask.agent === agent && ask.callId === callId)?.question;
  }

  addEdit(edit: Edit): void {
    this.edits = [...this.edits, edit];
  }

  /**
   * The edited args of a call, once. `unclear` if a person has edited a call with this id in another run: then it cannot be
   * told what was approved here.
   */
  takeEdit(agent: readonly string[], callId: string, run: unknown): JsonObject | 'unclear' | undefined {
    const edits = this.edits.filter((edit) => edit.agent === agent && edit.callId === callId);
    const own = edits.find((edit) => edit.run === run);
    if (own === undefined) return edits.length === 0 ? undefined : 'unclear';
    this.edits = this.edits.filter((edit) => edit !== own);
    own.allowSaving();
    return own.args;
  }
}

export function isRefused(context: RunContext, toolName: string, callId: string): boolean {
  return context.isToolApproved({ toolName, callId }) === false;
}

function keyOf({ session, agent, callId }: CallKey): string {
  return JSON.stringify([session, agent, callId]);
}

/** The path of a guarded agent and its calls that wait. A clone has those of its original. */
interface AgentCalls {
  readonly calls: PendingCalls;
  readonly path: readonly string[];
}

/** Of guarded agents. */
export const callsOf = new WeakMap<object, AgentCalls>();

/** An item of `result.interruptions`. */
export interface Interruption {
  readonly agent: object;
  readonly rawItem: unknown;
}

/**
 * The question about an interruption: its text, the args that would run, and until when it waits. Undefined if another
 * process has asked.
 */
export function questionOf({ agent, rawItem }: Interruption): PausedQuestion | undefined {
  const own = callsOf.get(agent);
  return own?.calls.questionOf(own.path, (rawItem as { readonly callId?: string }).callId ?? '');
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
  const own = callsOf.get(interruption.agent);
  if (own === undefined || callId === undefined) {
    throw new BridleError('OPTION_INVALID', `${quoteName(name ?? 'the call')} is not a call of a guarded agent`);
  }
  const { _context: run } = state as { readonly _context?: unknown };
  own.calls.addEdit({ agent: own.path, callId, args, run, allowSaving: preventSaving(state) });
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
