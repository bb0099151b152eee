/**
 * Asks a person through LangGraph's `interrupt`, in the form of LangChain's human-in-the-loop requests. LangGraph runs
 * a paused call again from its start, and `interrupt` then returns the answers in the order of the questions.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { isRecord } from '../../kernel/shapes.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { FrameworkAnswer, PausedQuestion } from '../paused-questions.ts';
import type { NativeCall, Runtime } from './native.ts';

const by = 'a user of LangChain';
/** How many questions were asked about a call that has paused, by task and call. */
const asked = new Map<string, number>();
const maxAsked = 10_000;

/** The pauses of one attempt at a call. */
export class CallPauses {
  private answered = 0;
  private readonly interrupt: (value: unknown) => unknown;

  constructor(
    { interrupt }: Runtime,
    private readonly call: NativeCall,
    /** Identifies the call and the task of the graph. It is the same in every attempt. */
    private readonly key: string,
  ) {
    const inContext = AsyncLocalStorage.snapshot();
    this.interrupt = (value) => inContext(() => (interrupt as (value: unknown) => unknown)(value));
  }

  /** The answer to the last question, if there is one. */
  answer(): FrameworkAnswer | undefined {
    let value: unknown;
    try {
      for (const questions = asked.get(this.key) ?? 1; this.answered < questions; this.answered++) {
        value = this.interrupt(undefined);
      }
    } catch {
      // There is no answer yet.
      return undefined;
    }
    return this.readAnswer(value);
  }

  /** Pauses the run. Answers that are left over belong to questions that this process does not know. */
  pause(question: PausedQuestion): Error {
    try {
      for (;;) {
        this.interrupt(this.requestOf(question));
        this.answered++;
      }
    } catch (error) {
      asked.set(this.key, this.answered + 1);
      if (asked.size > maxAsked) asked.delete(asked.keys().next().value as string);
      return error as Error;
    }
  }

  /** A request that user interfaces for `humanInTheLoopMiddleware` can show. */
  private requestOf({ id, text, shown, args, expiresAt }: PausedQuestion): object {
    return {
      actionRequests: [{ name: this.call.name, args, description: `${text}\n\n${shown}` }],
      reviewConfigs: [{ actionName: this.call.name, allowedDecisions: ['approve', 'edit', 'reject'] }],
      bridle: { approval: id, call: this.call.id, expiresAt },
    };
  }

  private readAnswer(value: unknown): FrameworkAnswer {
    const decision = decisionIn(value);
    if (decision?.['type'] === 'approve') return { type: 'approve', by };
    if (decision?.['type'] === 'reject') return { type: 'deny', by, reason: textOf(decision['message']) };
    if (decision?.['type'] !== 'edit') {
      return { type: 'deny', by, reason: 'The answer is not one of the decisions approve, edit and reject' };
    }
    const { name, args } = (decision['editedAction'] ?? {}) as { name?: unknown; args?: unknown };
    if (name !== this.call.name) {
      return { type: 'deny', by, reason: `The edited call is not a call of ${this.call.name}` };
    }
    return isRecord(args)
      ? { type: 'approve', by, args: args as JsonObject }
      : { type: 'deny', by, reason: 'The edited call has no args' };
  }
}

/** The only decision in `{ decisions: […] }`, or the decision itself. */
function decisionIn(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isRecord(value)) return undefined;
  const { decisions } = value as { decisions?: unknown };
  if (decisions === undefined) return value as Readonly<Record<string, unknown>>;
  const [decision] = Array.isArray(decisions) && decisions.length === 1 ? (decisions as unknown[]) : [];
  return isRecord(decision) ? (decision as Readonly<Record<string, unknown>>) : undefined;
}

function textOf(message: unknown): string | undefined {
  return typeof message === 'string' && message !== '' ? message : undefined;
}
