/** The JSON Schema that a policy file gives for the arguments of a tool. */

import { cutText, type JsonObject } from '../json.ts';
import { type ReadSchema, tryReadSchema } from '../tools/read-schema.ts';
import { compilePattern } from './cel/pattern.ts';
import type { DocumentNode } from './document-node.ts';
import { readData, type Read } from './document-values.ts';

/** Patterns in files are RE2, so that no pattern can hold a call up. */
const strict = { pattern: compilePattern };

/** Takes a schema that can be enforced as it stands; every problem is reported where it is written. */
export const readArgumentSchema: Read<JsonObject> = (node, name, report) => {
  const schema = readData(node, name, report);
  const read = schema === undefined ? undefined : tryReadSchema(schema, strict);
  if (read !== undefined && 'problems' in read) {
    for (const { path = [], problem } of read.problems) {
      const words = [...(path.length === 0 ? [] : [path.join('/')]), problem.replace(/\.$/, '')].join(' ');
      report.problem(placeOf(node, path), `the ${name} cannot be used: ${cutText(words, 300)}`);
    }
  }
  return schema;
};

/** A schema that {@link readArgumentSchema} has taken before. */
export function takenSchema(schema: JsonObject): ReadSchema | undefined {
  const read = tryReadSchema(schema, strict);
  return 'problems' in read ? undefined : read;
}

/** The offset of what the keys lead to, or of the nearest thing around it. */
function placeOf(node: DocumentNode, [key, ...rest]: readonly string[]): number {
  if (key === undefined || node.type === 'scalar') return node.at;
  if (node.type === 'list') {
    const item = node.items[Number(key)];
    return item === undefined ? node.at : placeOf(item, rest);
  }
  const entry = node.entries.find((each) => each.key === key);
  if (entry === undefined) return node.at;
  return rest.length === 0 ? entry.at : placeOf(entry.value, rest);
}
