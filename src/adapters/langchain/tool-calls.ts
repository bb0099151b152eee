/**
 * Guards the tool calls of an agent. A call is decided before other middleware sees it. A stand-in for the tool decides
 * again if that middleware has changed the args or the tool, or runs the tool again.
 */

import { BridleError } from '../../kernel/errors.ts';
import { getOrCreate } from '../../kernel/lazy.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import { type DecidedCall, refusalError, refusalText } from '../decided-call.ts';
import type { FrameworkGuard } from '../framework-guard.ts';
import type { FrameworkSession } from '../framework-session.ts';
import { refuseMissing } from '../installed-version.ts';
import type { FrameworkAnswer, PausedQuestion } from '../paused-questions.ts';
import { sameData } from '../same-data.ts';
import { type GuardedAgent, nameOf, toolFor } from './agent.ts';
import {
  isBubbleUp,
  type LangChain,
  langChain,
  type NativeCall,
  type NativeMessage,
  type NativeTool,
  type ToolConfig,
  type ToolRequest,
} from './native.ts';
import { CallPauses } from './pauses.ts';
import { watchClasses, whileDecided, whileRunning } from './scopes.ts';

type Handler = (request: ToolRequest) => Promise<unknown>;

/** `wrapToolCall` of the middleware. */
export async function guardToolCall(agent: GuardedAgent, request: ToolRequest, handler: Handler): Promise<unknown> {
  const { toolCall, runtime } = request;
  const tool = request.tool as NativeTool | undefined;
  refuseMissing('LangChain', {
    'runtime.interrupt of wrapToolCall': typeof runtime.interrupt === 'function',
    'runtime.writer of wrapToolCall': typeof runtime.writer === 'function',
  });
  const loading = langChain();
  const classes = loading instanceof Promise ? await loading : loading;
  const refusal = (content: string): NativeMessage =>
    new classes.ToolMessage({ content, tool_call_id: toolCall.id ?? '', name: toolCall.name, status: 'error' });
  if (tool === undefined) return refusal(agent.unknownTool(toolCall.name));
  const place = agent.placeOfCall(request);
  agent.declarationOf(tool);
  watchClasses(tool, classes);
  const opening = agent.session(place);
  const session = opening instanceof Promise ? await opening : opening;
  const call = new GuardedCall({ agent, request, place, session, tool, classes });
  try {
    return await call.run(handler);
  } catch (error) {
    if (isBubbleUp(error) || runtime.signal?.aborted === true) throw error;
    const text = textOf(error);
    if (text === undefined) throw error;
    return refusal(text);
  }
}

interface CallParts {
  readonly agent: GuardedAgent;
  readonly request: ToolRequest;
  readonly place: ReturnType<GuardedAgent['placeOfCall']>;
  readonly session: FrameworkSession;
  readonly tool: NativeTool;
  readonly classes: LangChain;
}

type DecidedArgs = NativeCall & { readonly args: JsonObject };
type RunningCall = Extract<DecidedCall, { type: 'runs' }>;

interface Approval {
  readonly question: PausedQuestion | undefined;
  readonly answer: FrameworkAnswer;
}

/** Calls that were approved, and in which the tool itself has paused. LangGraph runs them again from their start. */
const pausedInside = new WeakMap<FrameworkGuard, Map<string, Approval>>();
const maxPaused = 10_000;

class GuardedCall {
  private readonly task: unknown;
  private readonly key: string;
  private readonly pauses: CallPauses;
  private decided: RunningCall | undefined;
  private approval: Approval | undefined;

  constructor(private readonly parts: CallParts) {
    const { request, place, classes } = parts;
    this.task = request.runtime.configurable?.checkpoint_ns;
    // Copies of a thread have the same tasks.
    this.key = JSON.stringify([place.session, this.task, place.id]);
    this.pauses = new CallPauses(request.runtime, { ...place, ...request.toolCall, key: this.key }, classes);
  }

