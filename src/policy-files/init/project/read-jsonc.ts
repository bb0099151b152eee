/** Parses JSON with comments and trailing commas, as editors and agent hosts write it. */

import { isJsonObject, type JsonObject, type JsonValue } from '../../../kernel/json.ts';

/** A string, a comment, or a comma before a closing bracket. */
const token = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*(?:[^]*?\*\/|[^]*$)|,(?=\s*[}\]])/g;

/** The parsed object; undefined if the text is not a JSON object. */
export function readJsonc(text: string): JsonObject | undefined {
  const bare = text.replace(/^\uFEFF/, '');
  const value = parse(bare) ?? parse(withoutComments(withoutComments(bare)));
  return value !== undefined && isJsonObject(value) ? value : undefined;
}

/** Applied twice, because a comment can separate a comma from the bracket. */
function withoutComments(text: string): string {
  return text.replaceAll(token, (found) => (found.startsWith('"') ? found : ' '));
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** An own field that is an object. */
export function objectIn(value: JsonObject | undefined, key: string): JsonObject | undefined {
  const field = value !== undefined && Object.hasOwn(value, key) ? value[key] : undefined;
  return field !== undefined && isJsonObject(field) ? field : undefined;
}

/** An own field that is a string. */
export function textIn(value: JsonObject | undefined, key: string): string | undefined {
  const field = value !== undefined && Object.hasOwn(value, key) ? value[key] : undefined;
  return typeof field === 'string' ? field : undefined;
}
