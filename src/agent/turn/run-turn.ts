/**
 * Runs one turn from prompt to result: enter, recall memory, run the loop, settle. Used by `chat`, `stream` and runs.
 */

import { BridleError, messageOf } from '../../kernel/errors.ts';
import { TimedWait } from '../../kernel/deadlines.ts';
import type { TurnOutput } from '../../kernel/hooks/points/payloads.ts';
import type { AgentInSession } from './agent-in-session.ts';
import { observeTurn, recallMemory } from './memory.ts';
import type { ModelMessage } from '../model/model-interface.ts';
import { runLoop } from './run-loop.ts';
import { filePartOf } from './call-context.ts';
import { fillPending } from './tool-step.ts';
import type { StopReason, TurnResult } from './turn-result.ts';
import { type TurnRequest, TurnWork } from './turn-work.ts';
import type { SessionBudget } from '../budget/session-budget.ts';
import type { History } from '../model/history.ts';

/** A turn in progress. */
export interface RunningTurn {
  readonly number: number;
  readonly result: Promise<TurnResult>;
  cancel(): void;
}

export function runTurn(agent: AgentInSession, request: TurnRequest): RunningTurn {
  const turn = agent.own.newTurn(request.origin, request.log?.resumed?.place);
  const work = new TurnWork(agent, turn, request);
  return { number: turn.number, result: new TurnRun(work).run(), cancel: () => turn.cancel() };
}

class TurnRun extends TimedWait {
  private timeLimit: SessionBudget['timeLimit'];

  constructor(private readonly work: TurnWork) {
    super();
  }

  async run(): Promise<TurnResult> {
    const { turn, request } = this.work;
    const cancel = (): void => turn.cancel();
    request.signal?.addEventListener('abort', cancel, { once: true });
    if (request.signal?.aborted === true) cancel();
    try {
      const result = await this.result();
      turn.end({ stopReason: result.stopReason, usage: result.usage });
      return result;
    } catch (error) {
      turn.end({ stopReason: 'error', error: messageOf(error), usage: this.work.usage });
      throw error;
    } finally {
      request.signal?.removeEventListener('abort', cancel);
    }
  }

  private async result(): Promise<TurnResult> {
    const { work } = this;
    const { turn } = work;
    // A turn that is cancelled before it starts does not reach any hook.
    if (turn.isCancelled) return this.toResult(this.output('cancelled', 'The turn was cancelled.'));
    const rejected = await this.enter();
    if (rejected !== undefined) return this.toResult(this.output('rejected', rejected));
    let output: TurnOutput;
    try {
      output = await this.runWithinTimeLimit();
    } catch (error) {
      this.cleanHistory();
      return this.toResult(await this.replaceError(error));
    }
    // The turn has not ended. It ends after a resume.
    if (output.stopReason === 'waiting') return this.toResult(output);
    this.cleanHistory();
    // Only now do all open calls have an outcome.
    output = Object.freeze({ ...output, toolCalls: Object.freeze([...work.settled]) });
    if (work.agent.parts.memory !== undefined) await observeTurn(work, output);
    return this.toResult(turn.hasHooks('postTurn') ? await this.reviewOutput(output) : output, output);
  }

  /**
   * Enters the turn with its prompt, or restores a turn that another process left. Returns a reason if the turn is
   * rejected.
   */
  private async enter(): Promise<string | undefined> {
    const { work } = this;
    const { log, prompt } = work.request;
    if (log?.resumed !== undefined) {
      work.restore(log.resumed, log.settled);
      return undefined;
    }
    const entered = await work.turn.enter(prompt);
    if (entered.type === 'rejected') return entered.reason;
    work.prompt = entered.prompt;
    const { text, media } = entered.prompt;
    return text.trim() === '' && media.length === 0 ? 'The prompt is empty.' : undefined;
  }

  /** Only the turn of the root agent has a time limit: subagents work within it. */
  private async runWithinTimeLimit(): Promise<TurnOutput> {
    const { work } = this;
    const { agent } = work;
    const { budget } = agent.usage;
    const { clock, deadlines } = agent.parts;
    if (agent.own.path.length > 1) return this.runLoop();
    const started = clock.now();
    this.timeLimit = budget.timeLimit;
    if (this.timeLimit !== undefined) deadlines.set(this, this.timeLimit.leftMs);
    try {
      return await this.runLoop();
    } finally {
      await budget.endTurn(clock.now() - started);
      if (this.timeLimit !== undefined) deadlines.clear(this);
    }
  }

