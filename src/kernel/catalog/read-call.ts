/**
 * Reads a call request: normalises names (the tool's own aliases), looks up the tool (exact match), validates the args.
 * An invalid call is returned as a problem and never reaches a policy.
 */

import type { CallRequest, ToolCall } from '../call.ts';
import { type Deadlines, timedOut, withTimeout } from '../deadlines.ts';
import { messageOf } from '../errors.ts';
import { type CallId, newId } from '../ids.ts';
import { copyJson, cutText, isJsonObject, type JsonCopy, type JsonObject, type JsonValue } from '../json.ts';
import type { Limits } from '../limits.ts';
import { isPromise, type MaybePromise } from '../maybe-promise.ts';
import type { SchemaResult, ToolDeclaration } from '../tool.ts';
import { canonicalArgs, argsWithAliases } from './argument-aliases.ts';
import type { ToolFinder } from './catalog.ts';
import { kindOf } from '../kind-of.ts';

/** Where a call happens: its session, turn, step, agent and folder. */
export type CallPosition = Pick<ToolCall, 'session' | 'turn' | 'step' | 'agent' | 'cwd'>;

export type ReadCall =
  | { readonly call: ToolCall; readonly tool: ToolDeclaration; readonly problem?: undefined }
  | { readonly call: ToolCall; readonly tool?: undefined; readonly problem: string };

export function readCall(
  request: CallRequest,
  position: CallPosition,
  { catalog, limits }: { readonly catalog: ToolFinder; readonly limits: Limits },
): MaybePromise<ReadCall> {
  const asked = copyArgs(request.args ?? {}, limits);
  const requested = asked.problem === undefined ? asked.value : null;
  const refuse = (problem: string, tool?: ToolDeclaration): ReadCall => ({
    call: makeCall(request, position, { tool, requested, args: noArgs }),
    problem,
  });
  if (typeof request.tool !== 'string') return refuse(`The name of the tool is ${kindOf(request.tool)}, not a string.`);
  if (request.server !== undefined && typeof request.server !== 'string') {
    return refuse(`The name of the server is ${kindOf(request.server)}, not a string.`);
  }
  const { tool, problem } = catalog.find(request.server, request.tool);
  if (tool === undefined) return refuse(problem);
  if (asked.problem !== undefined) return refuse(`Invalid args for ${request.tool}: ${asked.problem}.`);
  const read = readArgs(tool, asked.value, limits);
  const finish = (args: ReadArgs): ReadCall =>
    args.problem === undefined
      ? { call: makeCall(request, position, { tool, requested, args: args.args }), tool }
      : refuse(args.problem, tool);
  return isPromise(read) ? read.then(finish) : finish(read);
}

export function copyArgs(args: unknown, { argsBytes: bytes, depth }: Limits): JsonCopy {
  return copyJson(args, { bytes, depth });
}

const noArgs: JsonObject = Object.freeze({});

export type ReadArgs = { readonly args: JsonObject; readonly problem?: undefined } | { readonly problem: string };

function wrongArgs({ name }: ToolDeclaration, problem: string): ReadArgs {
  return { problem: `Invalid args for ${name}: ${problem}.` };
}

/** Args under canonical names, then validated. The schema's output replaces the args from here on. */
export function readArgs(tool: ToolDeclaration, given: JsonValue, limits: Limits): MaybePromise<ReadArgs> {
  if (!isJsonObject(given)) {
    return wrongArgs(tool, `not an object${typeof given === 'string' ? ' but a string; parse its JSON first' : ''}`);
  }
  const canonical = canonicalArgs(tool, given);
  if (canonical.problem !== undefined) return wrongArgs(tool, canonical.problem);
  if (tool.schema === undefined) return { args: argsWithAliases(tool, canonical.args) };
  const take = (result: SchemaResult<unknown>): ReadArgs => {
    if (result?.issues !== undefined) return wrongArgs(tool, issuesText(result.issues));
    const output = copyArgs(result.value, limits);
    if (output.problem !== undefined) return wrongArgs(tool, `the output of its schema ${output.problem}`);
    return isJsonObject(output.value)
      ? { args: argsWithAliases(tool, output.value) }
      : wrongArgs(tool, 'the output of its schema is not an object');
  };
  const broken = (error: unknown): ReadArgs => wrongArgs(tool, `its schema failed: ${messageOf(error)}`);
  try {
    const result = tool.schema['~standard'].validate(canonical.args);
    return isPromise(result) ? result.then(take).then(undefined, broken) : take(result);
  } catch (error) {
    return broken(error);
  }
}

/** Limits an asynchronous schema to the time limit of predicates. */
export async function withSchemaTimeout<T>(
  reading: PromiseLike<T>,
  limit: { readonly deadlines: Deadlines; readonly timeoutMs: number },
  refuse: (problem: string) => T,
): Promise<T> {
  try {
    const read = await withTimeout(reading, limit.timeoutMs, limit);
    return read === timedOut ? refuse(`The schema of the tool did not answer within ${limit.timeoutMs} ms.`) : read;
  } catch (error) {
    return refuse(`The schema of the tool failed: ${messageOf(error)}`);
  }
}

type Issues = Extract<SchemaResult<unknown>, { readonly issues: readonly unknown[] }>['issues'];

/** The issues of a schema as text, for the reason of a refusal. */
export function issuesText(issues: Issues): string {
  const lines = issues.slice(0, 8).map(({ message, path = [] }) => {
    const where = path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.');
    return where === '' ? message : `${where}: ${message}`;
  });
  return cutText(lines.join('; ') || 'invalid', 1000);
}

interface Known {
  /** Undefined if no tool was found. */
  readonly tool: ToolDeclaration | undefined;
  readonly requested: JsonValue;
  readonly args: JsonObject;
}

function makeCall(request: CallRequest, position: CallPosition, { tool, requested, args }: Known): ToolCall {
  const name = tool?.name ?? boundedName(request.tool);
  return Object.freeze({
    id: callId(request.id),
    tool: name,
    server: request.server === undefined ? undefined : boundedName(request.server),
    displayName: tool?.displayName ?? name,
    tier: tool?.tier ?? 'confirm',
    args,
    requested,
    cwd: position.cwd,
    session: position.session,
    turn: position.turn,
    step: position.step,
    agent: position.agent,
  });
}

function boundedName(value: unknown): string {
  return typeof value === 'string' ? cutText(value.toWellFormed(), 256) : '';
}

function callId(given: unknown): CallId {
  return typeof given === 'string' && given !== '' && given.length <= 256 && given.isWellFormed()
    ? (given as CallId)
    : newId<CallId>();
}
