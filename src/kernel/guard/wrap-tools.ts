/**
 * Wraps the tools of another SDK: returns the same tools, whose functions are guarded. A refused call returns its reason
 * instead of throwing, so the model reads it and the loop continues (G04).
 */

import type { ToolView } from '../catalog/catalog.ts';
import { quoteName } from '../names.ts';
import { BridleError, messageOf, throwProblems } from '../errors.ts';
import { kindOf } from '../kind-of.ts';
import type { ToolDeclaration } from '../tool.ts';
import { combineSchemas, declareForeignTool, type SchemaConverter } from '../catalog/foreign-tool.ts';
import { runFields } from '../catalog/read-declaration.ts';
import { guardSingleCall, type TurnSource } from './single-call.ts';
import { refuseUncovered } from './refuse-uncovered.ts';
import type { CallResult, DeniedResult, InvalidResult } from './calls/call-result.ts';
import type { Turn } from './turn.ts';

/** Tools by name, or a list of named tools. A tool is a function, or an object with `execute`, `run`, … */
export type WrappableTools = readonly object[] | Readonly<Record<string, object>>;

/** The same tools, except that a plain function returns a promise. */
export type GuardedTools<T extends WrappableTools> = {
  readonly [K in keyof T]: T[K] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : T[K];
};

export interface WrapOptions {
  /** The turn that all calls belong to. Default: each call is its own turn. */
  readonly turn?: Turn | undefined;
  /** Returns the result for a call that did not run. Default: the text for the model. */
  readonly denied?: ((result: DeniedResult | InvalidResult) => unknown) | undefined;
}

export interface WrapParts {
  readonly allTools: ToolView;
  readonly toStandardSchema: SchemaConverter | undefined;
  readonly isUncovered: (tool: ToolDeclaration) => boolean;
  readonly open: () => TurnSource | Promise<TurnSource>;
}

interface WrappedTool {
  readonly tool: object;
  readonly declared: ToolDeclaration;
  /** True if the guard already declares the tool. */
  readonly isKnown: boolean;
}

type Run = (this: unknown, args: unknown, ...rest: readonly unknown[]) => unknown;

export function wrapTools<T extends WrappableTools>(tools: T, options: WrapOptions, parts: WrapParts): GuardedTools<T> {
  if (typeof tools !== 'object' || tools === null) {
    throw new BridleError('TOOL_INVALID', `wrap takes a list or a record of tools, not ${kindOf(tools)}`);
  }
  const problems: string[] = [];
  const named = Array.isArray(tools) ? tools.map(nameOf) : Object.entries(tools);
  const wrapped = Array.from(named, ([name, tool]: readonly [unknown, unknown]) =>
    read(name, tool, { parts, problems }),
  );
  const names = wrapped.map(({ declared }) => declared.name);
  for (const name of new Set(names.filter((each, at) => names.indexOf(each) !== at))) {
    problems.push(`two tools are named ${quoteName(name)}`);
  }
  throwProblems('TOOL_INVALID', problems);
  const added = wrapped.filter(({ isKnown }) => !isKnown).map(({ declared }) => declared);
  refuseUncovered(added.filter(parts.isUncovered), 'TOOL_UNCOVERED', ['declare them in "tools" of createGuard']);
  const guarded = wrapped.map((each) => guardTool(each, options, parts));
  if (Array.isArray(tools)) return guarded as object as GuardedTools<T>;
  return Object.fromEntries(Object.keys(tools).map((name, at) => [name, guarded[at]])) as GuardedTools<T>;
}

function nameOf(tool: unknown): readonly [unknown, unknown] {
  return [(tool as { readonly name?: unknown } | null | undefined)?.name, tool];
}

interface ReadContext {
  readonly parts: WrapParts;
  readonly problems: string[];
}