  /** Called when the time limit of the turn is reached. */
  override expire(): void {
    const { work, timeLimit } = this;
    const { limit = 'wallMs', of = this.limitMs } = timeLimit ?? {};
    work.stopped ??= {
      stopReason: `budget:${limit}`,
      text: `Stopped because the budget is used up: the limit ${limit} is ${of}.`,
    };
    work.turn.emit(() => ({ type: 'budget_exceeded', limit, used: of, of }));
    work.turn.cancel();
  }

  private async runLoop(): Promise<TurnOutput> {
    const { work } = this;
    try {
      work.checkOpen();
      if (work.request.log?.resumed === undefined) await this.begin();
      await runLoop(work);
      work.checkOpen();
      work.ended = true;
      return this.output(stopReasonOf(work), work.text);
    } catch (error) {
      if (work.turn.isCancelled) work.stopped ??= { stopReason: 'cancelled', text: 'The turn was cancelled.' };
      if (work.stopped === undefined) throw error;
      return this.output(work.stopped.stopReason, work.stopped.text);
    }
  }

  private async begin(): Promise<void> {
    const { work } = this;
    if (work.agent.parts.memory !== undefined) await recallMemory(work);
    work.agent.own.history.append(userMessage(work));
    await work.log('entered');
  }

  /** Leaves the history valid, and removes the turn from it if the model gave no answer. */
  private cleanHistory(): void {
    const { work } = this;
    const { history } = work.agent.own;
    fillPending(work);
    if (work.stopped?.stopReason === 'rejected') withholdResults(history);
    const answered = history.messages.length > work.mark + 1;
    if (!answered && !work.ended) history.truncate(work.mark);
  }

  private async replaceError(error: unknown): Promise<TurnOutput> {
    const { work } = this;
    const result = await work.turn.dispatch('onTurnError', Object.freeze({ input: work.prompt, error }));
    if (result.type === 'answered' && result.action.type === 'replace') return result.action.value;
    if (result.type === 'failed') throw new BridleError('HOOK_FATAL', result.reason, { cause: error });
    throw error;
  }

  private async reviewOutput(output: TurnOutput): Promise<TurnOutput> {
    const { work } = this;
    const result = await work.turn.dispatch('postTurn', Object.freeze({ input: work.prompt, output }));
    if (result.type === 'failed') throw new BridleError('HOOK_FATAL', result.reason);
    return result.type === 'passed' ? (result.payload?.output ?? output) : output;
  }

  private output(stopReason: StopReason, text: string): TurnOutput {
    const { thinking, steps, usage } = this.work;
    return { text, thinking, steps, usage, stopReason };
  }

  /** Leaves out `data` if a hook changed the text it was parsed from. */
  private toResult(output: TurnOutput, unreviewed = output): TurnResult {
    const { work } = this;
    const { problem, cost, turn } = work;
    const data = output.text === unreviewed.text ? work.data : undefined;
    const { text, thinking, steps, usage, stopReason } = output;
    const toolCalls = Object.freeze([...work.settled]);
    return { text, thinking, steps, usage, stopReason, toolCalls, turn: turn.number, data, problem, cost };
  }
}

function stopReasonOf({ request, problem, finishReason }: TurnWork): StopReason {
  if (request.schema !== undefined && problem !== undefined) return 'schema_mismatch';
  if (finishReason === 'length') return 'length';
  return finishReason === 'content-filter' ? 'content_filter' : 'end';
}

function userMessage({ prompt }: TurnWork): ModelMessage {
  const { text, media } = prompt;
  const textParts = text.trim() === '' ? [] : [{ type: 'text' as const, text }];
  return { role: 'user', content: [...textParts, ...media.map(filePartOf)] };
}

/**
 * Replaces tool results that a hook refused to send to the model. Left in the history, they would block every later
 * turn.
 */
function withholdResults(history: History): void {
  const last = history.messages.at(-1);
  if (last?.role !== 'tool') return;
  const value = 'The tool ran, but its result was withheld because a hook refused to send it to the model.';
  const content = last.content.map((part) =>
    part.type === 'tool-result' ? { ...part, output: { type: 'error-text', value } as const } : part,
  );
  history.truncate(history.messages.length - 1);
  history.append({ role: 'tool', content });
}
