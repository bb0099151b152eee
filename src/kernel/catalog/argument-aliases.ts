/** Argument names of a tool: canonical names, and aliases under which a call's arguments can also be read. */

import type { ToolCall } from '../call.ts';
import { type JsonObject, type JsonValue, sameJson } from '../json.ts';
import type { ToolDeclaration } from '../tool.ts';
import { quoteName } from '../names.ts';

const namesOf = new WeakMap<ToolDeclaration, { readonly names: ReadonlySet<string> | undefined }>();

/** All names of a tool's arguments, aliases included; undefined if the tool does not declare them. */
export function argumentNames(tool: ToolDeclaration): ReadonlySet<string> | undefined {
  let found = namesOf.get(tool);
  if (found === undefined) {
    const declared = tool.args ?? schemaProperties(tool);
    const { args: aliases = {} } = tool.aliases ?? {};
    const names = declared && new Set([...declared, ...Object.keys(aliases), ...Object.values(aliases)]);
    found = { names };
    // Converting a schema to JSON Schema is slow, so cache it; a frozen declaration cannot change.
    if (Object.isFrozen(tool)) namesOf.set(tool, found);
  }
  return found.names;
}

/** Args under canonical names. Refuses an alias and its canonical name with different values. */
export function canonicalArgs(
  tool: ToolDeclaration,
  args: JsonObject,
): { readonly args: JsonObject; readonly problem?: undefined } | { readonly problem: string } {
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

/** Predicates see the output of the schema, so the names come from its output, not its input. */
function schemaProperties(tool: ToolDeclaration): readonly string[] | undefined {
  let described: unknown;
  try {
    const json = tool.schema?.['~standard'].jsonSchema;
    const target = { target: 'draft-2020-12' };
    described = json?.output === undefined ? json?.input(target) : json.output(target);
  } catch {
    // This schema has no JSON Schema form, so its names are unknown.
    return undefined;
  }
  const { properties } = (described ?? {}) as { properties?: unknown };
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : undefined;
}
