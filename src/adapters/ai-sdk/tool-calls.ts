/**
 * Calls of tools with the AI SDK's interface. A call is decided when the SDK asks whether it needs approval, which is
 * before it pauses, and runs in `execute`.
 */

import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import type { MaybePromise } from '../../kernel/maybe-promise.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import type { RunContext } from '../../kernel/guard/calls/run-tool.ts';
import { type DecidedCall, type EndedCall, refusalError, type ToolRun } from '../decided-call.ts';
import type { FrameworkGuard } from '../framework-guard.ts';
import type { FrameworkSession } from '../framework-session.ts';
import type { FrameworkAnswer } from '../paused-questions.ts';
import { changeableArgs, rewriteArgs } from '../rewritten-args.ts';
import { streamWork } from '../streamed-work.ts';
import { answerIn, type ChatMessage, positionOf } from './approvals.ts';
import { lastOf, type ParsedArgs } from './parsed-args.ts';
import { sameData } from '../same-data.ts';

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

/** A call of a tool as the SDK makes it. */
interface SdkCall {
  readonly tool: ToolDeclaration;
  readonly input: unknown;
  readonly options: CallOptions;
}

interface KeptCall {
  readonly tool: ToolDeclaration;
  /** The args that the SDK runs the call with. */
  readonly args: unknown;
  readonly decided: DecidedCall;
}

/** Calls that were decided and not run yet. */
const maxDecided = 1000;

/** The calls of an agent's tools. Frameworks that use the AI SDK's tools and approvals share this. */
export class ToolCalls {
  /** By call id. A model may use an id twice. */
  private readonly decided = new Map<string, KeptCall[]>();

  constructor(
    private readonly place: CallPlace,
    private readonly parsed?: ReadonlyMap<ToolDeclaration, ParsedArgs>,
  ) {}

  /** The tool with guarded functions. All other fields stay. */
  wrap(original: AiTool, tool: ToolDeclaration): AiTool {
    const own = (original.execute as Execute).bind(original);
    const execute: Execute = (args, options) => own(changeableArgs(args as JsonObject), options);
    const field = { enumerable: true, configurable: true, writable: true };
    const run = async (input: unknown, options: CallOptions): Promise<unknown> =>
      valueOf(
        await this.run({ tool, input, options }, async (args, context) =>
          lastOf(await execute(args, withSignal(options, context))),
        ),
      );
    const stream = (input: unknown, options: CallOptions): AsyncIterable<unknown> =>
      this.stream({ tool, input, options }, execute);
    return Object.create(Object.getPrototypeOf(original) as object | null, {
      ...Object.getOwnPropertyDescriptors(original),
      needsApproval: { ...field, value: this.needsApproval(original, tool) },
      execute: { ...field, value: isGenerator(original) ? stream : run },
    }) as AiTool;
  }

  /** The function that tells the SDK whether a person must answer first. */
  needsApproval(original: AiTool, tool: ToolDeclaration): (input: unknown, options: CallOptions) => Promise<boolean> {
    return (input, options) => {
      const call = { tool, input, options };
      const answer = answerIn(options.messages, options.toolCallId);
      return this.decide(call, answer).then((decided) => {
        const isPaused = this.pauses(call, decided, answer !== undefined);
        return isPaused || original.needsApproval === undefined ? isPaused : this.ownApproval(original, call);
      });
    };
  }

  private pauses(call: SdkCall, decided: DecidedCall, isAnswered: boolean): boolean {
    // Version 7 refuses an approval of args that differ from those of the model.
    if (decided.type === 'runs' && !isAnswered) rewriteArgs(call.input, decided.args);
    // If a person still has to answer although there is an answer, that one does not count, and the call is refused.
    const isPaused = decided.type === 'asks' && !isAnswered && this.place.canPause !== false;
    if (!isPaused) this.keep(call, decided);
    // Version 6 refuses an answer about a call that needs no approval.
    return isPaused || isAnswered;
  }

  /** The tool's own `needsApproval`. If it wants an approval, too, the call is decided again after it. */
  private async ownApproval({ needsApproval }: AiTool, call: SdkCall): Promise<boolean> {
    const { input, options } = call;
    const decided = this.take(call);
    // A person need not answer about a call that is refused.
    const isRefused = decided !== undefined && decided.type !== 'runs';
    const needs: unknown =
      !isRefused && typeof needsApproval === 'function' ? await needsApproval(input, options) : needsApproval;
    if (decided !== undefined && (isRefused || needs !== true)) {
      this.keep(call, decided);
      return false;
    }
    if (decided?.type === 'runs') decided.abandon('The call waits for the approval that the tool itself wants.');
    return needs === true;
  }

