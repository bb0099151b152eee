/**
 * Shapes describe the parts of a policy file. A shape reads a node, and reports what is wrong, where, and what would be
 * valid; it also describes itself as JSON Schema, from which `policy.schema.json` is written. The shapes of the kernel
 * read values; these read nodes, because a message needs the position of a key or value, and how it was written.
 */

import { didYouMean, quoteName, textProblem } from '../../../kernel/names.ts';
import type { JsonObject, JsonValue } from '../../../kernel/json.ts';
import type { FileNode, MapEntry, ScalarNode } from '../syntax/file-node.ts';
import type { FileReport } from '../syntax/file-report.ts';

/** Returns the value of a node, or undefined after reporting a problem. `name` is how messages call the value. */
type NodeReader<T> = (node: FileNode, name: string, report: FileReport) => T | undefined;

/** The parts of the JSON Schema that have a name. */
export type Definitions = Record<string, JsonObject>;

export interface Shape<T> {
  readonly read: NodeReader<T>;
  /** The JSON Schema of the shape. Adds the parts that have a name to `definitions`. */
  readonly schema: (definitions: Definitions) => JsonObject;
}

/** A shape for which the JSON Schema has a definition. */
export function named<T>(name: string, { read, schema }: Shape<T>): Shape<T> {
  const describe = (definitions: Definitions): JsonObject => {
    definitions[name] ??= schema(definitions);
    return { $ref: `#/definitions/${name}` };
  };
  return { read, schema: describe };
}

/** Adds a description and examples to the JSON Schema of a shape. */
export function about<T>(description: string, { read, schema }: Shape<T>, examples?: readonly JsonValue[]): Shape<T> {
  return {
    read,
    schema: (definitions) => ({ description, ...(examples !== undefined && { examples }), ...schema(definitions) }),
  };
}

interface ReadNode {
  readonly node: FileNode;
  /** How messages call the value. */
  readonly name: string;
  readonly report: FileReport;
}

/** A shape whose value is checked further, or converted. */
export function refined<T, U>(
  { read, schema }: Shape<T>,
  refine: (value: T, read: ReadNode) => U | undefined,
): Shape<U> {
  const readAndRefine: NodeReader<U> = (node, name, report) => {
    const value = read(node, name, report);
    return value === undefined ? undefined : refine(value, { node, name, report });
  };
  return { read: readAndRefine, schema };
}

export function describeNode(node: FileNode): string {
  if (node.type === 'map') return 'a mapping';
  if (node.type === 'list') return 'a list';
  if (typeof node.value === 'number') return `the number ${node.value}`;
  return typeof node.value === 'string' ? `the string ${quoteName(node.value)}` : String(node.value);
}

/** Reports that a node has the wrong kind. */
export function reportWrongKind(node: FileNode, name: string, report: FileReport): (wanted: string) => undefined {
  const isEmpty = node.type === 'scalar' && node.value === null;
  const problem = isEmpty ? 'has no value' : `is ${describeNode(node)}`;
  return (wanted) => report.problem(node.at, `${name} ${problem}; write ${wanted}`);
}

type TextNode = ScalarNode & { readonly value: string };

export function isText(node: FileNode): node is TextNode {
  return node.type === 'scalar' && typeof node.value === 'string';
}

const readTextNode: NodeReader<TextNode> = (node, name, report) => {
  if (isText(node)) return node;
  if (node.type === 'scalar' && node.value !== null) {
    return report.problem(node.at, `${name} is ${describeNode(node)}; put it in quotes if you mean a string`);
  }
  return reportWrongKind(node, name, report)('a string');
};

/** Any string, as its node. The caller checks the length and the pattern; by default, not only white space. */
export function text(maxLength: number, pattern = '\\S'): Shape<TextNode> {
  return { read: readTextNode, schema: () => ({ type: 'string', maxLength, pattern }) };
}

/** A name, reason or path: not empty, one line, limited length. */
export function line(maxLength: number, pattern?: string): Shape<string> {
  return refined(text(maxLength, pattern), ({ style, value, at }, { name, report }) => {
    // A block scalar ends with a line end that is not part of the text.
    const given = style === 'block' ? value.trimEnd() : value;
    const problem = textProblem(given, maxLength);
    if (problem === undefined) return given;
    const hint = given.includes('\n') ? '; put it on one line, or use a ">-" block' : '';
    return report.problem(at, `${name} ${problem}${hint}`);
  });
}

export const boolean: Shape<boolean> = {
  read: (node, name, report) =>
    node.type === 'scalar' && typeof node.value === 'boolean'
      ? node.value
      : reportWrongKind(node, name, report)('true or false'),
  schema: () => ({ type: 'boolean' }),
};

/** "a, b or c" */
export function orList(words: readonly string[]): string {
  return words.join(', ').replace(/, (?=[^,]*$)/, ' or ');
}

