/**
 * Guards the tool calls of an agent. A call is decided before other middleware sees it. A stand-in for the tool decides
 * again if that middleware has changed the args or the tool, or runs the tool again.
 */

import { BridleError } from '../../kernel/errors.ts';
import { isJsonObject, type JsonValue } from '../../kernel/json.ts';
import { type DecidedCall, refusalError, refusalText } from '../decided-call.ts';
import type { FrameworkGuard } from '../framework-guard.ts';
import type { FrameworkSession } from '../framework-session.ts';
import { refuseMissing } from '../installed-version.ts';
import type { FrameworkAnswer, PausedQuestion } from '../paused-questions.ts';
import { sameData } from '../same-data.ts';
import { type AgentTools, frameworkName, nameOf, toolFor } from './agent-tools.ts';
import { insideTool, type PlaceOptions, placeOfCall } from './call-place.ts';
import {
  isBubbleUp,
  messageClasses,
  type NativeCall,
  type NativeMessage,
  type NativeTool,
  type ToolConfig,
  type ToolRequest,
} from './native.ts';
import { whileDecided, whileGuarded } from './nested-tools.ts';
import { CallPauses } from './pauses.ts';

type Handler = (request: ToolRequest) => Promise<unknown>;

export class ToolCalls {
  constructor(
    private readonly guard: FrameworkGuard,
    private readonly tools: AgentTools,
    private readonly options: PlaceOptions,
  ) {}

  /** `wrapToolCall` of the middleware. */
  async run(request: ToolRequest, handler: Handler): Promise<unknown> {
    const { toolCall, tool, runtime } = request;
    refuseMissing('LangChain', {
      'runtime.interrupt of wrapToolCall': typeof runtime.interrupt === 'function',
      'runtime.writer of wrapToolCall': typeof runtime.writer === 'function',
    });
    const { ToolMessage } = await messageClasses();
    const refusal = (content: string): NativeMessage =>
      new ToolMessage({ content, tool_call_id: toolCall.id ?? '', name: toolCall.name, status: 'error' });
    if (tool === undefined) return refusal(this.tools.unknownTool(toolCall.name));
    const place = placeOfCall(this.guard, request, this.options);
    this.tools.declarationOf(tool as NativeTool);
    const session = await this.guard.session(frameworkName, place.session);
    const { guard, tools } = this;
    const call = new GuardedCall({ request, guard, session, place, tools, tool: tool as NativeTool });
    try {
      return await call.run(handler);
    } catch (error) {
      if (isBubbleUp(error) || runtime.signal?.aborted === true) throw error;
      const text = textOf(error);
      if (text === undefined) throw error;
      return refusal(text);
    }
  }
}

interface CallParts {
  readonly request: ToolRequest;
  readonly guard: FrameworkGuard;
  readonly session: FrameworkSession;
  readonly place: ReturnType<typeof placeOfCall>;
  readonly tools: AgentTools;
  readonly tool: NativeTool;
}

interface ToolWork {
  readonly decided: RunningCall;
  readonly tool: NativeTool;
  readonly call: NativeCall;
  readonly config: ToolConfig;
}

type RunningCall = Extract<DecidedCall, { type: 'runs' }>;

interface Approval {
  readonly question: PausedQuestion | undefined;
  readonly answer: FrameworkAnswer;
}

/** Calls that were approved, and in which the tool itself has paused. LangGraph runs them again from their start. */
const pausedInside = new Map<string, Approval>();
const maxPaused = 10_000;

class GuardedCall {
  private readonly key: string;
  private readonly pauses: CallPauses;
  private decided: RunningCall | undefined;
  private approval: Approval | undefined;

  constructor(private readonly parts: CallParts) {
    const { request, place } = parts;
    this.key = JSON.stringify([request.runtime.configurable?.checkpoint_ns, place.id]);
    this.pauses = new CallPauses(request.runtime, { ...place, ...request.toolCall }, this.key);
  }

  async run(handler: Handler): Promise<unknown> {
    const { request, tool } = this.parts;
    const { toolCall } = request;
    const decided = await this.decide(tool, toolCall.args);
    this.decided = decided;
    const runOther = (other: NativeTool, call: NativeCall, config: ToolConfig): Promise<unknown> =>
      this.invoke(other, call, config);
    const standIn = Object.create(tool, {
      invoke: { value: (call: NativeCall, config: ToolConfig) => this.invoke(tool, call, config) },
    }) as NativeTool;
    try {
      return await whileDecided({ task: this.task, tool, runOther }, () =>
        handler({ ...request, toolCall: { ...toolCall, args: decided.args }, tool: standIn }),
      );
    } finally {
      this.decided?.abandon('Another middleware answered the call instead of the tool.');
    }
  }

  private get task(): unknown {
    return this.parts.request.runtime.configurable?.checkpoint_ns;
  }

