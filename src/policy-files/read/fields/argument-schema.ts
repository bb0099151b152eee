/** Reads the JSON Schema that a policy file gives for a tool's arguments. */

import { cutText, type JsonObject } from '../../../kernel/json.ts';
import { type ParsedSchema, tryParseSchema } from '../../../tools/json-schema/parse-schema.ts';
import { compilePattern } from '../../cel/expression/pattern.ts';
import type { FileNode } from '../syntax/file-node.ts';
import { readJsonObject, type NodeReader } from './read-values.ts';

/** Patterns are RE2, so no pattern can stall a call. */
const schemaOptions = { pattern: compilePattern };

/** Accepts a schema that can be enforced; reports every problem at its position. */
export const readArgumentSchema: NodeReader<JsonObject> = (node, name, report) => {
  const schema = readJsonObject(node, name, report);
  const read = schema === undefined ? undefined : tryParseSchema(schema, schemaOptions);
  if (read !== undefined && 'problems' in read) {
    for (const { path = [], problem } of read.problems) {
      const message = [...(path.length === 0 ? [] : [path.join('/')]), problem.replace(/\.$/, '')].join(' ');
      report.problem(offsetOf(node, path), `the ${name} cannot be used: ${cutText(message, 300)}`);
    }
  }
  return schema;
};

/** Prepares a schema that {@link readArgumentSchema} accepted. */
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