  /** Runs a call that may run. Rejects if it may not. */
  run(call: SdkCall, execute: ToolRun): Promise<EndedCall> {
    const decided = this.take(call);
    if (decided !== undefined) return runDecided(call, decided, execute);
    const answer = answerIn(call.options.messages, call.options.toolCallId);
    return this.decide(call, answer).then((each) => {
      if (each.type === 'runs') rewriteArgs(call.input, each.args);
      return runDecided(call, each, execute);
    });
  }

  /** Results before the last one are progress. They are held back if a hook may change results. */
  private async *stream(call: SdkCall, execute: Execute): AsyncGenerator<unknown, void, undefined> {
    const isHeld = (await this.session()).hasHooks('postToolCall');
    const { options } = call;
    const ended = yield* streamWork<unknown, EndedCall>((emit) =>
      this.run(call, async (args, context) => {
        let last: unknown;
        let count = 0;
        for await (const each of execute(args, withSignal(options, context)) as AsyncIterable<unknown>) {
          if (count++ > 0 && !isHeld) emit(last);
          last = each;
        }
        return last;
      }),
    );
    yield valueOf(ended);
  }

  private decide({ tool, input, options }: SdkCall, answer: FrameworkAnswer | undefined): Promise<DecidedCall> {
    const { toolCallId: id, messages } = options;
    const call = { id, tool, args: input ?? {}, agent: this.place.agent, ...positionOf(messages, id) };
    // The SDK shows the args of the model. If a hook changes them, the answer is about another call.
    const shown = answer?.type === 'approve' ? { ...answer, shown: call.args as JsonValue } : answer;
    const decideIn = (session: FrameworkSession): Promise<DecidedCall> =>
      this.parsed?.get(tool)?.during(call.args, () => session.decide(call, shown)) ?? session.decide(call, shown);
    const session = this.session();
    return session instanceof Promise ? session.then(decideIn) : decideIn(session);
  }

  private session(): MaybePromise<FrameworkSession> {
    const { guard, framework, session } = this.place;
    return guard.session(framework, session);
  }

  /** An earlier decision about the same call, of a run that has failed, does not count any more. */
  private keep(call: SdkCall, decided: DecidedCall): void {
    this.drop(this.take(call), 'The call was decided again.');
    const { toolCallId: id } = call.options;
    const args = decided.type === 'runs' ? decided.args : call.input;
    const kept = { tool: call.tool, args, decided };
    const calls = this.decided.get(id);
    if (calls === undefined) this.decided.set(id, [kept]);
    else calls.push(kept);
    if (this.decided.size <= maxDecided) return;
    const [[oldest, left]] = this.decided as unknown as [[string, KeptCall[]]];
    this.decided.delete(oldest);
    for (const each of left) this.drop(each.decided, 'The framework did not run the call.');
  }

  private drop(decided: DecidedCall | undefined, reason: string): void {
    if (decided?.type === 'runs') decided.abandon(reason);
  }

  /** The decision about exactly this call and these args, once. */
  private take({ tool, input, options }: SdkCall): DecidedCall | undefined {
    const calls = this.decided.get(options.toolCallId) ?? [];
    const index = calls.findIndex(
      (kept) => kept.tool.name === tool.name && kept.tool.server === tool.server && sameData(kept.args, input),
    );
    if (index === -1) return undefined;
    const [found] = calls.splice(index, 1);
    if (calls.length === 0) this.decided.delete(options.toolCallId);
    return found?.decided;
  }
}

function runDecided({ options }: SdkCall, decided: DecidedCall, execute: ToolRun): Promise<EndedCall> {
  return decided.type === 'runs' ? decided.run(execute, options.abortSignal) : Promise.reject(refusalError(decided));
}

/** What the SDK gets of a call that ran. */
function valueOf({ thrown, value }: EndedCall): unknown {
  if (thrown !== undefined) throw thrown as Error;
  return value;
}

/** Signals are expensive to create, so there is one only if the tool reads it. */
function withSignal(options: CallOptions, context: RunContext): CallOptions {
  return {
    ...options,
    get abortSignal() {
      return context.signal;
    },
  };
}

function isGenerator(tool: AiTool): boolean {
  return Object.prototype.toString.call(Reflect.get(tool, 'execute')) === '[object AsyncGeneratorFunction]';
}
