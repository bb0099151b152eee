/** Runs hooks and policies without an agent, for tests. */

import type { CallRequest, Effect, ToolCall } from '../kernel/call.ts';
import { pairText } from '../kernel/names.ts';
import { Catalog } from '../kernel/catalog/catalog.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import { deadlinesOf } from '../kernel/deadlines.ts';
import { BridleError } from '../kernel/errors.ts';
import { SessionState } from '../kernel/guard/state/session-state.ts';
import { HookActivity } from '../kernel/guard/state/hook-activity.ts';
import type { Activity } from '../kernel/hooks/points/hook-context.ts';
import type { DispatchResult } from '../kernel/hooks/dispatch/dispatch-result.ts';
import type { Hook } from '../kernel/hooks/registration/hook.ts';
import { createHooks } from '../kernel/hooks/registration/hooks.ts';
import type { ActionAt, PointPayloads, PointName } from '../kernel/hooks/points/points.ts';
import { type CallId, newId, type SessionId } from '../kernel/ids.ts';
import { defaultLimits } from '../kernel/limits.ts';
import { compilePolicy } from '../kernel/policy/compiler/compile-policy.ts';
import type { Policy } from '../kernel/policy/evaluator/policy.ts';
import { createScope } from '../kernel/scope/scope.ts';

export interface TryOptions {
  /** Seeds the session scope. */
  readonly state?: Readonly<Record<string, unknown>> | undefined;
  readonly clock?: Clock | undefined;
}

/** Runs the hooks of one point with the given payload, as if inside a tool call, and returns the result. */
export async function tryHooks<P extends PointName>(
  hooks: readonly Hook[],
  point: P,
  { payload, ...options }: TryOptions & { readonly payload: PointPayloads[P] },
): Promise<DispatchResult<PointPayloads[P], ActionAt<P>>> {
  return testActivity(hooks, options).dispatch(point, payload);
}

/** Creates an activity in which hooks can be dispatched directly. */
export function testActivity(hooks: readonly Hook[], options: TryOptions = {}): Activity & HookActivity {
  const clock = options.clock ?? systemClock;
  const deadlines = deadlinesOf(clock);
  const catalog = new Catalog([], []);
  const session = new SessionState(
    {
      hooks: createHooks(hooks),
      policy: compilePolicy([], { clock }),
      visibleTools: catalog,
      allTools: catalog,
      approver: undefined,
      mask: undefined,
      keyspace: undefined,
      journal: undefined,
      journalTimeoutMs: 1,
      toStandardSchema: undefined,
      isUncovered: () => false,
      warn: () => undefined,
      clock,
      deadlines,
      limits: defaultLimits,
      askTimeoutMs: 60_000,
      grant: {},
    },
    { id: newId<SessionId>(), host: 'test', loopName: 'test', agent: ['main'], cwd: undefined },
  );
  for (const [key, value] of Object.entries(options.state ?? {})) session.scope.set(key, value);
  const scope = createScope(session.scope, { deadlines });
  const { signal } = new AbortController();
  const turn = { number: 1, step: 1, scope, signal, isCancelled: false, whenCancelled: () => () => undefined };
  return new HookActivity(session, turn, 'operation');
}

/** Creates a tool call for testing hooks. Only `tool` is required. */
export function testCall(
  given: { readonly tool: string } & Partial<Omit<ToolCall, 'tool' | 'id' | 'session'>>,
): ToolCall {
  const args = given.args ?? {};
  const facts = { id: newId<CallId>(), session: newId<SessionId>(), turn: 1, step: 1, agent: ['main'], cwd: undefined };
  const rest = { server: undefined, displayName: given.tool, tier: 'confirm' as const, args, requested: args };
  return Object.freeze({ ...facts, ...rest, ...given });
}

/** A call and its expected effect; `invalid` for a call that cannot be read. */
export type ExpectedDecision = readonly [call: CallRequest, expected: Effect | 'invalid'];

/** Checks many decisions. One error lists every call that is decided differently. */
export async function expectDecisions(policy: Policy, cases: readonly ExpectedDecision[]): Promise<void> {
  if (typeof policy?.decide !== 'function') {
    throw new BridleError(
      'OPTION_INVALID',
      'expectDecisions: pass a compiled policy, such as compilePolicy(rules) or guard.policy',
    );
  }
  const mismatches: string[] = [];
  for (const [call, expected] of cases) {
    const { effect, rule, reason, problem } = await policy.decide(call);
    // A misspelled tool is denied too, but must not pass for an expected deny.
    const actual = problem === undefined ? effect : 'invalid';
    if (actual === expected) continue;
    const by = rule === undefined ? '' : ` by rule "${rule.name}"`;
    const callText = `${pairText(call.server, call.tool)} ${JSON.stringify(call.args ?? {})}`;
    mismatches.push(`${callText}: ${actual}${by}, expected ${expected}${reason === '' ? '' : ` (${reason})`}`);
  }
  if (mismatches.length > 0) throw new BridleError('SCRIPT_FAILED', mismatches.join('\n'), { problems: mismatches });
}
