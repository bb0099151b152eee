/** Reads tools in the format of other SDKs: which field is the schema, and which functions run the tool. */

import { isRecord } from '../shapes.ts';
import { foreignSchemaFields, freezeTool, isStandardSchema, runFields } from './read-declaration.ts';
import { quoteName } from '../names.ts';
import { messageOf } from '../errors.ts';
import { misspelledField } from '../similar-names.ts';
import { isPromise, type MaybePromise } from '../maybe-promise.ts';
import type { SchemaResult, StandardSchema, ToolDeclaration } from '../tool.ts';

/** Converts a JSON Schema to a Standard Schema: `toStandardSchema` from `bridle/tools`. */
export type SchemaConverter = (schema: never) => StandardSchema;

/** Fields that contain a schema. If there are several, all of them are enforced. */
const schemaFields = ['schema', ...foreignSchemaFields];
const declaredFields = ['displayName', 'tier', 'args', 'paths', 'commands', 'touches', 'aliases', 'grant'] as const;

export function declareForeignTool(
  { name, tool }: { readonly name: string; readonly tool: object },
  read: SchemaConverter | undefined,
  problems: string[],
): ToolDeclaration {
  const fields = tool as Readonly<Record<string, unknown>>;
  const slip = typeof tool === 'function' ? undefined : misspelledField(tool, [...runFields, ...schemaFields]);
  if (slip !== undefined) {
    problems.push(`tool ${quoteName(name)}: ${quoteName(slip.field)} is not known; did you mean "${slip.meant}"?`);
  }
  const own = Object.fromEntries(declaredFields.map((each) => [each, fields[each]]));
  let schema: StandardSchema | undefined;
  for (const field of schemaFields.filter((each) => fields[each] !== undefined)) {
    try {
      const found = readSchema(fields[field], read);
      if (found === undefined) problems.push(`tool ${quoteName(name)}: ${unread(field)}`);
      schema = combineSchemas(schema, found);
    } catch (error) {
      problems.push(`tool ${quoteName(name)}: its ${quoteName(field)} cannot be used: ${messageOf(error)}`);
    }
  }
  return freezeTool({ ...own, name, schema }, undefined, problems);
}

function unread(field: string): string {
  return (
    `its ${quoteName(field)} is not a Standard Schema. If it is a JSON Schema, pass the converter to createGuard: ` +
    `import { toStandardSchema } from 'bridle/tools', then createGuard({ …, toStandardSchema })`
  );
}

const aiSchema: unique symbol = Symbol.for('vercel.ai.schema') as never;

/** Undefined if the value is not a schema. */
function readSchema(given: unknown, read: SchemaConverter | undefined): StandardSchema | undefined {
  if (isStandardSchema(given)) return given;
  if (typeof given === 'function') return readSchema((given as () => unknown)(), read);
  if (!isRecord(given)) return undefined;
  if (!(aiSchema in given)) return read?.(given as never);
  const { jsonSchema, validate } = given as AiSchema;
  return typeof validate === 'function' ? fromValidate(validate) : readSchema(jsonSchema, read);
}

interface AiSchema {
  readonly jsonSchema?: unknown;
  readonly validate?: ((value: unknown) => MaybePromise<AiResult>) | undefined;
}

type AiResult =
  | { readonly success: true; readonly value: unknown }
  | { readonly success: false; readonly error: unknown };

function fromValidate(validate: NonNullable<AiSchema['validate']>): StandardSchema {
  return standard((value) => {
    const result = validate(value);
    return isPromise(result) ? Promise.resolve(result).then(readAiResult) : readAiResult(result);
  });
}

function readAiResult(result: AiResult): SchemaResult<unknown> {
  return result.success ? { value: result.value } : { issues: [{ message: messageOf(result.error) }] };
}

/** Applies two schemas one after the other: the second gets the output of the first. */
export function combineSchemas(
  first: StandardSchema | undefined,
  second: StandardSchema | undefined,
): StandardSchema | undefined {
  if (first === undefined || second === undefined || first === second) return first ?? second;
  const next = (result: SchemaResult<unknown>): MaybePromise<SchemaResult<unknown>> =>
    result.issues === undefined ? second['~standard'].validate(result.value) : result;
  return standard((value) => {
    const result = first['~standard'].validate(value);
    return isPromise(result) ? Promise.resolve(result).then(next) : next(result);
  });
}

function standard(validate: StandardSchema['~standard']['validate']): StandardSchema {
  return Object.freeze({ '~standard': Object.freeze({ version: 1, vendor: 'bridle', validate }) });
}
