/**
 * Questions that a framework's own pause asks. The framework's answer counts only for a question that was asked before
 * about exactly the same call, and only in time. It carries no signature.
 */

import type { ApprovalAnswer, ApprovalRequest, Approver } from '../kernel/approval.ts';
import type { ToolCall } from '../kernel/call.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import type { ApprovalId } from '../kernel/ids.ts';
import { canonicalText, type JsonObject, type JsonValue, sameJson } from '../kernel/json.ts';
import { needsSignature } from '../approvals/signing/signed-answer.ts';

/** A question about a call that waits in the framework. */
export interface PausedQuestion {
  /** The id in the journal and in the store. */
  readonly id: ApprovalId;
  readonly text: string;
  /** The whole call as one text, safe to print. */
  readonly shown: string;
  readonly tool: string;
  readonly server: string | undefined;
  readonly args: JsonObject;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** True if only a signed answer counts: the framework's own pause cannot give one. */
  readonly isSigned: boolean;
}

/** An answer that a person gave through the framework. */
export type FrameworkAnswer =
  | {
      readonly type: 'approve';
      readonly args?: JsonObject | undefined;
      readonly by?: string | undefined;
      /** The args that the framework showed, if a hook may have changed them. The answer counts only for these. */
      readonly shown?: JsonValue | undefined;
    }
  | { readonly type: 'deny'; readonly reason?: string | undefined; readonly by?: string | undefined };

/** An answer, or a function that looks for one. It is called only if the question was asked before. */
export type GivenAnswer = FrameworkAnswer | (() => FrameworkAnswer | undefined);

interface KnownQuestion extends PausedQuestion {
  readonly binding: string;
}

/** One attempt at a call for which an answer was sent. */
interface Attempt {
  readonly given: GivenAnswer;
  /** True if a question was answered with it. Further questions, such as about edited args, wait for another answer. */
  isUsed: boolean;
}

const staleAnswer = 'The answer does not count: no question about this call waits for one';

/** Questions that nobody came back to are forgotten, the oldest first. */
const maxQuestions = 10_000;

export class PausedQuestions {
  private readonly asked = new Map<string, KnownQuestion>();
  private readonly answers = new Map<string, Attempt>();
  /** The ids of questions that were asked before the current attempt at their call. */
  private readonly earlier = new Set<string>();
  /** The ids of questions that were answered: an answer counts once, however often it is sent. */
  private readonly answered = new Set<string>();

  constructor(private readonly clock: Clock = systemClock) {}

  /** Answers with what the framework's person said, or suspends the call. */
  readonly local: Approver = Object.assign((request: ApprovalRequest): ApprovalAnswer => this.answerTo(request), {
    earlier: (request: ApprovalRequest) => this.earlierQuestion(request),
  });

  /** Runs `work` while an answer counts for the call with this key. */
  async withAnswer<T>(key: string, answer: GivenAnswer, work: () => Promise<T>): Promise<T> {
    const attempt = { given: answer, isUsed: false };
    this.answers.set(key, attempt);
    try {
      return await work();
    } finally {
      // The same call may have been decided again, with an answer of its own, before this attempt ended.
      if (this.answers.get(key) === attempt) this.answers.delete(key);
    }
  }

  /** The question that waits about a call. */
  of(key: string): PausedQuestion | undefined {
    return this.asked.get(key);
  }

  /** The same approver. It notes which questions were asked before, in this process or another one. */
  noting(approver: Approver): Approver {
    const earlier: Approver['earlier'] = async (request) => {
      const found = await approver.earlier?.(request);
      if (found !== undefined && 'id' in found) this.earlier.add(found.id);
      return found;
    };
    const ask: Approver = async (request, context) => {
      const key = callKey(request.call);
      if (this.isStale(key, request)) return { type: 'deny', reason: staleAnswer, by: 'bridle' };
      this.remember(key, request);
      try {
        return await approver(request, context);
      } finally {
        this.earlier.delete(request.id);
      }
    };
    return Object.assign(ask, { earlier, memory: approver.memory, signed: approver.signed });
  }

  /**
   * True if an answer was sent although no question about the call waits. To ask now would give the next sending of the
   * same answer a question that it seems to answer.
   */
  private isStale(key: string, { id }: ApprovalRequest): boolean {
    const attempt = this.answers.get(key);
    return attempt !== undefined && !attempt.isUsed && typeof attempt.given !== 'function' && !this.earlier.has(id);
  }

  private answerTo(request: ApprovalRequest): ApprovalAnswer {
    const key = callKey(request.call);
    const attempt = this.answers.get(key);
    if (attempt === undefined || attempt.isUsed || !this.earlier.has(request.id)) return { type: 'suspend' };
    const answer = typeof attempt.given === 'function' ? attempt.given() : attempt.given;
    if (answer === undefined || !showed(answer, request)) return { type: 'suspend' };
    attempt.isUsed = true;
    if (this.answered.has(request.id)) return { type: 'deny', reason: staleAnswer, by: 'bridle' };
    addBounded(this.answered, request.id);
    const known = this.asked.get(key);
    this.asked.delete(key);
    if (known !== undefined && known.id === request.id && known.expiresAt < this.clock.wall())
      return { type: 'expire' };
    const by = answer.by ?? 'a user of the framework';
    if (answer.type === 'deny') return { type: 'deny', reason: answer.reason, by, place: 'framework' };
    return { type: 'approve', args: answer.args, by, place: 'framework' };
  }

  private remember(key: string, request: ApprovalRequest): void {
    const known = this.asked.get(key);
    if (known?.id === request.id) return;
    const { id, call, questions, shown, expiresAt } = request;
    const text = questions.map((question) => question.text).join('; ');
    const { tool, server, args } = call;
    const binding = bindingOf(request);
    const isSigned = needsSignature(request);
    this.asked.set(key, { id, text, shown: shown.text, tool, server, args, expiresAt, isSigned, binding });
    if (this.asked.size > maxQuestions) this.asked.delete(this.asked.keys().next().value as string);
  }

  /** Without a store: the question that was asked about this call before. A call that has changed since is refused. */
  private earlierQuestion(request: ApprovalRequest): ReturnType<NonNullable<Approver['earlier']>> {
    const known = this.asked.get(callKey(request.call));
    if (known === undefined) return undefined;
    if (known.binding === bindingOf(request)) return { id: known.id };
    this.asked.delete(callKey(request.call));
    return { refused: 'The call was changed after approval was requested, so the approval does not count' };
  }
}

/** Identifies a call of a session. */
export function callKey({ session, agent, id }: Pick<ToolCall, 'session' | 'agent' | 'id'>): string {
  return JSON.stringify([session, agent, id]);
}

/** Everything that an approval is bound to. */
function bindingOf({ call, paths, policyVersion, questions }: ApprovalRequest): string {
  const { tool, server = null, args, cwd = null } = call;
  const asked = questions.map(({ text }) => text);
  return canonicalText([tool, server, args, cwd, paths as unknown as JsonValue, policyVersion, asked]);
}

function addBounded(ids: Set<string>, id: string): void {
  ids.add(id);
  if (ids.size > maxQuestions) ids.delete(ids.values().next().value as string);
}

function showed(answer: FrameworkAnswer, { call }: ApprovalRequest): boolean {
  return answer.type === 'deny' || answer.shown === undefined || sameJson(answer.shown, call.args);
}
