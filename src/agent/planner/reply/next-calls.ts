/**
 * Finds the next calls of a plan from the calls already made. Computed anew each time, since the planner is stateless.
 */

import type { CompletedCall } from './conversation.ts';
import { outcomeOf } from './describe-call.ts';
import type { PlannedCall, PlanStep } from '../grammar/plan.ts';

export interface NextCalls {
  /** The calls to make now; empty at the end of the plan. */
  readonly calls: readonly PlannedCall[];
  /** Steps skipped because the step they depend on failed. */
  readonly skipped: readonly PlanStep[];
}

export function nextCallsOf(steps: readonly PlanStep[], completed: readonly (readonly CompletedCall[])[]): NextCalls {
  const skipped: PlanStep[] = [];
  let index = 0;
  let failed = false;
  for (const step of steps) {
    if (step.dependent && failed) {
      skipped.push(step);
      continue;
    }
    const calls = completed[index];
    if (calls === undefined) return { calls: step.calls, skipped };
    index += 1;
    failed = calls.some(({ output }) => outcomeOf(output).type !== 'ok');
  }
  return { calls: [], skipped };
}
