/** Converts JSON Schema to Standard Schema, which validates calls, and back to JSON Schema for the model. */

import { createContext, Script } from 'node:vm';
import { validate, type OutputUnit } from '@cfworker/json-schema';
import { errorCodeOf } from '../../facts/paths/resolve/path-refusal.ts';
import { messageOf } from '../../kernel/errors.ts';
import { copyJson, isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import { lazy } from '../../kernel/lazy.ts';
import type { SchemaResult, StandardSchema } from '../../kernel/tool.ts';
import { schemaError, allowsObjects, parseSchema, type ParsedSchema } from './parse-schema.ts';
import type { JsonSchema, RunnableTool } from '../definition/runnable-tool.ts';
import { type SchemaIssue, issuesOf } from './schema-issues.ts';

/** The timeout for one validation with a costly schema. */
const checkMs = 500;

/** Returns a Standard Schema unchanged and converts a JSON Schema. Throws `TOOL_INVALID` if it cannot be used. */
export function toStandardSchema(schema: StandardSchema | JsonSchema): StandardSchema {
  if (isStandard(schema)) return schema;
  const read = parseSchema(schema);
  const defaults = defaultsOf(read);
  const written = (): JsonObject => read.given;
  return Object.freeze({
    '~standard': Object.freeze({
      version: 1,
      vendor: 'bridle',
      validate: (value: unknown) => validateWith(read, value, defaults),
      jsonSchema: Object.freeze({ input: written, output: written }),
    }),
  });
}

/** The JSON Schema shown to the model for a tool; undefined if there is none. */
export function jsonSchemaOf(tool: Pick<RunnableTool, 'schema' | 'inputSchema'>): JsonSchema | undefined {
  const { inputSchema, schema } = tool;
  const shown = inputSchema ?? (schema !== undefined && isStandard(schema) ? jsonSchemaFrom(schema) : schema);
  if (shown === undefined) return undefined;
  const copy = copyJson(shown, { bytes: 1024 * 1024, depth: 64 });
  if (copy.problem !== undefined) throw schemaError([`the schema ${copy.problem}`]);
  if (!isJsonObject(copy.value)) throw schemaError(['the schema is not an object']);
  const { $schema: _, type = 'object', ...rest } = copy.value;
  if (!allowsObjects(type))
    throw schemaError([`the schema is for ${JSON.stringify(type)}, but arguments are an object`]);
  return Object.freeze({ type: 'object', ...rest });
}

function isStandard(schema: StandardSchema | JsonSchema): schema is StandardSchema {
  const standard = (schema as Partial<StandardSchema> | null)?.['~standard'];
  return typeof standard?.validate === 'function';
}

function jsonSchemaFrom(schema: StandardSchema): unknown {
  for (const target of ['draft-2020-12', 'draft-07']) {
    try {
      const written = schema['~standard'].jsonSchema?.input({ target });
      if (written !== undefined) return written;
    } catch {
      // The schema may support another draft, or none.
      continue;
    }
  }
  return undefined;
}

function validateWith(read: ParsedSchema, value: unknown, defaults: JsonObject): SchemaResult<unknown> {
  const copy = copyJson(value, { bytes: Number.MAX_SAFE_INTEGER, depth: 1000 });
  if (copy.problem !== undefined) return { issues: [{ message: copy.problem }] };
  const filled = isJsonObject(copy.value) ? { ...defaults, ...copy.value } : copy.value;
  if (Object.keys(defaults).length > 0 && schemaIssues(read, filled).length === 0) return { value: filled };
  const issues = schemaIssues(read, copy.value);
  return issues.length === 0 ? { value } : { issues };
}

/** Why a value does not match a schema; empty if it does. */
export function schemaIssues(read: ParsedSchema, value: JsonValue): readonly SchemaIssue[] {
  try {
    const errors = validationErrors(read, value);
    if (errors === undefined) return [{ message: `the schema could not be checked within ${checkMs} ms`, path: [] }];
    return errors.length === 0 ? [] : issuesOf(errors, Object.keys(read.schema.properties ?? {}));
  } catch (error) {
    // An error during validation refuses the call.
    return [{ message: `the schema could not be checked: ${messageOf(error)}`, path: [] }];
  }
}

/** All validation errors of a value; undefined after a timeout. */
function validationErrors(read: ParsedSchema, value: JsonValue): readonly OutputUnit[] | undefined {
  const { schema, draft, lookup, isCostly } = read;
  const bare = withoutPrototypes(value);
  const run = (): readonly OutputUnit[] => {
    const first = validate(bare, schema, draft, lookup, true);
    return first.valid ? [] : allErrors(read, bare, first.errors);
  };
  return isCostly ? runWithTimeout(run, checkMs) : run();
}

interface VmContext {
  run?: (() => unknown) | undefined;
}

/** Created on first use: most schemas need none. */
let vmContext: VmContext | undefined;
const script = lazy(() => new Script('run()'));

/** Runs synchronous code that untrusted input can make slow, such as regular expressions. Undefined after the timeout. */
function runWithTimeout<T>(work: () => T, timeout: number): T | undefined {
  vmContext ??= createContext({}) as VmContext;
  vmContext.run = work;
  try {
    return script().runInContext(vmContext, { timeout }) as T;
  } catch (error) {
    if (errorCodeOf(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    throw error;
  } finally {
    vmContext.run = undefined;
  }
}

function allErrors(read: ParsedSchema, bare: unknown, first: readonly OutputUnit[]): readonly OutputUnit[] {
  try {
    return validate(bare, read.schema, read.draft, read.lookup, false).errors;
  } catch {
    // Too many errors to collect: the first is enough.
    return first;
  }
}

/** The validator tests `name in value`, and every plain object has a `constructor`. */
function withoutPrototypes(value: JsonValue): unknown {
  if (Array.isArray(value)) return value.map(withoutPrototypes);
  if (!isJsonObject(value)) return value;
  const bare = Object.create(null) as Record<string, unknown>;
  for (const [name, each] of Object.entries(value)) bare[name] = withoutPrototypes(each);
  return bare;
}

/** The valid defaults of the arguments: rules must see what would run (G16). */
function defaultsOf(read: ParsedSchema): JsonObject {
  const { properties } = read.given;
  if (properties === undefined || !isJsonObject(properties)) return {};
  const fitting = Object.entries(properties).flatMap(([name, property]): [string, JsonValue][] => {
    if (!isJsonObject(property) || property['default'] === undefined) return [];
    const schema = read.schema.properties?.[name];
    const fits = typeof schema === 'object' && validationErrors({ ...read, schema }, property['default'])?.length === 0;
    return fits ? [[name, property['default']]] : [];
  });
  return Object.fromEntries(fitting);
}
