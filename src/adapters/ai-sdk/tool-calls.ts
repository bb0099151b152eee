/**
 * Calls of tools with the AI SDK's interface. A call is decided when the SDK asks whether it needs approval, which is
 * before it pauses, and runs in `execute`.
 */

import { type JsonValue, sameJson } from '../../kernel/json.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { type DecidedCall, refusalError } from '../decided-call.ts';
import type { FrameworkGuard } from '../framework-guard.ts';
import { rewriteArgs } from '../rewritten-args.ts';
import { answerIn, type ChatMessage, positionOf } from './approvals.ts';

/** A tool as `tool()` of the AI SDK makes it. */
export interface AiTool {
  readonly type?: string | undefined;
  readonly inputSchema?: unknown;
  // Parameters are compared bivariantly in methods, so tools with typed inputs are accepted.
  execute?(input: never, options: never): unknown;
  readonly needsApproval?: unknown;
}

/** What the AI SDK passes to `execute` and `needsApproval`. */
export interface CallOptions {
  readonly toolCallId: string;
  readonly messages: readonly ChatMessage[];
  readonly abortSignal?: AbortSignal | undefined;
}

/** Whose calls they are. */
export interface CallPlace {
  readonly guard: FrameworkGuard;
  readonly framework: string;
  readonly session: string;
  readonly agent?: readonly string[] | undefined;
  /** False if the framework would lose a question here. */
  readonly canPause?: boolean | undefined;
}

export type Execute = (input: unknown, options: CallOptions) => unknown;

/** Calls that were decided and not run yet. */
const maxDecided = 1000;

/** The calls of an agent's tools. Frameworks that use the AI SDK's tools and approvals share this. */
export class ToolCalls {
  private readonly decided = new Map<string, DecidedCall>();

  constructor(private readonly place: CallPlace) {}

  /** The tool with guarded functions. All other fields stay. */
  wrap(tool: AiTool, declared: ToolDeclaration): AiTool {
    const execute = (tool.execute as Execute).bind(tool);
    const guarded: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(tool);
    const field = { enumerable: true, configurable: true, writable: true };
    guarded['needsApproval'] = { ...field, value: this.needsApproval(tool, declared) };
    guarded['execute'] = {
      ...field,
      value: (input: unknown, options: CallOptions) => this.run(declared, { input, options, execute }),
    };
    return Object.create(Object.getPrototypeOf(tool) as object | null, guarded) as AiTool;
  }

  /** The function that tells the SDK whether a person must answer first. */
  needsApproval(tool: AiTool, declared: ToolDeclaration): (input: unknown, options: CallOptions) => Promise<boolean> {
    return async (input, options) =>
      (await this.pauses(declared, input, options)) || this.ownApproval(tool, input, options);
  }

  private async pauses(tool: ToolDeclaration, input: unknown, options: CallOptions): Promise<boolean> {
    const decided = await this.decide(tool, input, options);
    const isAnswered = answerIn(options.messages, options.toolCallId) !== undefined;
    if (decided.type !== 'refused') rewriteArgs(input, decided.type === 'asks' ? decided.question.args : decided.args);
    // If a person still has to answer although there is an answer, that one does not count, and the call is refused.
    const isPaused = decided.type === 'asks' && !isAnswered && this.place.canPause !== false;
    if (!isPaused) this.decided.set(options.toolCallId, decided);
    if (this.decided.size > maxDecided) this.forgetOldest();
    // Version 6 refuses an answer about a call that needs no approval.
    return isPaused || isAnswered;
  }

  /** The tool's own `needsApproval`. If it wants an approval, too, the call is decided again after it. */
  private async ownApproval({ needsApproval }: AiTool, input: unknown, options: CallOptions): Promise<boolean> {
    const needs: unknown = typeof needsApproval === 'function' ? await needsApproval(input, options) : needsApproval;
    if (needs !== true) return false;
    this.take(options.toolCallId, 'The call waits for the approval that the tool itself wants.');
    return true;
  }

  /** Runs a call that may run. */
  async run(
    tool: ToolDeclaration,
    { input, options, execute }: { readonly input: unknown; readonly options: CallOptions; readonly execute: Execute },
  ): Promise<unknown> {
    const known = this.decided.get(options.toolCallId);
    const isSame = known?.type !== 'runs' || sameJson(known.args, input as JsonValue);
    if (known !== undefined && !isSame) this.take(options.toolCallId, 'The call was changed after it was decided.');
    this.decided.delete(options.toolCallId);
    const decided = known !== undefined && isSame ? known : await this.decide(tool, input, options);
    if (decided.type !== 'runs') throw refusalError(decided);
    rewriteArgs(input, decided.args);
    const ended = await decided.run(
      async (args, { signal }) => lastOf(await execute(args, { ...options, abortSignal: signal })),
      options.abortSignal,
    );
    if (ended.thrown !== undefined) throw ended.thrown as Error;
    return ended.value;
  }

  private async decide(tool: ToolDeclaration, input: unknown, options: CallOptions): Promise<DecidedCall> {
    const { guard, framework, session: sessionId, agent } = this.place;
    const session = await guard.session(framework, sessionId);
    const { toolCallId: id, messages } = options;
    const call = { id, tool, args: input ?? {}, agent, ...positionOf(messages, id) };
    return session.decide(call, answerIn(messages, id));
  }

  private take(id: string, reason: string): void {
    const known = this.decided.get(id);
    this.decided.delete(id);
    if (known?.type === 'runs') known.abandon(reason);
  }

  private forgetOldest(): void {
    this.take(this.decided.keys().next().value as string, 'The framework did not run the call.');
  }
}

/** For a tool that yields several results, the last one counts. */
export async function lastOf(result: unknown): Promise<unknown> {
  if (typeof result !== 'object' || result === null || !(Symbol.asyncIterator in result)) return result;
  let last: unknown;
  for await (const each of result as AsyncIterable<unknown>) last = each;
  return last;
}
