/** JSON data in a policy file: the args of a test, and the JSON Schema of a tool's arguments. */

import { cutText, type JsonObject, type JsonValue } from '../../../kernel/json.ts';
import { quoteName } from '../../../kernel/names.ts';
import { type ParsedSchema, tryParseSchema } from '../../../tools/json-schema/parse-schema.ts';
import { compilePattern } from '../../../tools/text/pattern.ts';
import { jsonNumber, type FileNode, type ScalarNode } from '../syntax/file-node.ts';
import type { FileReport } from '../syntax/file-report.ts';
import { refined, reportWrongKind, type Shape } from './shape.ts';

export const jsonObject: Shape<JsonObject> = {
  read: (node, name, report) => {
    if (node.type !== 'map') return reportWrongKind(node, name, report)('a mapping');
    return jsonOf(node, report) as JsonObject;
  },
  schema: () => ({ type: 'object' }),
};

function jsonOf(node: FileNode, report: FileReport): JsonValue {
  if (node.type === 'list') return node.items.map((item) => jsonOf(item, report));
  if (node.type === 'scalar') {
    const problem = scalarProblem(node);
    if (problem !== undefined) report.problem(node.at, problem);
    return node.value;
  }
  const data: Record<string, JsonValue> = {};
  for (const { key, at, value } of node.entries) {
    if (key === '__proto__') report.problem(at, 'the key "__proto__" is not allowed');
    else data[key] = jsonOf(value, report);
  }
  return data;
}

function scalarProblem({ value, raw, style }: ScalarNode): string | undefined {
  if (style === 'empty') return 'a value is missing; write null if you mean no value';
  if (typeof value !== 'number') return undefined;
  const useQuotes = 'put it in quotes if you mean a string';
  if (!Number.isFinite(value)) return `${quoteName(raw)} is not a JSON number; ${useQuotes}`;
  if (!jsonNumber.test(raw))
    return `${quoteName(raw)} would be read as the number ${value}; write it that way, or ${useQuotes}`;
  // 12345678901234567890 would become a different number.
  const isExact = Number.isSafeInteger(value) || !/^-?\d+$/.test(raw) || BigInt(raw) === BigInt(value);
  return isExact ? undefined : `the number ${quoteName(raw)} cannot be represented exactly; ${useQuotes}`;
}

/** Patterns are RE2, so no pattern can stall a call. */
const schemaOptions = { pattern: compilePattern };

/** Accepts a schema that can be enforced; reports every problem at its position. */
export const argumentSchema: Shape<JsonObject> = refined(jsonObject, (schema, { node, report }) => {
  const read = tryParseSchema(schema, schemaOptions);
  for (const { path = [], problem } of 'problems' in read ? read.problems : []) {
    const message = [...(path.length === 0 ? [] : [path.join('/')]), problem.replace(/\.$/, '')].join(' ');
    report.problem(offsetOf(node, path), `the schema cannot be used: ${cutText(message, 300)}`);
  }
  return schema;
});

/** Prepares a schema that {@link argumentSchema} accepted. */
export function acceptedSchema(schema: JsonObject): ParsedSchema | undefined {
  const read = tryParseSchema(schema, schemaOptions);
  return 'problems' in read ? undefined : read;
}

/** The offset of the node at a path of keys, or of its nearest parent. */
function offsetOf(node: FileNode, [key, ...rest]: readonly string[]): number {
  if (key === undefined || node.type === 'scalar') return node.at;
  if (node.type === 'list') {
    const item = node.items[Number(key)];
    return item === undefined ? node.at : offsetOf(item, rest);
  }
  const entry = node.entries.find((each) => each.key === key);
  if (entry === undefined) return node.at;
  return rest.length === 0 ? entry.at : offsetOf(entry.value, rest);
}
