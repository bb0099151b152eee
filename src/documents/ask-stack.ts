/** Asking a stack about a call as it was requested: read as the runtime reads it, then decided or explained. */

import type { Decision } from '../call.ts';
import type { ToolFinder } from '../catalog/catalog.ts';
import { type CallPlace, readCall, type ReadCall, schemaInTime } from '../catalog/read-call.ts';
import type { Clock } from '../clock.ts';
import { deadlinesOf } from '../deadlines.ts';
import type { SessionId } from '../ids.ts';
import type { Limits } from '../limits.ts';
import { isPromise, type MaybePromise } from '../maybe-promise.ts';
import type { StateReader } from '../policy/compiled-rule.ts';
import type { BuiltStack } from './build-stack.ts';
import type { DocumentState } from './document.ts';
import type { LayerStack } from './layer-stack.ts';
import type { CheckRequest, PolicyExplanation, PolicyLayer } from './loaded-policy.ts';

export interface Asking {
  readonly catalog: ToolFinder;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly cwd: string | undefined;
}

type Reading = ReadCall | { readonly call?: undefined; readonly problem: string };

export function decideRequest({ stack }: BuiltStack, request: CheckRequest, asking: Asking): MaybePromise<Decision> {
  const decide = (read: Reading): MaybePromise<Decision> =>
    read.problem === undefined
      ? stack.evaluate(read.call, read.tool, readerOf(request.state))
      : unreadable(read.problem);
  const read = readIn(request, asking, stack);
  return isPromise(read) ? read.then(decide) : decide(read);
}

export async function explainRequest(
  { stack, layers }: BuiltStack,
  request: CheckRequest,
  asking: Asking,
): Promise<PolicyExplanation> {
  const read = await readIn(request, asking, stack);
  if (read.problem !== undefined) return { decision: unreadable(read.problem), layers: [] };
  const { decision, layers: explained } = await stack.explainCall(read.call, read.tool, readerOf(request.state));
  return { decision, layers: explained.map((each, index) => ({ ...each, layer: layers[index] as PolicyLayer })) };
}

function readIn(request: CheckRequest, asking: Asking, stack: LayerStack): MaybePromise<Reading> {
  const { id = 'check', tool, server, args, cwd = asking.cwd } = request;
  const place: CallPlace = { session: 'check' as SessionId, turn: 0, step: 0, agent: ['main'], cwd };
  const reading: MaybePromise<Reading> = readCall({ id, tool, server, args }, place, asking);
  if (!isPromise(reading)) return reading;
  const { timeoutMs } = stack;
  return schemaInTime(reading, { deadlines: deadlinesOf(asking.clock), timeoutMs }, (problem) => ({ problem }));
}

function readerOf(state: DocumentState | undefined): StateReader {
  return { scopeValues: () => ({ session: state?.session ?? {}, turn: state?.turn ?? {} }) };
}

function unreadable(reason: string): Decision {
  const base = { rule: undefined, grant: undefined, paths: [], fixed: false };
  return Object.freeze({ ...base, effect: 'deny', reason, problem: reason });
}
