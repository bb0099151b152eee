/**
 * Asks a person through LangGraph's `interrupt`, in the form of LangChain's human-in-the-loop requests. LangGraph runs
 * a paused call again from its start, and `interrupt` then returns the answers in the order of the questions.
 *
 * An answer that names no interrupt goes to every paused call. So only one question is open at a time: other calls pause
 * without a question, and ask when it is their turn.
 */

import { isRecord } from '../../kernel/shapes.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { FrameworkAnswer, PausedQuestion } from '../paused-questions.ts';
import type { LangChain, NativeCall, Runtime } from './native.ts';
import type { CallPlace } from './scopes.ts';

const by = 'a user of LangChain';
/** How many questions this process has asked about a call, by task and call. */
const asked = new Map<string, number>();
const maxAsked = 10_000;
/** The pause with the open question of a run. */
const openPauses = new WeakMap<object, Error>();

/** The pauses of one attempt at a call. */
export class CallPauses {
  /** The name that questions show. Other middleware may replace the tool. */
  toolName: string;
  private answered = 0;
  private readonly storage: ReturnType<LangChain['AsyncLocalStorageProviderSingleton']['getInstance']>;
  /** What `interrupt` must find in the storage: the task of this call. */
  private readonly context: unknown;

  constructor(
    private readonly runtime: Runtime,
    private readonly call: NativeCall & Pick<CallPlace, 'run' | 'isOnlyCall'> & { readonly key: string },
    { AsyncLocalStorageProviderSingleton: provider }: LangChain,
  ) {
    this.toolName = call.name;
    this.storage = provider.getInstance();
    this.context = this.storage.getStore();
  }

  /** The answer to the last question, if there is one. */
  answer(): FrameworkAnswer | undefined {
    const questions = asked.get(this.call.key) ?? this.askedElsewhere();
    if (questions === 0) return undefined;
    let value: unknown;
    try {
      for (; this.answered < questions; this.answered++) value = this.interrupt(undefined);
    } catch {
      // There is no answer yet.
      return undefined;
    }
    return this.readAnswer(value);
  }

  /** Takes the answers of a call that was approved elsewhere: the tool gets only those to its own questions. */
  skipAnswers(): void {
    if (asked.has(this.call.key)) this.answer();
  }

  /** Returns the error that pauses the run. */
  pause(question: PausedQuestion): Error {
    const { run } = this.call;
    const open = openPauses.get(run);
    if (open !== undefined) return new (open.constructor as new (interrupts: []) => Error)([]);
    try {
      // Answers that are left over belong to other questions.
      for (;;) {
        this.interrupt(this.requestOf(question));
        this.answered++;
      }
    } catch (error) {
      openPauses.set(run, error as Error);
      asked.set(this.call.key, this.answered + 1);
      if (asked.size > maxAsked) asked.delete(asked.keys().next().value as string);
      return error as Error;
    }
  }

  private interrupt(value: unknown): unknown {
    return this.storage.run(this.context, () => (this.runtime.interrupt as (value: unknown) => unknown)(value));
  }

  /** How many questions another process has asked, as far as their answers surely belong to this call. */
  private askedElsewhere(): number {
    const { __pregel_resume_map: named = {}, __pregel_scratchpad: task } = this.runtime.configurable ?? {};
    const answers = task?.resume ?? [];
    if (answers.length > 0 && Object.values(named).includes(answers.at(-1))) return answers.length;
    return this.call.isOnlyCall ? 1 : 0;
  }

  /** A request that user interfaces for `humanInTheLoopMiddleware` can show. */
  private requestOf({ id, text, shown, args, expiresAt }: PausedQuestion): object {
    return {
      actionRequests: [{ name: this.toolName, args, description: `${text}\n\n${shown}` }],
      reviewConfigs: [{ actionName: this.toolName, allowedDecisions: ['approve', 'edit', 'reject'] }],
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
    if (name !== this.toolName) {
      return { type: 'deny', by, reason: `The edited call is not a call of ${this.toolName}` };
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
