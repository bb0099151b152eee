/** The names of a tool's arguments, as far as it declares them. */

import type { ToolDeclaration } from '../tool.ts';

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
