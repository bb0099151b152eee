/** What to do next in a plan, given what was done: looked up anew at every call, since the planner remembers nothing. */

import type { CompletedCall } from './conversation.ts';
import { outcomeOf } from './outcome.ts';
import type { PlannedCall, PlanStep } from '../grammar/plan.ts';

export interface NextCalls {
  /** The calls to make now; none at the end of the plan. */
  readonly calls: readonly PlannedCall[];
  /** Steps left out because the one they depend on did not succeed. */
  readonly skipped: readonly PlanStep[];
}

export function nextCallsOf(steps: readonly PlanStep[], done: readonly (readonly CompletedCall[])[]): NextCalls {
  const skipped: PlanStep[] = [];
  let taken = 0;
  let failed = false;
  for (const step of steps) {
    if (step.dependent && failed) {
      skipped.push(step);
      continue;
    }
    const calls = done[taken];
    if (calls === undefined) return { calls: step.calls, skipped };
    taken += 1;
    failed = calls.some(({ output }) => outcomeOf(output).type !== 'ok');
  }
  return { calls: [], skipped };
}
