/** Parses a requested call as the runtime does, then decides or explains it with a stack. */

import type { Decision } from '../../kernel/call.ts';
import type { ToolFinder } from '../../kernel/catalog/catalog.ts';
import { type CallPosition, readCall, type ReadCall, withSchemaTimeout } from '../../kernel/catalog/read-call.ts';
import type { Clock } from '../../kernel/clock.ts';
import { deadlinesOf } from '../../kernel/deadlines.ts';
import type { SessionId } from '../../kernel/ids.ts';
import type { Limits } from '../../kernel/limits.ts';
import { isPromise, type MaybePromise } from '../../kernel/maybe-promise.ts';
import type { ScopeReader } from '../../kernel/policy/evaluator/compiled-rule.ts';
import type { BuiltStack } from './build-stack.ts';
import type { CheckState } from '../policy-file.ts';
import { explainLayers } from './layers.ts';
import type { CheckRequest, PolicyExplanation, PolicyLayer } from '../loaded-policy.ts';

export interface RequestContext {
  readonly catalog: ToolFinder;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly cwd: string | undefined;
}

type ReadRequest = ReadCall | { readonly call?: undefined; readonly problem: string };

export function decideRequest(
  { stack }: BuiltStack,
  request: CheckRequest,
  context: RequestContext,
): MaybePromise<Decision> {
  const decide = (read: ReadRequest): MaybePromise<Decision> =>
    read.problem === undefined
      ? stack.evaluate(read.call, read.tool, stateReaderOf(request.state))
      : denyUnreadable(read.problem);
  const read = readRequest(request, context, stack);
  return isPromise(read) ? read.then(decide) : decide(read);
}

export async function explainRequest(
  { stack, layers }: BuiltStack,
  request: CheckRequest,
  context: RequestContext,
): Promise<PolicyExplanation> {
  const read = await readRequest(request, context, stack);
  if (read.problem !== undefined) return { decision: denyUnreadable(read.problem), layers: [] };
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
): MaybePromise<ReadRequest> {
  const { id = 'check', tool, server, args, cwd = context.cwd } = request;
  const place: CallPosition = { session: 'check' as SessionId, turn: 0, step: 0, agent: ['main'], cwd };
  const pendingRead: MaybePromise<ReadRequest> = readCall({ id, tool, server, args }, place, context);
  if (!isPromise(pendingRead)) return pendingRead;
  const { timeoutMs } = stack;
  return withSchemaTimeout(pendingRead, { deadlines: deadlinesOf(context.clock), timeoutMs }, (problem) => ({
    problem,
  }));
}

function stateReaderOf(state: CheckState | undefined): ScopeReader {
  return { scopeValues: () => ({ session: state?.session ?? {}, turn: state?.turn ?? {} }) };
}

function denyUnreadable(reason: string): Decision {
  const base = { rule: undefined, grant: undefined, paths: [], constant: false };
  return Object.freeze({ ...base, effect: 'deny', reason, problem: reason });
}
