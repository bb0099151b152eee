/** Calls the agent's memory before and after a turn. A failure emits an event; the turn continues. */

import type { TurnOutput } from '../../kernel/hooks/points/payloads.ts';
import { timedOut, withTimeout } from '../../kernel/deadlines.ts';
import { messageOf } from '../../kernel/errors.ts';
import { cutToBytes } from '../../kernel/json.ts';
import type { MemoryFacts } from './agent-in-session.ts';
import type { TurnWork } from './turn-work.ts';

const memoryTimeoutMs = 10_000;

export async function recallMemory(work: TurnWork): Promise<void> {
  const { memory, limits } = work.agent.parts;
  if (memory?.preTurnContext === undefined) return;
  const recalled = await callMemory(work, () =>
    untilCancelled(work, memory.preTurnContext?.(work.prompt, memoryFactsOf(work))),
  );
  if (recalled === undefined) return;
  if (typeof recalled !== 'string')
    return emitFailure(work, `preTurnContext returned ${typeof recalled} instead of a string`);
  if (recalled.trim() === '') return;
  const text = `What you remember:\n${cutToBytes(recalled, limits.promptBytes)}`;
  // Not a system message, because remembered text must not become an instruction.
  work.context = { role: 'user', content: [{ type: 'text', text }] };
}

export async function observeTurn(work: TurnWork, output: TurnOutput): Promise<void> {
  const { memory } = work.agent.parts;
  if (memory?.postTurnObserve === undefined) return;
  const turn = Object.freeze({ input: work.prompt, output });
  await callMemory(work, () => memory.postTurnObserve?.(turn, memoryFactsOf(work)));
}

/** Resolves with undefined if the turn is cancelled first. */
function untilCancelled({ turn }: TurnWork, result: unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const unsubscribe = turn.whenCancelled(() => resolve(undefined));
    Promise.resolve(result).then(resolve, reject).finally(unsubscribe);
  });
}

async function callMemory(work: TurnWork, call: () => unknown): Promise<unknown> {
  try {
    const { deadlines } = work.agent.parts;
    const result = await withTimeout(Promise.resolve(call()), memoryTimeoutMs, { deadlines });
    if (result !== timedOut) return result;
    emitFailure(work, `memory did not answer within ${memoryTimeoutMs} ms`);
  } catch (error) {
    emitFailure(work, messageOf(error));
  }
  return undefined;
}

function emitFailure({ turn }: TurnWork, message: string): void {
  turn.emit(() => ({ type: 'memory_failed', message }));
}

function memoryFactsOf({ turn, agent }: TurnWork): MemoryFacts {
  const { session } = agent.own;
  return {
    session,
    turn: turn.number,
    get signal() {
      return turn.signal;
    },
  };
}
