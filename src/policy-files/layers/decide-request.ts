/** Parses a requested call as the runtime does, then decides or explains it with a stack. */

import type { Decision } from '../../kernel/call.ts';
import type { ToolFinder } from '../../kernel/catalog/catalog.ts';
import { type CallPosition, type CallReader, readCall, type ReadCall } from '../../kernel/catalog/read-call.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { deadlinesOf } from '../../kernel/deadlines.ts';
import type { SessionId } from '../../kernel/ids.ts';
import { defaultLimits, type Limits } from '../../kernel/limits.ts';
import { isPromise, type MaybePromise } from '../../kernel/maybe-promise.ts';
import { denyInvalid } from '../../kernel/policy/evaluator/policy.ts';
import type { ScopeReader } from '../../kernel/policy/evaluator/compiled-rule.ts';
import type { BuiltStack } from './build-stack.ts';
import type { CheckState } from '../policy-file.ts';
import { explainLayers } from './layers.ts';
import type { CheckRequest, LoadedPolicy, PolicyExplanation, PolicyLayer } from '../loaded-policy.ts';

export interface RequestContext {
  readonly catalog: ToolFinder;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly cwd: string | undefined;
}

export function decideRequest(
  { stack }: BuiltStack,
  request: CheckRequest,
  context: RequestContext,
): MaybePromise<Decision> {
  const decide = (read: ReadCall): MaybePromise<Decision> =>
    read.problem === undefined
      ? stack.evaluate(read.call, read.tool, stateReaderOf(request.state))
      : denyInvalid(read.problem);
  const read = readRequest(request, context, stack);
  return isPromise(read) ? read.then(decide) : decide(read);
}

export async function explainRequest(
  { stack, layers }: BuiltStack,
  request: CheckRequest,
  context: RequestContext,
): Promise<PolicyExplanation> {
  const read = await readRequest(request, context, stack);
  if (read.problem !== undefined) return { decision: denyInvalid(read.problem), layers: [] };
  const { call, tool } = read;
  const { decision, layers: explained } = await explainLayers(stack, {
    call,
    tool,
    reader: stateReaderOf(request.state),
  });
  return { decision, layers: explained.map((each, index) => ({ ...each, layer: layers[index] as PolicyLayer })) };
}

function readRequest(
  request: CheckRequest,
  context: RequestContext,
  stack: BuiltStack['stack'],
): MaybePromise<ReadCall> {
  const { id = 'check', tool, server, args, cwd = context.cwd } = request;
  const place: CallPosition = { session: 'check' as SessionId, turn: 0, step: 0, agent: ['main'], cwd };
  const { catalog, limits, clock } = context;
  return readCall({ id, tool, server, args }, place, { catalog, limits, deadlines: deadlinesOf(clock), policy: stack });
}

/** Reads calls for a loaded policy. */
export function callReaderOf({ catalog, evaluator: policy }: LoadedPolicy): CallReader {
  return { catalog, limits: defaultLimits, deadlines: deadlinesOf(systemClock), policy };
}

function stateReaderOf(state: CheckState | undefined): ScopeReader {
  return { scopeValues: () => ({ session: state?.session ?? {}, turn: state?.turn ?? {} }) };
}
