/** The argument names of a tool, and putting a call's arguments under their canonical ones. */

import type { JsonObject, JsonValue } from '../json.ts';
import type { ToolDeclaration } from '../tool.ts';
import { quoteName } from './names.ts';

/** The names a tool's arguments have, as far as it tells; undefined if it does not. */
export function argumentNames(tool: ToolDeclaration): ReadonlySet<string> | undefined {
  const told = tool.args ?? schemaProperties(tool);
  if (told === undefined) return undefined;
  const aliases = tool.aliases?.args ?? {};
  return new Set([...told, ...Object.keys(aliases), ...Object.values(aliases)]);
}

/** The canonical name of an argument or of an alias of it. */
export function canonicalArgument(tool: ToolDeclaration, name: string): string {
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
    if (other !== undefined && JSON.stringify(other) !== JSON.stringify(value)) {
      return { problem: `argument ${quoteName(canonical)} is given twice, under two names and with two values` };
    }
    renamed.set(canonical, value);
  }
  const sorted = [...renamed].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { args: Object.freeze(Object.fromEntries(sorted)) };
}

function schemaProperties(tool: ToolDeclaration): readonly string[] | undefined {
  let described: unknown;
  try {
    described = tool.schema?.['~standard'].jsonSchema?.input({ target: 'draft-2020-12' });
  } catch {
    // A schema that cannot be written as JSON Schema tells no names.
    return undefined;
  }
  const { properties } = (described ?? {}) as { properties?: unknown };
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : undefined;
}