export function choice<T extends string>(...choices: readonly T[]): Shape<T> {
  const read: NodeReader<T> = (node, name, report) => {
    const wanted = orList(choices);
    if (!isText(node)) return reportWrongKind(node, name, report)(wanted);
    const chosen = choices.find((each) => each === node.value);
    if (chosen !== undefined) return chosen;
    const { value } = node;
    return report.problem(node.at, `${name} is ${quoteName(value)}, not ${wanted}${didYouMean(value, choices)}`);
  };
  return { read, schema: () => ({ enum: choices }) };
}

const maxEntries = 10_000;

/** A list with at most `max` entries. Invalid entries are reported and omitted. */
export function list<T>(item: Shape<T>, max = maxEntries): Shape<readonly T[]> {
  const read: NodeReader<readonly T[]> = (node, name, report) => {
    const dashed = node.type === 'map' ? node.entries.find(({ key }) => /^-[^\s-]/.test(key)) : undefined;
    if (dashed !== undefined)
      return report.problem(dashed.at, `${quoteName(dashed.key)} is not a list entry; write a space after the "-"`);
    if (node.type !== 'list') return reportWrongKind(node, name, report)('a list');
    if (node.items.length > max) return report.problem(node.at, `${name} has more than ${max} entries`);
    return node.items.flatMap((each) => item.read(each, `an entry of ${name}`, report) ?? []);
  };
  return { read, schema: (definitions) => ({ type: 'array', maxItems: max, items: item.schema(definitions) }) };
}

/** One item, or a list of at least one and at most `max`. */
export function oneOrMore<T>(item: Shape<T>, max = maxEntries): Shape<readonly T[]> {
  const items = list(item, max);
  const read: NodeReader<readonly T[]> = (node, name, report) => {
    if (node.type === 'list' && node.items.length === 0)
      return report.problem(node.at, `${name} is an empty list; add an entry, or remove the key`);
    if (node.type === 'list') return items.read(node, name, report);
    const one = item.read(node, name, report);
    return one === undefined ? undefined : [one];
  };
  return {
    read,
    schema: (definitions) => ({
      oneOf: [item.schema(definitions), { ...items.schema(definitions), minItems: 1 }],
    }),
  };
}

export interface KnownFields<T> {
  readonly values: Partial<T>;
  /** The entries by key. If a key appears twice, the first one. */
  readonly entries: ReadonlyMap<string, MapEntry>;
}

export interface FieldsOptions {
  /** How messages call the mapping, if not by its key. */
  readonly title?: string;
  /** Keys that must be there, and the message if one is missing. */
  readonly required?: Readonly<Record<string, string>>;
  readonly nonEmpty?: boolean;
  /** Constraints between the keys, for the JSON Schema. The reader of the mapping checks them too. */
  readonly schema?: JsonObject;
}

/** A mapping with known keys. Every other key is reported. */
export function fields<T extends object>(
  shapes: { readonly [K in keyof T]: Shape<T[K]> },
  { title, required = {}, nonEmpty = false, schema }: FieldsOptions = {},
): Shape<KnownFields<T>> {
  const known = Object.keys(shapes) as (string & keyof T)[];
  const read: NodeReader<KnownFields<T>> = (node, key, report) => {
    const name = title ?? key;
    if (node.type !== 'map') return reportWrongKind(node, name, report)(`a mapping with ${known.join(', ')}`);
    const entries = new Map<string, MapEntry>();
    const values: Partial<T> = {};
    for (const entry of node.entries) {
      const field = known.find((each) => each === entry.key);
      if (field === undefined) report.problem(entry.at, () => unknownKeyProblem(entry.key, name, known));
      if (entries.has(entry.key)) continue;
      entries.set(entry.key, entry);
      const value = field === undefined ? undefined : shapes[field].read(entry.value, field, report);
      if (field !== undefined && value !== undefined) values[field] = value;
    }
    for (const [field, problem] of Object.entries(required)) {
      if (!entries.has(field)) report.problem(node.at, problem);
    }
    if (nonEmpty && entries.size === 0)
      return report.problem(node.at, `${name} is empty; write ${known.join(', ')}, or remove it`);
    return { values, entries };
  };
  const describe = (definitions: Definitions): JsonObject => ({
    type: 'object',
    ...(nonEmpty && { minProperties: 1 }),
    ...(Object.keys(required).length > 0 && { required: Object.keys(required) }),
    ...schema,
    additionalProperties: false,
    properties: Object.fromEntries(known.map((field) => [field, shapes[field].schema(definitions)])),
  });
  return { read, schema: describe };
}

function unknownKeyProblem(key: string, name: string, known: readonly string[]): string {
  return `${name} has no key ${quoteName(key)}${didYouMean(key, known) || `; valid keys are ${known.join(', ')}`}`;
}