  /** Throws if the call must not run, or must wait for a person. */
  private async decide(tool: NativeTool, args: unknown): Promise<RunningCall> {
    const { request, session, place, tools } = this.parts;
    const { agent, turn, step, id } = place;
    const call = { agent, turn, step, id, tool: tools.declarationOf(tool), args: args ?? {} };
    this.pauses.toolName = tool === this.parts.tool ? request.toolCall.name : nameOf(tool);
    let decided = await session.decide(call, () => {
      const answer = this.pauses.answer();
      if (answer?.type === 'approve') this.approval = { answer, question: session.questionOf(call) };
      return answer;
    });
    const before = pausedInside.get(this.key);
    if (decided.type === 'asks' && isAbout(before, decided.question)) {
      this.approval = before;
      decided = await session.decide(call, before.answer);
    }
    if (decided.type === 'asks') {
      const pause = this.pauses.pause(decided.question);
      if (isBubbleUp(pause)) throw pause;
      throw new BridleError(
        'CALL_REFUSED',
        `${refusalText(decided)}. The agent cannot wait for an answer, because it has no checkpointer`,
      );
    }
    if (decided.type !== 'runs') throw refusalError(decided);
    return decided;
  }

  /** Runs the tool if the call is still the one that was decided. */
  private async invoke(tool: NativeTool, call: NativeCall, config: ToolConfig): Promise<unknown> {
    const { decided } = this;
    this.decided = undefined;
    const isSame = decided !== undefined && tool === this.parts.tool && sameData(decided.args, call.args);
    if (!isSame) decided?.abandon('Another middleware changed the call after it was decided.');
    const current = isSame ? decided : await this.decide(tool, call.args);
    this.pauses.skipAnswers();
    return this.execute({ decided: current, tool, call, config });
  }

  private async execute({ decided, tool, call, config }: ToolWork): Promise<unknown> {
    const { guard, place, tools } = this.parts;
    let native: unknown;
    let bubbled: unknown;
    const ended = await decided.run(async (args, { signal }) => {
      const run = async (): Promise<unknown> =>
        (await toolFor(tool, args)).invoke?.({ ...call, args }, { ...config, signal });
      try {
        native = await insideTool({ ...place, guard, tool: tools.declarationOf(tool).name }, () =>
          whileGuarded(this.task, run),
        );
      } catch (error) {
        if (isBubbleUp(error)) bubbled = error;
        throw isBubbleUp(error) ? new BridleError('TURN_STOPPED', 'The tool has paused the run') : error;
      }
      return viewOf(native, call.id);
    }, config.signal);
    if (bubbled !== undefined) return this.pausedBy(bubbled);
    pausedInside.delete(this.key);
    if (ended.thrown !== undefined) throw ended.thrown as Error;
    return withView(native, call.id, ended.value);
  }

  private pausedBy(bubbled: unknown): never {
    if (this.approval !== undefined) pausedInside.set(this.key, this.approval);
    if (pausedInside.size > maxPaused) pausedInside.delete(pausedInside.keys().next().value as string);
    throw bubbled as Error;
  }
}

function isAbout(approval: Approval | undefined, { text, args, ...asked }: PausedQuestion): approval is Approval {
  const { question } = approval ?? {};
  if (question?.tool !== asked.tool || question.server !== asked.server) return false;
  return question.text === text && sameData(question.args, args);
}

/** The message for the model in the output of a tool: a message, or a command that adds one. */
function messageIn(output: unknown, id: string | undefined): NativeMessage | undefined {
  if (isMessage(output)) return output;
  const { messages } = ((output as { update?: unknown } | undefined)?.update ?? {}) as { messages?: unknown };
  const added = Array.isArray(messages) ? (messages as unknown[]).filter(isMessage) : [];
  return added.find(({ tool_call_id: own }) => own === id);
}

function isMessage(value: unknown): value is NativeMessage {
  return typeof value === 'object' && value !== null && 'content' in value && 'tool_call_id' in value;
}

/** The result as hooks see it: what the model would read. */
function viewOf(output: unknown, id: string | undefined): unknown {
  const message = messageIn(output, id);
  if (message !== undefined) return message.content;
  return isCommand(output) ? null : output;
}

/** The output with the result that hooks have changed. */
function withView(output: unknown, id: string | undefined, value: unknown): unknown {
  if (value === viewOf(output, id)) return output;
  const message = messageIn(output, id);
  if (message === undefined) return isCommand(output) && value === null ? output : value;
  message.content = typeof value === 'string' || isContent(value) ? value : JSON.stringify(value);
  return output;
}

function isCommand(output: unknown): boolean {
  return (output as { lg_name?: unknown } | undefined)?.lg_name === 'Command';
}

function isContent(value: unknown): value is NativeMessage['content'] & object {
  return (
    Array.isArray(value) && value.every((part: JsonValue) => isJsonObject(part) && typeof part['type'] === 'string')
  );
}

/**
 * The text for the model: of a refusal the reason, of an error of the tool the text that LangChain gives without
 * middleware. Undefined for errors of middleware and of the guard's setup, which end the run.
 */
function textOf(error: unknown): string | undefined {
  if (error instanceof BridleError) return callErrors.has(error.code) ? error.message : undefined;
  // LangChain's own errors, about args or from other middleware, have a brand.
  if (typeof (error as { '~brand'?: unknown } | undefined)?.['~brand'] === 'string') return undefined;
  return `${String(error)}\n Please fix your mistakes.`;
}

const callErrors: ReadonlySet<string> = new Set(['CALL_REFUSED', 'TOOL_FAILED']);
