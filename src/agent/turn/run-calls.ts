/**
 * Runs the tool calls of one step. Adjacent calls without side effects run concurrently, up to a limit; all others run
 * one at a time, in order. Results are in the order of the calls.
 */

import type { Tier } from '../../kernel/call.ts';

/** How many calls without side effects run concurrently. */
const maxConcurrent = 8;

export async function runCalls<Call, Result>(
  calls: readonly Call[],
  tierOf: (call: Call) => Tier,
  run: (call: Call) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < calls.length;) {
    const end = endOfGroup(calls, start, tierOf);
    if (end === start + 1) results.push(await run(calls[start] as Call));
    else results.push(...(await runGroup(calls.slice(start, end), run)));
    start = end;
  }
  return results;
}

/** The end index of the group that starts at `start`. */
function endOfGroup<Call>(calls: readonly Call[], start: number, tierOf: (call: Call) => Tier): number {
  let end = start;
  while (end < calls.length && tierOf(calls[end] as Call) === 'observe') end++;
  return Math.max(end, start + 1);
}

async function runGroup<Call, Result>(
  group: readonly Call[],
  run: (call: Call) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < group.length; index = next++) results[index] = await run(group[index] as Call);
  };
  // Waits for all running calls, even if one of them ends the turn: they have run, so their results count.
  const outcomes = await Promise.allSettled(Array.from({ length: Math.min(maxConcurrent, group.length) }, work));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return results;
}