  async run(handler: Handler): Promise<unknown> {
    const { request, tool } = this.parts;
    const { toolCall } = request;
    const { args } = (this.decided = await this.decide(tool, toolCall.args));
    const invoke = (call: NativeCall, config: ToolConfig): Promise<unknown> => this.invoke(tool, call, config);
    const standIn = Object.create(tool, { invoke: { value: invoke } }) as NativeTool;
    const runOther = this.invoke.bind(this);
    try {
      return await whileDecided(this.task, runOther, () =>
        handler({ ...request, toolCall: { ...toolCall, args }, tool: standIn }),
      );
    } finally {
      this.decided?.abandon('Another middleware answered the call instead of the tool.');
    }
  }

  /** Throws if the call must not run, or must wait for a person. */
  private async decide(tool: NativeTool, args: unknown): Promise<RunningCall> {
    const { agent, request, session, place } = this.parts;
    const call = { ...place, tool: agent.declarationOf(tool), args: args ?? {} };
    this.pauses.toolName = tool === this.parts.tool ? request.toolCall.name : nameOf(tool);
    let decided = await session.decide(call, () => {
      const answer = this.pauses.answer();
      if (answer?.type === 'approve') this.approval = { answer, question: session.questionOf(call) };
      return answer;
    });
    const before = this.paused.get(this.key);
    if (decided.type === 'asks' && isAbout(before, decided.question)) {
      this.approval = before;
      decided = await session.decide(call, before.answer);
    }
    if (decided.type === 'runs') return decided;
    if (decided.type === 'refused') throw refusalError(decided);
    const pause = this.pauses.pause(decided.question);
    if (isBubbleUp(pause)) throw pause;
    throw new BridleError(
      'CALL_REFUSED',
      `${refusalText(decided)}. The agent cannot wait for an answer, because it has no checkpointer`,
    );
  }

  /** Runs the tool if the call is still the one that was decided. Otherwise it is decided again. */
  private async invoke(tool: NativeTool, call: NativeCall, config: ToolConfig): Promise<unknown> {
    const { decided } = this;
    this.decided = undefined;
    const isSame = decided !== undefined && tool === this.parts.tool && sameData(decided.args, call.args);
    if (!isSame) decided?.abandon('Another middleware changed the call after it was decided.');
    const current = isSame ? decided : await this.decide(tool, call.args);
    this.pauses.skipAnswers();
    let native: unknown;
    let bubbled: unknown;
    const ended = await current.run(async (args, { signal }) => {
      try {
        native = await this.runTool(tool, { ...call, args }, { ...config, signal });
      } catch (error) {
        if (isBubbleUp(error)) bubbled = error;
        throw isBubbleUp(error) ? new BridleError('TURN_STOPPED', 'The tool has paused the run') : error;
      }
      return viewOf(native, call.id);
    }, config.signal);
    if (bubbled !== undefined) this.pausedBy(bubbled);
    this.paused.delete(this.key);
    if (ended.thrown !== undefined) throw ended.thrown as Error;
    return withView(native, call.id, ended.value);
  }

  private runTool(tool: NativeTool, call: DecidedArgs, config: ToolConfig): Promise<unknown> {
    const { agent, place } = this.parts;
    const running = { guard: agent.guard, place, tool: agent.declarationOf(tool).name };
    return whileRunning(this.task, running, async (end) => {
      try {
        const own = toolFor(tool, call.args);
        return await (own instanceof Promise ? await own : own).invoke?.(call, config);
      } finally {
        end();
      }
    });
  }

  private get paused(): Map<string, Approval> {
    return getOrCreate(pausedInside, this.parts.agent.guard, () => new Map<string, Approval>());
  }

  private pausedBy(bubbled: unknown): never {
    if (this.approval !== undefined) this.paused.set(this.key, this.approval);
    if (this.paused.size > maxPaused) this.paused.delete(this.paused.keys().next().value as string);
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
