/** Answers by a schema: what the model is told, and whether what it wrote fits. */

import { BridleError, messageOf } from '../errors.ts';
import { copyJson, type JsonObject, type JsonValue } from '../json.ts';
import { defaultLimits } from '../limits.ts';
import type { StandardSchema } from '../tool.ts';
import { jsonSchemaOf, toStandardSchema } from '../tools/json-schema.ts';
import type { JsonSchema } from '../tools/runnable-tool.ts';

/** How many times a model may try again when its answer does not fit. */
export const mostMismatches = 3;

export type OutputSchema = StandardSchema | JsonSchema;

export type Fit = { readonly data: JsonValue; readonly problem?: undefined } | { readonly problem: string };

export interface SchemaCheck {
  /** What the model is asked to keep to, where the schema can tell. */
  readonly jsonSchema: JsonObject | undefined;
  check(text: string): Promise<Fit>;
}

export function schemaCheck(schema: OutputSchema): SchemaCheck {
  if (typeof schema !== 'object' || schema === null) {
    throw new BridleError('OPTION_INVALID', 'chat: option "schema" is neither a Standard Schema nor a JSON Schema');
  }
  const standard = toStandardSchema(schema);
  return {
    jsonSchema: shownSchema(schema),
    check: (text) =>
      checkText(standard, text).catch((error: unknown) => ({ problem: `the schema failed: ${messageOf(error)}` })),
  };
}

/** Only a schema for an object can be shown to models; others are checked all the same. */
function shownSchema(schema: OutputSchema): JsonObject | undefined {
  try {
    return jsonSchemaOf({ schema });
  } catch {
    return undefined;
  }
}

async function checkText(schema: StandardSchema, text: string): Promise<Fit> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(unfenced(text));
  } catch (error) {
    return { problem: `it is not JSON: ${(error as Error).message}` };
  }
  const result = await schema['~standard'].validate(parsed);
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

/** Models like to wrap JSON in a code fence. */
function unfenced(text: string): string {
  const trimmed = text.trim();
  if (!trimmed.startsWith('```')) return trimmed;
  const start = trimmed.indexOf('\n');
  const end = trimmed.lastIndexOf('```');
  return start === -1 || end <= start ? trimmed : trimmed.slice(start + 1, end);
}
