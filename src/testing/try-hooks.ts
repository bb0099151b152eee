/** Trying hooks and policies without an agent. */

import type { CallRequest, Effect, ToolCall } from '../kernel/call.ts';
import { pairText } from '../kernel/names.ts';
import { Catalog } from '../kernel/catalog/catalog.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import { deadlinesOf } from '../kernel/deadlines.ts';
import { BridleError } from '../kernel/errors.ts';
import { SessionState } from '../kernel/guard/state/session-state.ts';
import { SessionActivity } from '../kernel/guard/state/session-activity.ts';
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

/** Calls the hooks of one point with a payload of yours, as if inside a tool call, and gives what came of it. */
export async function tryHooks<P extends PointName>(
  hooks: readonly Hook[],
  point: P,
  { payload, ...options }: TryOptions & { readonly payload: PointPayloads[P] },
): Promise<DispatchResult<PointPayloads[P], ActionAt<P>>> {
  return testFrame(hooks, options).dispatch(point, payload);
}

/** A frame for dispatching hooks directly. */
export function testFrame(hooks: readonly Hook[], options: TryOptions = {}): Activity & SessionActivity {
  const clock = options.clock ?? systemClock;
  const deadlines = deadlinesOf(clock);
  const catalog = new Catalog([], []);
  const core = new SessionState(
    {
      hooks: createHooks(hooks),
      policy: compilePolicy([], { clock }),
      visibleTools: catalog,
      allTools: catalog,
      approver: undefined,
      answers: undefined,
      proposals: undefined,
      mask: undefined,
      keyspace: undefined,
      journal: undefined,
      journalTimeoutMs: 1,
      toStandardSchema: undefined,
      isUncovered: () => false,
      clock,
      deadlines,
      limits: defaultLimits,
      askTimeoutMs: 60_000,
      grant: {},
    },
    { id: newId<SessionId>(), host: 'test', loopName: 'test', agent: ['main'], cwd: undefined },
  );
  for (const [key, value] of Object.entries(options.state ?? {})) core.scope.set(key, value);
  const scope = createScope(core.scope, { deadlines });
  const { signal } = new AbortController();
  const turn = { number: 1, step: 1, scope, signal, cancelled: false, onCancel: new Set<() => void>() };
  return new SessionActivity(core, turn, 'operation');
}

/** A tool call to try hooks with; only its tool is needed. */
export function testCall(
  given: { readonly tool: string } & Partial<Omit<ToolCall, 'tool' | 'id' | 'session'>>,
): ToolCall {
  const args = given.args ?? {};
  const place = { id: newId<CallId>(), session: newId<SessionId>(), turn: 1, step: 1, agent: ['main'], cwd: undefined };
  const rest = { server: undefined, displayName: given.tool, tier: 'confirm' as const, args, requested: args };
  return Object.freeze({ ...place, ...rest, ...given });
}

/** What a case expects: an effect, or `invalid` for a call that cannot be read. */
export type ExpectedDecision = readonly [call: CallRequest, expected: Effect | 'invalid'];

/** Checks decisions in bulk; one error lists every call that is decided otherwise. */
export async function expectDecisions(policy: Policy, cases: readonly ExpectedDecision[]): Promise<void> {
  if (typeof policy?.decide !== 'function') {
    throw new BridleError('OPTION_INVALID', 'expectDecisions takes a compiled policy: compile(rules) or guard.policy');
  }
  const wrong: string[] = [];
  for (const [call, expected] of cases) {
    const { effect, rule, reason, problem } = await policy.decide(call);
    // A misspelled tool is denied too: a case that expects a deny must not pass because of that.
    const found = problem === undefined ? effect : 'invalid';
    if (found === expected) continue;
    const by = rule === undefined ? '' : ` by rule "${rule.name}"`;
    const asked = `${pairText(call.server, call.tool)} ${JSON.stringify(call.args ?? {})}`;
    wrong.push(`${asked}: ${found}${by}, not ${expected}${reason === '' ? '' : ` (${reason})`}`);
  }
  if (wrong.length > 0) throw new BridleError('SCRIPT_FAILED', wrong.join('\n'), { problems: wrong });
}