function read(name: unknown, tool: unknown, { parts, problems }: ReadContext): WrappedTool {
  const isObject = (typeof tool === 'object' && tool !== null) || typeof tool === 'function';
  if (typeof name !== 'string' || !isObject) {
    problems.push(
      `${quoteName(name)} is not a tool: a tool is a function, or an object with one of ${runFields.join(', ')}`,
    );
    return { tool: {}, declared: { name: '' }, isKnown: false };
  }
  if (typeof tool === 'object' && runsOf(tool).length === 0) {
    problems.push(`tool ${quoteName(name)} cannot run: none of ${runFields.join(', ')} is a function`);
  }
  const own = declareForeignTool({ name, tool }, parts.toStandardSchema, problems);
  const known = parts.allTools.find(undefined, name).tool;
  if (known === undefined) return { tool, declared: own, isKnown: false };
  return {
    tool,
    declared: Object.freeze({ ...known, schema: combineSchemas(known.schema, own.schema) }),
    isKnown: true,
  };
}

function runsOf(tool: object): readonly string[] {
  return runFields.filter((field) => typeof (tool as Readonly<Record<string, unknown>>)[field] === 'function');
}

/** The tool with guarded functions in place of those that run it. All other fields stay. */
function guardTool(wrapped: WrappedTool, options: WrapOptions, parts: WrapParts): object {
  const { tool } = wrapped;
  const guarded = (run: Run): Run =>
    function (this: unknown, args, ...rest) {
      return runGuarded({ ...wrapped, options, parts }, { run, args, rest });
    };
  if (typeof tool === 'function') return guarded(tool as Run);
  const fields: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(tool);
  for (const field of runsOf(tool)) {
    const run = (tool as Readonly<Record<string, Run>>)[field] as Run;
    const value = guarded((args, ...rest) => run.call(tool, args, ...rest));
    fields[field] = { value, enumerable: true, configurable: true, writable: true };
  }
  return Object.create(Object.getPrototypeOf(tool) as object, fields) as object;
}

interface ToolToGuard extends WrappedTool {
  readonly options: WrapOptions;
  readonly parts: WrapParts;
}

interface RawCall {
  readonly run: Run;
  readonly args: unknown;
  readonly rest: readonly unknown[];
}

async function runGuarded(tool: ToolToGuard, { run, args, rest }: RawCall): Promise<unknown> {
  const { declared, isKnown, options, parts } = tool;
  const { toolCallId: id, abortSignal } = Object(rest[0]) as { toolCallId?: unknown; abortSignal?: unknown };
  const signal = abortSignal instanceof AbortSignal ? abortSignal : undefined;
  let thrown: unknown;
  const result = await guardSingleCall(parts.open, {
    tool: { tool: declared.name, id: typeof id === 'string' ? id : undefined, turn: options.turn },
    args: args ?? {},
    allTools: parts.allTools,
    view: (tools) => addToView(tools, declared, isKnown),
    signal,
    run: async (decided, context) => {
      const given = signal && { ...(rest[0] as object), abortSignal: AbortSignal.any([signal, context.signal]) };
      try {
        return await lastOf(await run(decided, ...(given === undefined ? rest : [given, ...rest.slice(1)])));
      } catch (error) {
        thrown = error;
        throw error;
      }
    },
  });
  return resultOf(result, thrown, options);
}

/** Adds a wrapped tool to a view. A tool that the session hides stays hidden. */
function addToView(tools: ToolView, declared: ToolDeclaration, isKnown: boolean): ToolView {
  return {
    list: () => tools.list(),
    find(server, name) {
      const found = tools.find(server, name);
      const isHidden = isKnown && found.tool === undefined;
      return server === undefined && name === declared.name && !isHidden ? { tool: declared } : found;
    },
  };
}

/** For a tool that yields several results, the last one counts. */
async function lastOf(result: unknown): Promise<unknown> {
  if (typeof result !== 'object' || result === null || !(Symbol.asyncIterator in result)) return result;
  let last: unknown;
  for await (const each of result as AsyncIterable<unknown>) last = each;
  return last;
}

/** A call that did not run returns its reason. A failed tool throws, as it would without a guard. */
function resultOf(result: CallResult, thrown: unknown, { denied }: WrapOptions): unknown {
  if (result.type === 'denied' || result.type === 'invalid') {
    return denied === undefined ? result.value : denied(result);
  }
  if (!result.isError) return result.value;
  // A hook may have replaced the message, perhaps to hide something, so throw the original error only if it did not.
  if (thrown instanceof Error && result.text === messageOf(thrown)) throw thrown;
  throw new BridleError('TOOL_FAILED', result.text);
}
