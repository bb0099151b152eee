/** What must be true whatever has failed: turns ended once, a conversation that models take, nothing that ran unasked. */

import type { BridleEvent } from 'bridle';
import { expect } from 'vitest';
import { settled } from '../rigs/agent-rig.ts';
import { conversationProblems, promptProblems } from '../rigs/conversation.ts';
import { callName, type PluggedAgent } from './plugged-agent.ts';

/** Everything that is wrong after something has failed; nothing if the agent is unharmed. */
export function problemsAfter(rig: PluggedAgent): readonly string[] {
  return [...turnProblems(rig.events), ...callProblems(rig), ...eventProblems(rig.events), ...sentProblems(rig)];
}

/** The same while the agent still runs: its history is valid, and its next turn works. */
export async function expectUnharmed(rig: PluggedAgent): Promise<void> {
  const { agent, events } = rig;
  expect(conversationProblems(agent.history)).toEqual([]);
  expect(problemsAfter(rig)).toEqual([]);
  const before = events.length;
  await settled();
  expect(events.slice(before)).toEqual([]);
  const next = await agent.chat('And now?');
  expect(next.stopReason).toMatch(/^(end|rejected)$/);
  expect(conversationProblems(agent.history)).toEqual([]);
  expect(problemsAfter(rig)).toEqual([]);
}

/** Every turn that has begun has ended once, and nothing more is told of it. */
function turnProblems(events: readonly BridleEvent[]): readonly string[] {
  const begun = events.filter(({ type }) => type === 'turn_started').map(({ turn }) => turn);
  return begun.flatMap((turn) => {
    // What a tool gives too late is told when it comes.
    const own = events.filter((event) => event.turn === turn && event.type !== 'tool_late');
    const ends = own.filter(({ type }) => type === 'turn_ended').length;
    if (ends !== 1) return [`turn ${turn} has ended ${ends} times`];
    return own.at(-1)?.type === 'turn_ended' ? [] : [`turn ${turn} goes on with ${own.at(-1)?.type} after its end`];
  });
}

const count = (list: readonly string[], name: string): number => list.filter((each) => each === name).length;

/** What ran was allowed, once, before it ran; and it was settled once. */
function callProblems({ journal, ran }: PluggedAgent): readonly string[] {
  const entries = journal.entries();
  const named = (kind: string, ...statuses: readonly string[]): readonly string[] =>
    entries.flatMap((entry) =>
      entry.kind === kind && (statuses.length === 0 || statuses.includes(entry.status)) && 'call' in entry
        ? [callName({ ...entry, call: String(entry.call) })]
        : [],
    );
  const allowed = named('decided', 'allowed', 'approved');
  const settledCalls = named('settled');
  return [
    ...ran.filter((name) => count(allowed, name) !== 1).map((name) => `${name} ran and was not allowed once`),
    ...ran.filter((name) => count(ran, name) !== 1).map((name) => `${name} ran more than once`),
    ...ran.filter((name) => count(settledCalls, name) !== 1).map((name) => `${name} ran and was not settled once`),
    ...settledCalls.filter((name) => count(allowed, name) !== 1).map((name) => `${name} settled and was not allowed`),
  ];
}

/** Events are numbered without a gap, and a call that is told to start is told to end. */
function eventProblems(events: readonly BridleEvent[]): readonly string[] {
  const gap = events.findIndex(({ seq }, index) => seq !== index);
  const open = new Map<string, number>();
  for (const event of events) {
    if (event.type !== 'tool_started' && event.type !== 'tool_settled') continue;
    const name = `${event.turn}/${event.step}/${event.callId}`;
    open.set(name, (open.get(name) ?? 0) + (event.type === 'tool_started' ? 1 : -1));
  }
  const left = [...open]
    .filter(([, count]) => count !== 0)
    .map(([name]) => `call ${name} is told to start and not to end`);
  return gap === -1 ? left : [...left, `event ${gap} has another number`];
}

/** Whatever a model was sent, it could answer. */
function sentProblems({ models }: PluggedAgent): readonly string[] {
  return models.flatMap(({ calls }) =>
    calls.flatMap(({ prompt }, index) => promptProblems(prompt).map((each) => `sent ${index}: ${each}`)),
  );
}
