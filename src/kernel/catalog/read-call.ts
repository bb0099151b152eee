/**
 * Reads a call request: finds the tool (exact match), renames aliases of args, validates the args, within a time limit. Any input,
 * even a hostile one, becomes a call or a problem. An invalid call never reaches a policy.
 */

import type { CallRequest, ToolCall } from '../call.ts';
import { type Deadlines, timedOut, withTimeout } from '../deadlines.ts';
import { messageOf } from '../errors.ts';
import { type CallId, newId } from '../ids.ts';
import { copyJson, cutText, isJsonObject, type JsonObject, type JsonValue, sameJson } from '../json.ts';
import type { Limits } from '../limits.ts';
import { isPromise, type MaybePromise } from '../maybe-promise.ts';
import type { SchemaResult, ToolDeclaration } from '../tool.ts';
import type { ToolFinder } from './catalog.ts';
import { kindOf } from '../kind-of.ts';
import { quoteName } from '../names.ts';

/** Where a call happens: its session, turn, step, agent and folder. */
export type CallPosition = Pick<ToolCall, 'session' | 'turn' | 'step' | 'agent' | 'cwd'>;

export type ReadCall =
  | { readonly call: ToolCall; readonly tool: ToolDeclaration; readonly problem?: undefined }
  | { readonly call: ToolCall; readonly tool?: undefined; readonly problem: string };

/** What reading args depends on. */
export interface ArgsReader {
  readonly limits: Limits;
  readonly deadlines: Deadlines;
  /** Its time limit for predicates is also the one for asynchronous schemas. */
  readonly policy: { readonly timeoutMs: number };
}

export interface CallReader extends ArgsReader {
  readonly catalog: ToolFinder;
}

export function readCall(given: unknown, position: CallPosition, reader: CallReader): MaybePromise<ReadCall> {
  const { request, problem: unreadable } = readRequest(given, reader.limits);
  const asked = copyArgs(request.args ?? {}, reader.limits);
  const requested = asked.value;
  const refuse = (problem: string, tool?: ToolDeclaration): ReadCall => ({
    call: makeCall(request, position, { tool, requested, args: noArgs }),
    problem,
  });
  if (unreadable !== undefined) return refuse(unreadable);
  const { tool, problem } = reader.catalog.find(request.server, request.tool);
  if (tool === undefined) return refuse(problem());
  if (asked.problem !== undefined) return refuse(invalidArgs(tool, asked.problem), tool);
  const finish = (read: ReadArgs): ReadCall =>
    read.problem === undefined
      ? { call: makeCall(request, position, { tool, requested, args: read.args }), tool }
      : refuse(read.problem, tool);
  const read = readArgs(tool, asked.value, reader);
  return read instanceof Promise ? read.then(finish) : finish(read);
}

/** Reads each field once: a getter that changes its value must not make the checked call differ from the one that runs. */
function readRequest(given: unknown, { nameLength }: Limits): { request: CallRequest; problem: string | undefined } {
  if (typeof given !== 'object' || given === null) return { request: noRequest, problem: 'The call is not an object.' };
  try {
    const { id, tool, server, args } = given as CallRequest;
    const problem =
      nameFault('tool', tool, nameLength) ??
      (server === undefined ? undefined : nameFault('server', server, nameLength));
    return { request: { id, tool, server, args }, problem };
  } catch (error) {
    return { request: noRequest, problem: `The call cannot be read: ${messageOf(error)}` };
  }
}

function nameFault(what: string, name: unknown, nameLength: number): string | undefined {
  if (typeof name !== 'string') return `The name of the ${what} is ${kindOf(name)}, not a string.`;
  return name.length > nameLength ? `The name of the ${what} is longer than ${nameLength} characters.` : undefined;
}

/** With a problem, `value` is what could be read. It is only recorded. */
type ArgsCopy =
  | { readonly value: JsonObject; readonly problem?: undefined }
  | { readonly value: JsonValue; readonly problem: string };

export function copyArgs(args: unknown, { argsBytes: bytes, depth }: Limits): ArgsCopy {
  const copy = copyJson(args, { bytes, depth });
  if (copy.problem !== undefined) return { value: null, problem: copy.problem };
  const { value } = copy;
  if (isJsonObject(value)) return { value };
  const hint = typeof value === 'string' ? '; parse its JSON first' : '';
  return { value, problem: `is not an object but ${kindOf(value)}${hint}` };
}

function invalidArgs(tool: ToolDeclaration, problem: string): string {
  return `Invalid args for ${tool.name}: ${problem}.`;
}

