/** Runs the core of a turn: hands it guarded handles, and makes its answer the answer of the turn. */

import { BridleError } from '../errors.ts';
import type { LlmResponse, Message } from '../hooks/payloads.ts';
import { takeAnswer } from './core-answer.ts';
import { CoreText } from './core-text.ts';
import { type Core, type CoreHandles, loop } from './core.ts';
import { generate } from './model-step.ts';
import { callTools, resumeTools } from './tool-step.ts';
import type { TurnWork } from './turn-work.ts';

/** Afterwards the text of the turn is in `work.text`, streamed and in the history. */
export async function runCore(work: TurnWork): Promise<void> {
  const { core } = work.actor.parts;
  if (core !== loop) return new CoreTurn(work, core).run();
  // The built-in loop ends with the handle it waits for, and that ends with the turn.
  if (!(await wentOn(work))) await loop.run(handlesOf(work, atOnce));
}

/** One turn of a custom core. A core that continues after a cancel is left behind once its handles have settled. */
class CoreTurn {
  private readonly begun = new Set<Promise<unknown>>();
  private readonly handles: CoreHandles;

  constructor(
    private readonly work: TurnWork,
    private readonly core: Core,
  ) {
    this.handles = handlesOf(work, inOrder(this.begun));
  }

  async run(): Promise<void> {
    const { work, core, handles } = this;
    let feedback: string | undefined;
    for (let attempt = 1; ; attempt++) {
      const text = new CoreText(work, attempt);
      const again = feedback;
      const given = await this.untilCancelled(async () => {
        const answer = await (again === undefined ? core.run(handles) : core.revise?.(again, handles));
        return text.read(answer);
      });
      work.checkOpen();
      feedback = await takeAnswer(work, text, given);
      if (feedback === undefined) return;
    }
  }

  private async untilCancelled<T>(begin: () => Promise<T>): Promise<T> {
    const { work, begun } = this;
    let forget: (() => void) | undefined;
    const left = new Promise<never>((_resolve, reject) => {
      const stopped = (): void => reject(new BridleError('TURN_STOPPED', 'the turn was cancelled'));
      forget = work.turn.whenCancelled(() => void settledAll(begun).then(stopped));
    });
    try {
      const done = await Promise.race([begin(), left]);
      // Handles that a core has called and not waited for still belong to this turn.
      await settledAll(begun);
      return done;
    } finally {
      forget?.();
    }
  }
}

/** Where a turn goes on: first the calls that are still open. True if the last answer was the last one. */
async function wentOn(work: TurnWork): Promise<boolean> {
  const { log } = work.request;
  if (log?.resumed === undefined || work.steps === 0) return false;
  if (work.calls.length === 0) return true;
  const open = work.calls.filter(({ id }) => work.pending.has(id) && !work.results.has(id));
  if (work.pending.size > 0) await resumeTools(work, open);
  return false;
}

async function settledAll(begun: ReadonlySet<Promise<unknown>>): Promise<void> {
  while (begun.size > 0) await Promise.allSettled(begun);
}

/** How a core's handles run: calls one after another, and nothing is asked of the model while one runs. */
interface HandleRunner {
  readonly generate: <T>(begin: () => Promise<T>) => Promise<T>;
  readonly call: <T>(begin: () => Promise<T>) => Promise<T>;
}

const atOnce: HandleRunner = { generate: (begin) => begin(), call: (begin) => begin() };

function inOrder(begun: Set<Promise<unknown>>): HandleRunner {
  let calls: Promise<unknown> = Promise.resolve();
  return {
    generate: (begin) => tracked(begun, calls.then(begin, begin)),
    call: (begin) => {
      const call = calls.then(begin, begin);
      calls = call;
      return tracked(begun, call);
    },
  };
}

function handlesOf(work: TurnWork, runner: HandleRunner): CoreHandles {
  const { turn, actor } = work;
  const { session, path, instructions } = actor.facts;
  return {
    prompt: work.prompt,
    get messages() {
      return Object.freeze(actor.facts.history.snapshot()) as readonly unknown[] as readonly Message[];
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
    generate: (request) => runner.generate(() => generateOnce(work, request)),
    call: (calls) => runner.call(() => callTools(work, listed(calls))),
    ask: (questions) => turn.ask(questions),
    emit: (name, data) => {
      // Readers of the stream expect nothing after the end of the turn.
      if (work.stopped === undefined && !turn.isCancelled) turn.emitCustom(name, data);
    },
  };
}

/** A model that failed has failed the turn, also where a core goes on as if nothing had happened. */
async function generateOnce(work: TurnWork, request: Parameters<CoreHandles['generate']>[0]): Promise<LlmResponse> {
  try {
    return await generate(work, request);
  } catch (error) {
    if (work.stopped === undefined && !work.turn.isCancelled) work.failure ??= { error };
    throw error;
  }
}

function tracked<T>(begun: Set<Promise<unknown>>, work: Promise<T>): Promise<T> {
  begun.add(work);
  const done = (): unknown => begun.delete(work);
  work.then(done, done);
  return work;
}

/** A single call would be read as a list without calls, and nothing would run. */
function listed<Call>(calls: readonly Call[]): readonly Call[] {
  if (Array.isArray(calls)) return calls;
  throw new BridleError('OPTION_INVALID', 'call takes a list of tool calls: call([{ id, tool, args }])');
}
