/** Runs the core of a turn: hands it guarded handles, and makes its answer the answer of the turn. */

import { BridleError } from '../../kernel/errors.ts';
import type { LlmResponse, Message } from '../../kernel/hooks/points/payloads.ts';
import { acceptAnswer } from './loop-answer.ts';
import { LoopText } from './loop-text.ts';
import { type AgentLoop, type LoopHandles, defaultLoop } from './state/agent-loop.ts';
import { generate } from './steps/model-step.ts';
import { callTools, resumeTools } from './steps/tool-step.ts';
import type { TurnWork } from './state/turn-work.ts';

/** Afterwards the text of the turn is in `work.text`, streamed and in the history. */
export async function runLoop(work: TurnWork): Promise<void> {
  const { loop: core } = work.agent.parts;
  if (core !== defaultLoop) return new LoopTurn(work, core).run();
  // The built-in loop ends with the handle it waits for, and that ends with the turn.
  if (!(await resumeOpenCalls(work))) await defaultLoop.run(handlesOf(work, immediateRunner));
}

/** One turn of a custom core. A core that continues after a cancel is left behind once its handles have settled. */
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
    const { work, loop: core, handles } = this;
    let feedback: string | undefined;
    for (let attempt = 1; ; attempt++) {
      const text = new LoopText(work, attempt);
      const again = feedback;
      const given = await this.untilCancelled(async () => {
        const answer = await (again === undefined ? core.run(handles) : core.revise?.(again, handles));
        return text.read(answer);
      });
      work.checkOpen();
      feedback = await acceptAnswer(work, text, given);
      if (feedback === undefined) return;
    }
  }

  private async untilCancelled<T>(begin: () => Promise<T>): Promise<T> {
    const { work, started: begun } = this;
    let forget: (() => void) | undefined;
    const left = new Promise<never>((_resolve, reject) => {
      const stopped = (): void => reject(new BridleError('TURN_STOPPED', 'the turn was cancelled'));
      forget = work.turn.whenCancelled(() => void allSettled(begun).then(stopped));
    });
    try {
      const done = await Promise.race([begin(), left]);
      // Handles that a core has called and not waited for still belong to this turn.
      await allSettled(begun);
      return done;
    } finally {
      forget?.();
    }
  }
}

/** Where a turn goes on: first the calls that are still open. True if the last answer was the last one. */
async function resumeOpenCalls(work: TurnWork): Promise<boolean> {
  const { log } = work.request;
  if (log?.resumed === undefined || work.steps === 0) return false;
  if (work.calls.length === 0) return true;
  const open = work.calls.filter(({ id }) => work.pending.has(id) && !work.results.has(id));
  if (work.pending.size > 0) await resumeTools(work, open);
  return false;
}

async function allSettled(started: ReadonlySet<Promise<unknown>>): Promise<void> {
  while (started.size > 0) await Promise.allSettled(started);
}

/** How a core's handles run: calls one after another, and nothing is asked of the model while one runs. */
interface HandleRunner {
  readonly generate: <T>(begin: () => Promise<T>) => Promise<T>;
  readonly call: <T>(begin: () => Promise<T>) => Promise<T>;
}

const immediateRunner: HandleRunner = { generate: (begin) => begin(), call: (begin) => begin() };

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
  const { turn, agent: actor } = work;
  const { session, path, instructions } = actor.own;
  return {
    prompt: work.prompt,
    get messages() {
      return Object.freeze(actor.own.history.snapshot()) as readonly unknown[] as readonly Message[];
    },
    get signal() {
      return turn.signal;
    },
    sessionId: session,
    turnNumber: turn.number,
    agent: path,
    instructions,
    get tools() {
      return actor.listing.listed;
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

/** A model that failed has failed the turn, also where a core goes on as if nothing had happened. */
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

/** A single call would be read as a list without calls, and nothing would run. */
function requireList<Call>(calls: readonly Call[]): readonly Call[] {
  if (Array.isArray(calls)) return calls;
  throw new BridleError('OPTION_INVALID', 'call takes a list of tool calls: call([{ id, tool, args }])');
}
