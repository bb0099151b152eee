/** Runs the tool calls of one answer through the guard, and records their results for the model. */

import type { ToolCall } from '../../../kernel/call.ts';
import { BridleError } from '../../../kernel/errors.ts';
import type { CallResult } from '../../../kernel/guard/calls/call-result.ts';
import type { RunContext } from '../../../kernel/guard/calls/run-tool.ts';
import type { Interaction, Media, Question, RequestedCall } from '../../../kernel/hooks/points/payloads.ts';
import type { JsonValue } from '../../../kernel/json.ts';
import { isPromise } from '../../../kernel/maybe-promise.ts';
import type { ToolContext } from '../../../tools/definition/runnable-tool.ts';
import type { ResultPart } from '../../model/model-messages.ts';
import { allowedMedia } from '../state/prompt-input.ts';
import { runCalls } from './run-calls.ts';
import { maxMismatches } from '../state/structured-output.ts';
import { settledCallOf, notRunCallOf } from '../state/turn-calls.ts';
import { loggedTurnOf, turnPositionOf } from '../state/turn-checkpoint.ts';
import type { TurnWork } from '../state/turn-work.ts';

export async function callTools(work: TurnWork, calls: readonly RequestedCall[]): Promise<readonly CallResult[]> {
  work.checkOpen();
  // If the process is killed after this, a resumed session must not reuse the idempotency keys of these calls.
  const saving = work.checkpointed || work.request.log !== undefined ? undefined : work.checkpoint();
  if (saving !== undefined) await saving;
  try {
    return await runCalls(
      calls,
      (call) => tierOf(work, call),
      async (call) => {
        const result = await guardCall(work, call);
        if (result.type === 'denied' && result.status === 'suspended') return suspendCall(work, call.id, result.reason);
        const part = resultPartOf(work, call.id, isFinish(result) ? await finishTurn(work, result) : result);
        work.settled.push(settledCallOf(work, result));
        if (work.pending.has(call.id)) work.results.set(call.id, part);
        work.startedCalls.delete(call.id);
        work.countedCalls.delete(call.id);
        if (work.request.log !== undefined)
          await work.request.log.saveCheckpoint(loggedTurnOf(work), 'settled', call.id);
        return result;
      },
    );
  } finally {
    if (work.results.size === work.pending.size && work.stopped?.stopReason !== 'waiting') fillPending(work);
    if (work.stopped !== undefined) work.checkOpen();
  }
}

/** Suspends the turn at a call that waits for approval. The call starts over, and counts, when the run is resumed. */
async function suspendCall(work: TurnWork, id: string, reason: string): Promise<never> {
  const uncounting = work.agent.tracker.budget.uncountToolCall();
  if (isPromise(uncounting)) await uncounting;
  work.countedCalls.delete(id);
  await work.request.log?.saveCheckpoint(loggedTurnOf(work), 'asked', id);
  return work.stop('waiting', reason);
}

/**
 * Appends one message with a result for every open call, in the order of the calls. A call that did not run gets a
 * result that says so, because models refuse a history in which a call has no result.
 */
export function fillPending(work: TurnWork): void {
  const { pending, results } = work;
  if (pending.size === 0) return;
  const why = work.stopped?.text ?? (work.turn.isCancelled ? 'The turn was cancelled.' : 'It was skipped.');
  const content = Array.from(pending, ([toolCallId, toolName]): ResultPart => {
    const result = results.get(toolCallId);
    if (result !== undefined) return result;
    const call = work.calls.find(({ id }) => id === toolCallId) ?? { id: toolCallId, tool: toolName, args: null };
    work.settled.push(notRunCallOf(work, call, why));
    const output = { type: 'error-text', value: `The call did not run. ${why}` } as const;
    return { type: 'tool-result', toolCallId, toolName, output };
  });
  pending.clear();
  results.clear();
  work.agent.own.history.append({ role: 'tool', content });
}

