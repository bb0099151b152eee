/** Runs the loop of a turn: passes it guarded handles, and makes its answer the answer of the turn. */

import { BridleError } from '../../kernel/errors.ts';
import type { LlmResponse, Message } from '../../kernel/hooks/points/payloads.ts';
import { acceptAnswer, LoopText } from './loop-answer.ts';
import { type AgentLoop, defaultLoop, type LoopHandles, runDefaultLoop } from './agent-loop.ts';
import { generate } from './model-step.ts';
import { callTools, resumeTools } from './tool-step.ts';
import type { TurnWork } from './turn-work.ts';

/** Afterwards, the text of the turn is in `work.text`, has been streamed, and is in the history. */
export async function runLoop(work: TurnWork): Promise<void> {
  const { loop } = work.agent.parts;
  if (loop !== defaultLoop) return new LoopTurn(work, loop).run();
  if (work.request.log?.resumed !== undefined && (await resumeOpenCalls(work))) return;
  // The built-in loop needs no extra cancellation: every handle it awaits ends with the turn.
  await runDefaultLoop({ generate: () => generate(work), call: (calls) => callTools(work, calls) });
}

/** One turn of a custom loop. If the loop continues after a cancel, the turn waits only for its handles to settle. */
class LoopTurn {
  private readonly started = new Set<Promise<unknown>>();
  private readonly handles: LoopHandles;

  constructor(
    private readonly work: TurnWork,
    private readonly loop: AgentLoop,
  ) {
    this.handles = handlesOf(work, createSequentialRunner(this.started));
  }

  async run(): Promise<void> {
    const { work, loop, handles } = this;
    let feedback: string | undefined;
    for (let attempt = 1; ; attempt++) {
      const text = new LoopText(work, attempt);
      const lastFeedback = feedback;
      const answerText = await this.untilCancelled(async () => {
        const answer = await (lastFeedback === undefined ? loop.run(handles) : loop.revise?.(lastFeedback, handles));
        return text.read(answer);
      });
      work.checkOpen();
      feedback = await acceptAnswer(work, text, answerText);
      if (feedback === undefined) return;
    }
  }

  private async untilCancelled<T>(begin: () => Promise<T>): Promise<T> {
    const { work, started } = this;
    let unsubscribe: (() => void) | undefined;
    const cancelled = new Promise<never>((_resolve, reject) => {
      const stopped = (): void => reject(new BridleError('TURN_STOPPED', 'the turn was cancelled'));
      unsubscribe = work.turn.whenCancelled(() => void allSettled(started).then(stopped));
    });
    try {
      const result = await Promise.race([begin(), cancelled]);
      // Handles that the loop called without awaiting them still belong to this turn.
      await allSettled(started);
      return result;
    } finally {
      unsubscribe?.();
    }
  }
}

/** Runs the open calls of a resumed turn. Returns true if the model had already given its final answer. */
async function resumeOpenCalls(work: TurnWork): Promise<boolean> {
  if (work.steps === 0) return false;
  if (work.calls.length === 0) return true;
  const open = work.calls.filter(({ id }) => typeof work.pending.get(id) === 'string');
  if (work.pending.size > 0) await resumeTools(work, open);
  return false;
}

async function allSettled(started: ReadonlySet<Promise<unknown>>): Promise<void> {
  while (started.size > 0) await Promise.allSettled(started);
}

/** Runs the handles of a custom loop: tool calls one after another, and no model call while one is running. */
interface HandleRunner {
  readonly generate: <T>(begin: () => Promise<T>) => Promise<T>;
  readonly call: <T>(begin: () => Promise<T>) => Promise<T>;
}

function createSequentialRunner(started: Set<Promise<unknown>>): HandleRunner {
  let calls: Promise<unknown> = Promise.resolve();
  return {
    generate: (begin) => track(started, calls.then(begin, begin)),
    call: (begin) => {
      const call = calls.then(begin, begin);
      calls = call;
      return track(started, call);
    },
  };
}

function handlesOf(work: TurnWork, runner: HandleRunner): LoopHandles {
  const { turn, agent } = work;
  const { session, path, instructions } = agent.own;
  return {
    prompt: work.prompt,
    get messages() {
      return Object.freeze(agent.own.history.snapshot()) as readonly unknown[] as readonly Message[];
    },
    get signal() {
      return turn.signal;
    },
    sessionId: session,
    turnNumber: turn.number,
    agent: path,
    instructions,
    get tools() {
      return agent.listing.listed;
    },
    generate: (request) => runner.generate(() => generateRecordingFailure(work, request)),
    call: (calls) => runner.call(() => callTools(work, requireList(calls))),
    ask: (questions) => turn.ask(questions),
    emit: (name, data) => {
      // Readers of the stream expect nothing after the end of the turn.
      if (work.stopped === undefined && !turn.isCancelled) turn.emitCustom(name, data);
    },
  };
}

/** A failed model call fails the turn, even if the loop catches the error. */
async function generateRecordingFailure(
  work: TurnWork,
  request: Parameters<LoopHandles['generate']>[0],
): Promise<LlmResponse> {
  try {
    return await generate(work, request);
  } catch (error) {
    if (work.stopped === undefined && !work.turn.isCancelled) work.failure ??= { error };
    throw error;
  }
}

function track<T>(started: Set<Promise<unknown>>, work: Promise<T>): Promise<T> {
  started.add(work);
  const done = (): unknown => started.delete(work);
  work.then(done, done);
  return work;
}

/** Without this check, a single call instead of a list would be ignored silently. */
function requireList<Call>(calls: readonly Call[]): readonly Call[] {
  if (Array.isArray(calls)) return calls;
  throw new BridleError('OPTION_INVALID', 'call: pass a list of tool calls, such as call([{ id, tool, args }])');
}