const noRequest: CallRequest = { tool: '' };
const noArgs: JsonObject = Object.freeze({});

export type ReadArgs = { readonly args: JsonObject; readonly problem?: undefined } | { readonly problem: string };

/** Args under canonical names, then validated. The schema's output replaces the args from here on. */
export function readArgs(tool: ToolDeclaration, given: JsonObject, reader: ArgsReader): MaybePromise<ReadArgs> {
  const wrong = (problem: string): ReadArgs => ({ problem: invalidArgs(tool, problem) });
  const canonical = canonicalArgs(tool, given);
  if (canonical.problem !== undefined) return wrong(canonical.problem);
  if (tool.schema === undefined) return { args: argsWithAliases(tool, canonical.args) };
  const take = (result: SchemaResult<unknown> | typeof timedOut): ReadArgs => {
    if (result === timedOut) return wrong(`its schema did not answer within ${reader.policy.timeoutMs} ms`);
    if (result?.issues !== undefined) return wrong(issuesText(result.issues));
    const output = copyArgs(result.value, reader.limits);
    if (output.problem !== undefined) return wrong(`the output of its schema ${output.problem}`);
    return { args: argsWithAliases(tool, output.value) };
  };
  const broken = (error: unknown): ReadArgs => wrong(`its schema failed: ${messageOf(error)}`);
  try {
    const result = tool.schema['~standard'].validate(canonical.args);
    if (!isPromise(result)) return take(result);
    return withTimeout(result, reader.policy.timeoutMs, reader).then(take).catch(broken);
  } catch (error) {
    return broken(error);
  }
}

/** Args under canonical names. Refuses an alias and its canonical name with different values. */
export function canonicalArgs(tool: ToolDeclaration, args: JsonObject): ReadArgs {
  const aliases = tool.aliases?.args;
  if (aliases === undefined || !Object.keys(args).some((name) => Object.hasOwn(aliases, name))) return { args };
  const renamed = new Map<string, JsonValue>();
  for (const [name, value] of Object.entries(args)) {
    const canonical = Object.hasOwn(aliases, name) ? (aliases[name] as string) : name;
    const other = renamed.get(canonical);
    if (other !== undefined && !sameJson(other, value)) {
      return { problem: `argument ${quoteName(canonical)} is given twice, under two names and with two values` };
    }
    renamed.set(canonical, value);
  }
  return { args: Object.freeze(Object.fromEntries(renamed)) };
}

/** Args with aliases store their tool under this symbol. A WeakMap would be slower. */
const readableAs: unique symbol = Symbol('tool');

interface ReadableArgs {
  readonly [readableAs]?: ToolDeclaration;
}

/**
 * Canonical args that can also be read under their aliases, for rules and hooks (P20): a rule that uses an alias must not
 * silently match nothing. The aliases are not enumerable, so printing the args shows only canonical names.
 */
function argsWithAliases(tool: ToolDeclaration, args: JsonObject): JsonObject {
  const aliases = tool.aliases?.args;
  if (aliases === undefined || (args as ReadableArgs)[readableAs] !== undefined) return args;
  const copy = { ...args };
  for (const alias in aliases) {
    const canonical = aliases[alias] as string;
    if (Object.hasOwn(args, alias) || !Object.hasOwn(args, canonical)) continue;
    Object.defineProperty(copy, alias, { value: args[canonical] });
  }
  Object.defineProperty(copy, readableAs, { value: tool });
  return Object.freeze(copy);
}

/** The call with args as {@link argsWithAliases} returns them, so that `args` and `call.args` are the same object. */
export function callWithAliases(tool: ToolDeclaration, call: ToolCall): ToolCall {
  const args = argsWithAliases(tool, call.args);
  return args === call.args ? call : Object.freeze({ ...call, args });
}

/** New args from a hook, renamed and given aliases like the args they replace. */
export function renameArgsLike(before: JsonObject, args: JsonObject): JsonObject {
  const tool = (before as ReadableArgs)[readableAs];
  if (tool === undefined) return args;
  const renamed = canonicalArgs(tool, args);
  // Contradictory args are refused when the call is read again.
  return renamed.problem === undefined ? argsWithAliases(tool, renamed.args) : args;
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
  return typeof value === 'string' ? cutText(value, 256).toWellFormed() : '';
}

function callId(given: unknown): CallId {
  return typeof given === 'string' && given !== '' && given.length <= 256 && given.isWellFormed()
    ? (given as CallId)
    : newId<CallId>();
}
