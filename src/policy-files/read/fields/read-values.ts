/** Readers for single values. Each reports what is wrong, where, and what would be valid. */

import { didYouMean, quoteName, textProblem } from '../../../kernel/names.ts';
import type { JsonObject, JsonValue } from '../../../kernel/json.ts';
import { defaultLimits } from '../../../kernel/limits.ts';
import type { LocatedText } from '../../policy-file.ts';
import type { FileNode, ScalarNode } from '../syntax/file-node.ts';
import type { FileReport } from '../syntax/file-report.ts';

/** Returns the value of a node, or undefined after reporting a problem. `name` is how messages call the value. */
export type NodeReader<T> = (node: FileNode, name: string, report: FileReport) => T | undefined;

export function describeNode(node: FileNode): string {
  if (node.type === 'map') return 'a mapping';
  if (node.type === 'list') return 'a list';
  if (typeof node.value === 'number') return `the number ${node.value}`;
  return typeof node.value === 'string' ? `the string ${quoteName(node.value)}` : String(node.value);
}

/** Reports that a node has the wrong kind. */
export function reportWrongKind(node: FileNode, name: string, report: FileReport): (wanted: string) => undefined {
  return (wanted) => {
    if (node.type === 'scalar' && node.value === null) {
      return report.problem(node.at, `${name} has no value; write ${wanted}`);
    }
    return report.problem(node.at, `${name} is ${describeNode(node)}; write ${wanted}`);
  };
}

type TextNode = ScalarNode & { readonly value: string };

/** Any string, as its node. */
export const readTextNode: NodeReader<TextNode> = (node, name, report) => {
  if (node.type === 'scalar' && typeof node.value === 'string') return node as TextNode;
  if (node.type === 'scalar' && node.value !== null) {
    return report.problem(node.at, `${name} is ${describeNode(node)}; put it in quotes if you mean a string`);
  }
  return reportWrongKind(node, name, report)('a string');
};

/** A name, reason or path: not empty, one line, limited length. */
function lineReader(maxLength: number): NodeReader<string> {
  return (node, name, report) => {
    const given = readTextNode(node, name, report);
    if (given === undefined) return undefined;
    // A block scalar ends with a line end that is not part of the text.
    const text = given.style === 'block' ? given.value.trimEnd() : given.value;
    const problem = textProblem(text, maxLength);
    if (problem === undefined) return text;
    const hint = text.includes('\n') ? '; put it on one line, or use a ">-" block' : '';
    return report.problem(node.at, `${name} ${problem}${hint}`);
  };
}

export const readName = lineReader(defaultLimits.nameLength);
export const readReason = lineReader(defaultLimits.reasonLength);
export const readPath = lineReader(4096);

export const readLocatedPath: NodeReader<LocatedText> = (node, name, report) => {
  const text = readPath(node, name, report);
  return text === undefined ? undefined : { text, at: report.positionOf(node.at) };
};

export const readBoolean: NodeReader<boolean> = (node, name, report) =>
  node.type === 'scalar' && typeof node.value === 'boolean'
    ? node.value
    : reportWrongKind(node, name, report)('true or false');

export function readChoice<T extends string>(...choices: readonly T[]): NodeReader<T> {
  const choicesText = choices.join(', ').replace(/, (?=[^,]*$)/, ' or ');
  return (node, name, report) => {
    const text = node.type === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
    const choice = choices.find((each) => each === text);
    if (choice !== undefined) return choice;
    if (text === undefined) return reportWrongKind(node, name, report)(choicesText);
    return report.problem(node.at, `${name} is ${quoteName(text)}, not ${choicesText}${didYouMean(text, choices)}`);
  };
}

/** A list with at most `max` entries. Invalid entries are reported and omitted. */
export function readList<T>(readItem: NodeReader<T>, max = 10_000): NodeReader<readonly T[]> {
  return (node, name, report) => {
    const dashed = node.type === 'map' ? node.entries.find(({ key }) => /^-[^\s-]/.test(key)) : undefined;
    if (dashed !== undefined)
      return report.problem(dashed.at, `${quoteName(dashed.key)} is not a list entry; write a space after the "-"`);
    if (node.type !== 'list') return reportWrongKind(node, name, report)('a list');
    if (node.items.length > max) return report.problem(node.at, `${name} has more than ${max} entries`);
    return node.items.flatMap((item) => readItem(item, `an entry of ${name}`, report) ?? []);
  };
}

/** One item, or a list of at least one. */
export function readOneOrMore<T>(readItem: NodeReader<T>): NodeReader<readonly T[]> {
  const readItems = readList(readItem);
  return (node, name, report) => {
    if (node.type === 'list' && node.items.length === 0) {
      return report.problem(node.at, `${name} is an empty list; add an entry, or remove the key`);
    }
    if (node.type === 'list') return readItems(node, name, report);
    const one = readItem(node, name, report);
    return one === undefined ? undefined : [one];
  };
}

/** JSON data, such as the args of a test. */
export const readJsonObject: NodeReader<JsonObject> = (node, name, report) => {
  if (node.type !== 'map') return reportWrongKind(node, name, report)('a mapping');
  return jsonOf(node, report) as JsonObject;
};

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

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
