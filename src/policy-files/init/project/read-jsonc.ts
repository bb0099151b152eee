/** JSON with comments and trailing commas, as editors and agent hosts write their settings. */

import { isJsonObject, type JsonObject, type JsonValue } from '../../../kernel/json.ts';

/** A text, a comment, or a comma before a closing bracket; whichever comes first is taken whole. */
const token = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*(?:[^]*?\*\/|[^]*$)|,(?=\s*[}\]])/g;

/** The object a text holds; undefined if it holds something else. */
export function readJsonc(text: string): JsonObject | undefined {
  const bare = text.replace(/^\uFEFF/, '');
  const value = parse(bare) ?? parse(withoutComments(withoutComments(bare)));
  return value !== undefined && isJsonObject(value) ? value : undefined;
}

/** Twice: a comma may stand before a comment before a bracket. */
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

/** A field that is an object, looked up as its own. */
export function objectIn(value: JsonObject | undefined, key: string): JsonObject | undefined {
  const field = value !== undefined && Object.hasOwn(value, key) ? value[key] : undefined;
  return field !== undefined && isJsonObject(field) ? field : undefined;
}

/** A field that is a text, looked up as its own. */
export function textIn(value: JsonObject | undefined, key: string): string | undefined {
  const field = value !== undefined && Object.hasOwn(value, key) ? value[key] : undefined;
  return typeof field === 'string' ? field : undefined;
}
