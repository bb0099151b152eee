/**
 * Replaces the result of a tool. Claude Code takes a new result only if it has the form of the old one; otherwise it
 * silently shows the old one to the model.
 */

import { isJsonObject, type JsonValue } from '../../kernel/json.ts';

/** The new result; undefined if the form that the tool needs is not known. */
export function replaceOutput(output: JsonValue, text: string): JsonValue | undefined {
  // A tool of an MCP server.
  if (typeof output === 'string') return text;
  const changed = parse(text);
  if (changed !== undefined && hasSameForm(output, changed)) return changed;
  if (Array.isArray(output)) return [{ type: 'text', text }];
  if (!isJsonObject(output)) return undefined;
  if (typeof output['stdout'] === 'string') {
    return { stdout: text, stderr: '', interrupted: false, isImage: false, noOutputExpected: false };
  }
  const file = output['file'] ?? null;
  const filePath = isJsonObject(file) ? file['filePath'] : undefined;
  if (typeof filePath !== 'string') return undefined;
  const lines = text.split('\n').length;
  return { type: 'text', file: { filePath, content: text, numLines: lines, startLine: 1, totalLines: lines } };
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** The same fields with values of the same types. */
function hasSameForm(one: JsonValue, other: JsonValue): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return (
      one.length === other.length && one.every((item: JsonValue, index) => hasSameForm(item, other[index] as JsonValue))
    );
  }
  if (!isJsonObject(one) || !isJsonObject(other)) {
    return typeof one !== 'object' ? typeof one === typeof other : one === null && other === null;
  }
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && hasSameForm(one[name] as JsonValue, other[name] as JsonValue))
  );
}
