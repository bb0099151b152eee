/** Runs the tool calls of one answer through the guard, and records their results for the model. */

import type { Tier, ToolCall } from '../../kernel/call.ts';
import { BridleError } from '../../kernel/errors.ts';
import type { CallResult } from '../../kernel/guard/calls/call-result.ts';
import type { RunContext, ToolHost } from '../../kernel/guard/calls/run-tool.ts';
import type { RequestedCall } from '../../kernel/hooks/points/payloads.ts';
import type { ResultPart } from '../model/model-interface.ts';
import { CallContext, resultPartOf } from './call-context.ts';
import { runCalls } from './run-calls.ts';
import { maxMismatches } from './structured-output.ts';
import { notRunCallOf, settledCallOf } from './turn-result.ts';
import type { TurnWork } from './turn-work.ts';

/** Results are in the order of the calls. */
export async function callTools(work: TurnWork, calls: readonly RequestedCall[]): Promise<readonly CallResult[]> {
  work.checkOpen();
  // If the process is killed after this, a resumed session must not reuse the idempotency keys of these calls.
  const saving = work.checkpointed || work.request.log !== undefined ? undefined : work.checkpoint();
  if (saving !== undefined) await saving;
  try {
    const [only] = calls;
    if (only !== undefined && calls.length === 1) return [await runCall(work, only)];
    return await runCalls(
      calls,
      (call) => tierOf(work, call),
      (call) => runCall(work, call),
    );
  } finally {
    if (work.stopped?.stopReason !== 'waiting' && hasAllResults(work)) fillPending(work);
    if (work.stopped !== undefined) work.checkOpen();
  }
}

async function runCall(work: TurnWork, requested: RequestedCall): Promise<CallResult> {
  const { id, tool, server, args } = requested;
  work.checkOpen();
  const call = { id, tool, server, args };
  const isInterrupted = work.logged?.started.has(id) === true;
  const result = isInterrupted ? await work.turn.settle(call, interrupted) : await guardCall(work, call);
  if (result.type === 'denied' && result.status === 'suspended') return suspendCall(work, id, result.reason);
  const part = resultPartOf(work, id, isFinish(result) ? await finishTurn(work, result) : result);
  work.settled.push(settledCallOf(result, work.agent.parts.mask));
  if (work.pending.has(id)) work.pending.set(id, part);
  if (work.logged !== undefined) {
    work.logged.started.delete(id);
    work.logged.counted.delete(id);
    await work.log('settled', id);
  }
  return result;
}

/** Suspends the turn at a call that waits for approval. The call starts over, and counts, when the run is resumed. */
async function suspendCall(work: TurnWork, id: string, reason: string): Promise<never> {
  await work.agent.usage.budget.uncountToolCall();
  work.logged?.counted.delete(id);
  await work.log('asked', id);
  return work.stop('waiting', reason);
}

function hasAllResults({ pending }: TurnWork): boolean {
  for (const open of pending.values()) if (typeof open === 'string') return false;
  return true;
}

/**
 * Appends one message with a result for every open call, in the order of the calls. A call that did not run gets a
 * result that says so, because models refuse a history in which a call has no result.
 */
export function fillPending(work: TurnWork): void {
  const { pending, turn, agent } = work;
  if (pending.size === 0) return;
  const content: ResultPart[] = [];
  for (const [toolCallId, open] of pending) {
    if (typeof open !== 'string') {
      content.push(open);
      continue;
    }
    const why = work.stopped?.text ?? (turn.isCancelled ? 'The turn was cancelled.' : 'It was skipped.');
    const call = work.calls.find(({ id }) => id === toolCallId) ?? { id: toolCallId, tool: open, args: null };
    work.settled.push(notRunCallOf(call, { step: turn.step, reason: why }, agent.parts.mask));
    const output = { type: 'error-text', value: `The call did not run. ${why}` } as const;
    content.push({ type: 'tool-result', toolCallId, toolName: open, output });
  }
  pending.clear();
  agent.own.history.append({ role: 'tool', content });
}

function tierOf({ agent }: TurnWork, { server, tool }: RequestedCall): Tier {
  return agent.listing.tierOf(server, tool);
}

const interrupted = {
  type: 'interrupted',
  value:
    'The call was interrupted: the process that ran it ended. It may have taken effect, completely or in part, and was ' +
    'not repeated. Check its effects before you call it again.',
} as const;

/** Continues the open calls of an answer. Calls that started and cannot be repeated are reported as interrupted. */
export async function resumeTools(work: TurnWork, open: readonly RequestedCall[]): Promise<void> {
  const { log } = work.request;
  log?.continueCalls(
    work.position,
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

async function guardCall(work: TurnWork, call: RequestedCall): Promise<CallResult> {
  const counting = work.agent.usage.budget.countToolCall();
  // Without a shared budget, an allowed call is counted without waiting.
  const reached = counting === undefined ? undefined : await counting;
  if (reached !== undefined) return work.stopForLimit(reached);
  // A counted call runs even if a call next to it has stopped the turn meanwhile: nobody else can use its count.
  if (counting !== undefined && work.turn.isCancelled) {
    await work.agent.usage.budget.uncountToolCall();
    work.checkOpen();
  }
  work.logged?.counted.add(call.id);
  const host = new AgentToolHost(work, work.logged !== undefined && !isRepeatable(work, call));
  const result = await work.turn.guard(call, host);
  // A cancelled or timed-out call has its result immediately, but its subagent still has to end.
  if (host.subagent !== undefined) await Promise.allSettled([host.subagent]);
  return result;
}

/** Runs one call once the guard has allowed it. */
class AgentToolHost implements ToolHost {
  /** Set if the call started a subagent. */
  subagent: Promise<string> | undefined;

  constructor(
    private readonly work: TurnWork,
    /** True if the log must know of the call before it starts, because it cannot be repeated. */
    private readonly runsOnce: boolean,
  ) {}

  run(call: ToolCall, context: RunContext): unknown {
    const { work } = this;
    if (isSubagentCall(work, call)) return (this.subagent = delegate(work, call, context.signal));
    return this.runsOnce ? this.runLogged(call, context) : runTool(work, call, context);
  }

  private async runLogged(call: ToolCall, context: RunContext): Promise<unknown> {
    this.work.logged?.started.add(call.id);
    await this.work.log('begun', call.id);
    // The call may have been cancelled while the checkpoint was saved.
    if (context.signal.aborted) throw new BridleError('TURN_STOPPED', 'the call was cancelled before it started');
    return runTool(this.work, call, context);
  }
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
  const log = request.log?.child(work.position, id);
  // The tool's schema guarantees that both are strings.
  return agent.own.delegate({ name: agentName as string, prompt: prompt as string, turn, signal, log });
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