function tierOf({ agent }: TurnWork, { server, tool }: RequestedCall): 'observe' | 'confirm' {
  return agent.listing.tierOf(server, tool);
}

/** Continues the open calls of an answer. Calls that started and cannot be repeated are reported as interrupted. */
export async function resumeTools(work: TurnWork, open: readonly RequestedCall[]): Promise<void> {
  const { log } = work.request;
  log?.continueCalls(
    turnPositionOf(work),
    open.filter((call) => isRepeatable(work, call)).map(({ id }) => id),
  );
  await callTools(work, open);
}

/** True if a started call may start again. A subagent continues where it stopped. */
function isRepeatable(work: TurnWork, call: RequestedCall): boolean {
  if (isSubagentCall(work, call)) return true;
  return (
    tierOf(work, call) === 'observe' || work.agent.parts.toolRegistry.find(call.server, call.tool)?.idempotent === true
  );
}

async function guardCall(work: TurnWork, requested: RequestedCall): Promise<CallResult> {
  const { id, tool, server, args } = requested;
  work.checkOpen();
  if (work.startedCalls.has(id)) return work.turn.settleInterrupted({ id, tool, server, args });
  const counting = work.agent.tracker.budget.countToolCall();
  const exceeded = isPromise(counting) ? await counting : counting;
  if (exceeded !== undefined) return work.stopForLimit(exceeded);
  work.countedCalls.add(id);
  if (isPromise(counting)) work.checkOpen();
  let child: Promise<string> | undefined;
  const start = (call: ToolCall, context: RunContext): unknown => (child = delegate(work, call, context.signal));
  const { log } = work.request;
  const runsOnce = log !== undefined && !isRepeatable(work, requested);
  const run = (call: ToolCall, context: RunContext): unknown => {
    if (isSubagentCall(work, call)) return start(call, context);
    if (!runsOnce) return runTool(work, call, context);
    work.startedCalls.add(id);
    return log.saveCheckpoint(loggedTurnOf(work), 'begun', id).then(() => {
      // The call may have been cancelled while the checkpoint was saved.
      if (context.signal.aborted) throw new BridleError('TURN_STOPPED', 'the call was cancelled before it started');
      return runTool(work, call, context);
    });
  };
  const result = await work.turn.guard({ id, tool, server, args }, { run });
  // A cancelled or timed-out call has its result immediately, but its subagent still has to end.
  if (child !== undefined) await Promise.allSettled([child]);
  return result;
}

function isSubagentCall({ agent: { parts } }: TurnWork, { server, tool }: ToolCall | RequestedCall): boolean {
  return parts.subagentTool !== undefined && parts.toolRegistry.find(server, tool) === parts.subagentTool;
}

function runTool(work: TurnWork, call: ToolCall, context: RunContext): unknown {
  const { parts } = work.agent;
  const tool = parts.toolRegistry.find(call.server, call.tool);
  if (tool === undefined) throw new BridleError('TOOL_INVALID', `the tool "${call.tool}" is no longer available`);
  return tool.run(call.args as never, new CallContext(work, call, context));
}

function delegate(work: TurnWork, { id, args }: ToolCall, signal: AbortSignal): Promise<string> {
  const { agent, turn, request } = work;
  const { agent: agentName, prompt } = args;
  const log = request.log?.child(turnPositionOf(work), id);
  // The tool's schema guarantees that both are strings.
  return agent.own.delegate({ name: agentName as string, prompt: prompt as string, turn, signal, log });
}

/** The context passed to a tool: what the guard grants, plus what the agent adds. */
class CallContext implements ToolContext {
  readonly cwd: string;
  readonly #work: TurnWork;
  readonly #granted: RunContext;

  constructor(
    work: TurnWork,
    readonly call: ToolCall,
    granted: RunContext,
  ) {
    this.cwd = call.cwd ?? work.agent.parts.cwd;
    this.#work = work;
    this.#granted = granted;
  }

  get signal(): AbortSignal {
    return this.#granted.signal;
  }

