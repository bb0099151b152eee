/** The argument names of a tool, and reading a call's arguments under their canonical ones and their aliases. */

import type { ToolCall } from '../call.ts';
import { type JsonObject, type JsonValue, sameJson } from '../json.ts';
import type { ToolDeclaration } from '../tool.ts';
import { quoteName } from '../names.ts';

const namesOf = new WeakMap<ToolDeclaration, { readonly names: ReadonlySet<string> | undefined }>();

/** The names under which a tool's arguments can be read, as far as it tells; undefined if it does not. */
export function argumentNames(tool: ToolDeclaration): ReadonlySet<string> | undefined {
  let found = namesOf.get(tool);
  if (found === undefined) {
    const told = tool.args ?? schemaProperties(tool);
    const { args: aliases = {} } = tool.aliases ?? {};
    const names = told && new Set([...told, ...Object.keys(aliases), ...Object.values(aliases)]);
    found = { names };
    // Writing a schema down takes long; a frozen declaration will not tell anything else later.
    if (Object.isFrozen(tool)) namesOf.set(tool, found);
  }
  return found.names;
}

/** The canonical name of an argument or of an alias of it. */
function canonicalArgument(tool: ToolDeclaration, name: string): string {
  const aliases = tool.aliases?.args;
  return aliases !== undefined && Object.hasOwn(aliases, name) ? (aliases[name] as string) : name;
}

/** Args under canonical names; an alias beside its canonical name with another value is refused. */
export function canonicalArgs(
  tool: ToolDeclaration,
  args: JsonObject,
): { readonly args: JsonObject; readonly problem?: undefined } | { readonly problem: string } {
  const aliases = tool.aliases?.args;
  if (aliases === undefined || !Object.keys(args).some((name) => Object.hasOwn(aliases, name))) return { args };
  const renamed = new Map<string, JsonValue>();
  for (const [name, value] of Object.entries(args)) {
    const canonical = canonicalArgument(tool, name);
    const other = renamed.get(canonical);
    if (other !== undefined && !sameJson(other, value)) {
      return { problem: `argument ${quoteName(canonical)} is given twice, under two names and with two values` };
    }
    renamed.set(canonical, value);
  }
  return { args: Object.freeze(Object.fromEntries(renamed)) };
}

/** Under it, args that can be read under their aliases hold the tool those belong to. A WeakMap would cost more. */
const readableAs: unique symbol = Symbol('tool');

interface ReadableArgs {
  readonly [readableAs]?: ToolDeclaration;
}

/**
 * Canonical args that can be read under their aliases as well, as everybody who looks at a call gets them (P20): a rule
 * written in a tool's other words must not silently match nothing. The aliases are not enumerable, so the args still look
 * as they are.
 */
export function argsWithAliases(tool: ToolDeclaration, args: JsonObject): JsonObject {
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

/** The call with args as {@link argsWithAliases} gives them: `args` and `call.args` are always one object. */
export function callWithAliases(tool: ToolDeclaration, call: ToolCall): ToolCall {
  const args = argsWithAliases(tool, call.args);
  return args === call.args ? call : Object.freeze({ ...call, args });
}

/** Args that a hook gives in the place of others, under the same names as those. */
export function renameArgsLike(before: JsonObject, args: JsonObject): JsonObject {
  const tool = (before as ReadableArgs)[readableAs];
  if (tool === undefined) return args;
  const renamed = canonicalArgs(tool, args);
  // What contradicts itself is refused when the call is read again.
  return renamed.problem === undefined ? argsWithAliases(tool, renamed.args) : args;
}

/** What predicates get is what the schema gives, so its output tells the names, not its input. */
function schemaProperties(tool: ToolDeclaration): readonly string[] | undefined {
  let described: unknown;
  try {
    const json = tool.schema?.['~standard'].jsonSchema;
    const target = { target: 'draft-2020-12' };
    described = json?.output === undefined ? json?.input(target) : json.output(target);
  } catch {
    // A schema that cannot be written as JSON Schema tells no names.
    return undefined;
  }
  const { properties } = (described ?? {}) as { properties?: unknown };
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : undefined;
}
