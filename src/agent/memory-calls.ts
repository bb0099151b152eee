/** Asking memory before a turn and telling it afterwards. Whatever goes wrong there is told, and the turn goes on. */

import { deadlinesOf, timedOut, within } from '../deadlines.ts';
import { messageOf } from '../errors.ts';
import type { TurnOutput } from '../hooks/payloads.ts';
import { cutToBytes } from '../json.ts';
import type { MemoryFacts } from './memory.ts';
import type { TurnWork } from './turn-work.ts';

const memoryTimeoutMs = 10_000;

export async function recall(work: TurnWork): Promise<void> {
  const { memory, limits } = work.actor.parts;
  if (memory?.preTurnContext === undefined) return;
  const said = await inTime(work, () => untilCancelled(work, memory.preTurnContext?.(work.prompt, factsOf(work))));
  if (said === undefined) return;
  if (typeof said !== 'string') return failed(work, `preTurnContext gave ${typeof said}, not a text`);
  if (said.trim() === '') return;
  const text = `What you remember:\n${cutToBytes(said, limits.promptBytes)}`;
  // Not a system message: what was once heard is no instruction.
  work.context = { role: 'user', content: [{ type: 'text', text }] };
}

export async function observe(work: TurnWork, output: TurnOutput): Promise<void> {
  const { memory } = work.actor.parts;
  if (memory?.postTurnObserve === undefined) return;
  const turn = Object.freeze({ input: work.prompt, output });
  await inTime(work, () => memory.postTurnObserve?.(turn, factsOf(work)));
}

/** Nobody waits for what a turn should know once it is cancelled. */
function untilCancelled({ turn }: TurnWork, given: unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const forget = turn.whenCancelled(() => resolve(undefined));
    Promise.resolve(given).then(resolve, reject).finally(forget);
  });
}

async function inTime(work: TurnWork, call: () => unknown): Promise<unknown> {
  try {
    const deadlines = deadlinesOf(work.actor.parts.clock);
    const given = await within(Promise.resolve(call()), memoryTimeoutMs, { deadlines });
    if (given !== timedOut) return given;
    failed(work, `memory did not answer within ${memoryTimeoutMs} ms`);
  } catch (error) {
    failed(work, messageOf(error));
  }
  return undefined;
}

function failed({ turn }: TurnWork, message: string): void {
  turn.emit(() => ({ type: 'memory_failed', message }));
}

function factsOf({ turn, actor }: TurnWork): MemoryFacts {
  const { session } = actor.facts;
  return {
    session,
    turn: turn.number,
    get signal() {
      return turn.signal;
    },
  };
}
