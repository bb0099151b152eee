/** Answers that must match a schema: the JSON Schema for the model, and the check of its answer. */

import { type Deadlines, timedOut, withTimeout } from '../../kernel/deadlines.ts';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import { copyJson, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import { defaultLimits } from '../../kernel/limits.ts';
import type { StandardSchema } from '../../kernel/tool.ts';
import { jsonSchemaOf, toStandardSchema } from '../../tools/json-schema/standard-schema.ts';
import type { JsonSchema } from '../../tools/definition/runnable-tool.ts';

/** How often a model may try again if its answer does not match the schema. */
export const maxMismatches = 3;

const schemaTimeoutMs = 10_000;

export type OutputSchema<Data = unknown> = StandardSchema<Data> | JsonSchema;

type SchemaCheckResult = { readonly data: JsonValue; readonly problem?: undefined } | { readonly problem: string };

export interface SchemaCheck {
  /** The JSON Schema for the model; undefined if the schema cannot be converted to one. */
  readonly jsonSchema: JsonObject | undefined;
  /** Checks that a text is JSON that matches the schema. */
  check(text: string): Promise<SchemaCheckResult>;
  /** Checks data. A string may be the data itself or its JSON. */
  checkData(data: JsonValue): Promise<SchemaCheckResult>;
}

export function createSchemaCheck(schema: OutputSchema, deadlines: Deadlines): SchemaCheck {
  if (typeof schema !== 'object' || schema === null) {
    throw new BridleError('OPTION_INVALID', 'chat: option "schema" must be a Standard Schema or a JSON Schema');
  }
  const isNonObject = isNonObjectSchema(schema);
  const standard = withValidationTimeout(isNonObject ? wrapInObject(schema) : toStandardSchema(schema), deadlines);
  return {
    jsonSchema: isNonObject ? undefined : modelSchemaOf(schema),
    check: (text) => checkText(standard, text),
    checkData: async (data) => {
      const checked = await checkValue(standard, data);
      return checked.problem === undefined || typeof data !== 'string' ? checked : checkText(standard, data);
    },
  };
}

/** A schema whose validation hangs must not block the turn. */
function withValidationTimeout(schema: StandardSchema, deadlines: Deadlines): StandardSchema {
  const inner = schema['~standard'];
  const validate: typeof inner.validate = async (data) => {
    const result = await withTimeout(Promise.resolve(inner.validate(data)), schemaTimeoutMs, { deadlines });
    return result === timedOut
      ? { issues: [{ message: `the schema validation took longer than ${schemaTimeoutMs} ms` }] }
      : result;
  };
  return { '~standard': { ...inner, validate } };
}

/** True for a JSON Schema whose values are not objects. */
function isNonObjectSchema(schema: OutputSchema): schema is JsonSchema {
  if ('~standard' in schema || 'properties' in schema) return false;
  return schema['type'] !== 'object' && !(Array.isArray(schema['type']) && schema['type'].includes('object'));
}

/** The schema reader accepts only schemas of objects, so this wraps a schema as the only field of an object. */
function wrapInObject(schema: JsonSchema): StandardSchema {
  const { $schema, $defs, definitions, ...value } = schema;
  const shared = Object.entries({ $schema, $defs, definitions }).filter(([, each]) => each !== undefined);
  const wrapped = { ...Object.fromEntries(shared), type: 'object', properties: { value }, required: ['value'] };
  const inner = toStandardSchema(wrapped)['~standard'];
  const validate: typeof inner.validate = async (data) => {
    const result = await inner.validate({ value: data });
    if (result.issues === undefined) return { value: (result.value as JsonObject)['value'] };
    return { issues: result.issues.map(({ message, path = [] }) => ({ message, path: path.slice(1) })) };
  };
  return { '~standard': { version: 1, vendor: 'bridle', validate } };
}

/** Models can be shown only schemas of objects. Answers to other schemas are still checked. */
function modelSchemaOf(schema: OutputSchema): JsonObject | undefined {
  try {
    return jsonSchemaOf({ schema });
  } catch {
    return undefined;
  }
}

async function checkText(schema: StandardSchema, text: string): Promise<SchemaCheckResult> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(stripCodeFence(text));
  } catch (error) {
    return { problem: `it is not JSON: ${(error as Error).message}` };
  }
  return checkValue(schema, parsed);
}

async function checkValue(schema: StandardSchema, value: unknown): Promise<SchemaCheckResult> {
  try {
    return await validateValue(schema, value);
  } catch (error) {
    return { problem: `the schema threw an error: ${messageOf(error)}` };
  }
}

async function validateValue(schema: StandardSchema, value: unknown): Promise<SchemaCheckResult> {
  const result = await schema['~standard'].validate(value);
  if (result.issues !== undefined) {
    const issues = result.issues.slice(0, 10).map(({ message, path = [] }) => {
      const where = path.map((each) => String(typeof each === 'object' ? each.key : each)).join('.');
      return where === '' ? message : `${where}: ${message}`;
    });
    return { problem: issues.join('; ') };
  }
  const copy = copyJson(result.value, { bytes: defaultLimits.resultBytes, depth: defaultLimits.depth });
  return copy.problem === undefined ? { data: copy.value } : { problem: `it ${copy.problem}` };
}

/** Models often wrap JSON in a code fence. */
function stripCodeFence(text: string): string {
  const trimmed = text.trim();
  if (!trimmed.startsWith('```')) return trimmed;
  const start = trimmed.indexOf('\n');
  const end = trimmed.lastIndexOf('```');
  return start === -1 || end <= start ? trimmed : trimmed.slice(start + 1, end);
}
