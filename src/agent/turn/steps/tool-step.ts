/** Running the tool calls of one answer through the guard, and keeping what came of them for the model. */

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
import { loggedTurnOf, turnPlaceOf } from '../state/turn-checkpoint.ts';
import type { TurnWork } from '../state/turn-work.ts';

export async function callTools(work: TurnWork, calls: readonly RequestedCall[]): Promise<readonly CallResult[]> {
  work.checkOpen();
  // Killed from here on, a resumed session must not give another call the idempotency key of one of these.
  const kept = work.checkpointed || work.request.log !== undefined ? undefined : work.checkpoint();
  if (kept !== undefined) await kept;
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

/** The call is asked for again when the run is resumed, and counted then. */
async function suspendCall(work: TurnWork, id: string, reason: string): Promise<never> {
  const uncounting = work.agent.tracker.budget.uncountToolCall();
  if (isPromise(uncounting)) await uncounting;
  work.countedCalls.delete(id);
  await work.request.log?.saveCheckpoint(loggedTurnOf(work), 'asked', id);
  return work.stop('waiting', reason);
}

/**
 * Keeps one message with a result for every open call, in the order of the calls. Those that nobody has run get one that
 * says so: a history in which a call has none is refused by models.
 */
export function fillPending(work: TurnWork): void {
  const { pending, results } = work;
  if (pending.size === 0) return;
  const why = work.stopped?.text ?? (work.turn.isCancelled ? 'The turn was cancelled.' : 'Nobody ran it.');
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

function tierOf({ agent: actor }: TurnWork, { server, tool }: RequestedCall): 'observe' | 'confirm' {
  return actor.listing.tierOf(server, tool);
}

/** Goes on with the open calls of an answer: those that cannot be repeated are told as interrupted. */
export async function resumeTools(work: TurnWork, open: readonly RequestedCall[]): Promise<void> {
  const { log } = work.request;
  log?.continueCalls(
    turnPlaceOf(work),
    open.filter((call) => isRepeatable(work, call)).map(({ id }) => id),
  );
  await callTools(work, open);
}

/** May a call that has begun begin again? A subagent goes on where it was. */
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
      // Noting it took time, in which the call may have ended: what has ended does not begin.
      if (context.signal.aborted) throw new BridleError('TURN_STOPPED', 'the call ended before it began');
      return runTool(work, call, context);
    });
  };
  const result = await work.turn.guard({ id, tool, server, args }, { run });
  // A call that was cancelled or took too long has its result at once; its subagent still has to end.
  if (child !== undefined) await Promise.allSettled([child]);
  return result;
}

function isSubagentCall({ agent: { parts } }: TurnWork, { server, tool }: ToolCall | RequestedCall): boolean {
  return parts.subagentTool !== undefined && parts.toolRegistry.find(server, tool) === parts.subagentTool;
}

function runTool(work: TurnWork, call: ToolCall, context: RunContext): unknown {
  const { parts } = work.agent;
  const tool = parts.toolRegistry.find(call.server, call.tool);
  if (tool === undefined) throw new BridleError('TOOL_INVALID', `the tool ${call.tool} is gone`);
  return tool.run(call.args as never, new CallContext(work, call, context));
}

function delegate(work: TurnWork, { id, args }: ToolCall, signal: AbortSignal): Promise<string> {
  const { agent: actor, turn, request } = work;
  const { agent: agentName, prompt } = args;
  const log = request.log?.child(turnPlaceOf(work), id);
  // The tool's own schema has seen to it that both are texts.
  return actor.own.delegate({ name: agentName as string, prompt: prompt as string, turn, signal, log });
}

/** What a tool gets: what the guard grants, and what the agent adds to it. */
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

  // Properties, so that a tool may take them out of its context.
  readonly ask = (questions: readonly Question[]): Promise<Interaction> => this.#work.turn.ask(questions);

  readonly attach = (media: Media): JsonValue => {
    const { attached, media: all, agent: actor } = this.#work;
    const bytes = bytesOf(media);
    // Text is what hooks, journal and people can read: it is part of the result itself.
    if (isTextual(media.mediaType)) return textOf(media);
    if (!allowedMedia.has(media.mediaType)) return `[${media.mediaType}, ${bytes} bytes, left out: it is not taken]`;
    const { mediaBytes } = actor.parts.limits;
    if (attached.bytes + bytes > mediaBytes) {
      return `[${media.mediaType}, ${bytes} bytes, left out: a turn takes ${mediaBytes} bytes]`;
    }
    attached.bytes += bytes;
    const note = `[${media.mediaType}, ${bytes} bytes, attached as media-${++attached.count}]`;
    const own = all.get(this.call.id) ?? new Map<string, Media>();
    all.set(this.call.id, own.set(note, media));
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

/** The `finish` tool ends the turn with its result, if that is what was asked for. */
async function finishTurn(work: TurnWork, result: CallResult): Promise<CallResult> {
  const { schema } = work.request;
  if (schema !== undefined) {
    const fit = await schema.checkData(result.value);
    work.problem = fit.problem;
    if (fit.problem !== undefined) {
      if (work.misfits++ >= maxMismatches) work.stopped ??= { stopReason: 'schema_mismatch', text: result.text };
      return { ...result, isError: true, text: `The result does not fit the schema: ${fit.problem}` };
    }
    work.data = fit.data;
  }
  work.stopped ??= { stopReason: 'finished', text: result.text };
  return result;
}

/** A result as the model is sent it, with those media of its call that it still mentions after the hooks. */
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

/** Media as text, so that a session can be saved and nobody can change what was sent. */
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