  get grant(): RunContext['grant'] {
    return this.#granted.grant;
  }

  get paths(): RunContext['paths'] {
    return this.#granted.paths;
  }

  get idempotencyKey(): string {
    return this.#granted.idempotencyKey;
  }

  get store(): RunContext['store'] {
    return this.#granted.store;
  }

  // Arrow functions, so that tools can destructure them.
  readonly ask = (questions: readonly Question[]): Promise<Interaction> => this.#work.turn.ask(questions);

  readonly attach = (media: Media): JsonValue => {
    const { attached, media: mediaByCall, agent } = this.#work;
    const bytes = bytesOf(media);
    // Text becomes part of the result, so that hooks, journal and people can read it.
    if (isTextual(media.mediaType)) return textOf(media);
    if (!allowedMedia.has(media.mediaType))
      return `[${media.mediaType}, ${bytes} bytes, left out: unsupported media type]`;
    const { mediaBytes } = agent.parts.limits;
    if (attached.bytes + bytes > mediaBytes) {
      return `[${media.mediaType}, ${bytes} bytes, left out: the limit is ${mediaBytes} bytes per turn]`;
    }
    attached.bytes += bytes;
    const note = `[${media.mediaType}, ${bytes} bytes, attached as media-${++attached.count}]`;
    const ofCall = mediaByCall.get(this.call.id) ?? new Map<string, Media>();
    mediaByCall.set(this.call.id, ofCall.set(note, media));
    return note;
  };
}

function isTextual(mediaType: string): boolean {
  return /^text\/|^application\/(json|xml|javascript)\b|\+(json|xml)\b/.test(mediaType);
}

function textOf({ data }: Media): string {
  return (typeof data === 'string' ? Buffer.from(data, 'base64') : Buffer.from(data)).toString('utf8');
}

function bytesOf({ data }: Media): number {
  return typeof data === 'string' ? Math.floor(data.length * 0.75) : data.byteLength;
}

function isFinish({ type, call }: CallResult): boolean {
  return type === 'ok' && call.tool === 'finish' && call.server === undefined;
}

/** The `finish` tool ends the turn with its result, unless the result does not match the requested schema. */
async function finishTurn(work: TurnWork, result: CallResult): Promise<CallResult> {
  const { schema } = work.request;
  if (schema !== undefined) {
    const checked = await schema.checkData(result.value);
    work.problem = checked.problem;
    if (checked.problem !== undefined) {
      if (work.misfits++ >= maxMismatches) work.stopped ??= { stopReason: 'schema_mismatch', text: result.text };
      return { ...result, isError: true, text: `The result does not match the schema: ${checked.problem}` };
    }
    work.data = checked.data;
  }
  work.stopped ??= { stopReason: 'finished', text: result.text };
  return result;
}

/** A result as it is sent to the model, with the attached media that its text still mentions after the hooks. */
function resultPartOf(work: TurnWork, toolCallId: string, { text, isError }: CallResult): ResultPart {
  const toolName = work.pending.get(toolCallId) ?? '';
  const media = [...(work.media.get(toolCallId) ?? [])].filter(([note]) => text.includes(note));
  work.media.delete(toolCallId);
  const output: ResultPart['output'] =
    media.length === 0
      ? { type: isError ? 'error-text' : 'text', value: text }
      : { type: 'content', value: [{ type: 'text', text }, ...media.map(([, each]) => filePartOf(each))] };
  return { type: 'tool-result', toolCallId, toolName, output };
}

/** Encodes media as text, so that the session can be saved and the bytes cannot change later. */
export function filePartOf({ mediaType, data, name }: Media): FilePart {
  const encoded = typeof data === 'string' ? data : Buffer.from(data).toString('base64');
  const part = { type: 'file', mediaType, data: { type: 'data', data: encoded } } as const;
  return name === undefined ? part : { ...part, filename: name };
}

interface FilePart {
  type: 'file';
  mediaType: string;
  data: { type: 'data'; data: string };
  filename?: string;
}
