/** Reads single values of a policy file: each says what is wrong, where, and what would be right. */

import { meant, quoteName, textProblem } from '../catalog/names.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { defaultLimits } from '../limits.ts';
import type { PlacedText } from './document.ts';
import type { DocumentNode, ScalarNode } from './document-node.ts';
import type { DocumentReport } from './document-report.ts';

/** Gives what a node means; undefined if it reported why it means nothing. `name` is what messages call it. */
export type Read<T> = (node: DocumentNode, name: string, report: DocumentReport) => T | undefined;

export function kindOfNode(node: DocumentNode): string {
  if (node.type === 'map') return 'a mapping';
  if (node.type === 'list') return 'a list';
  if (typeof node.value === 'number') return `the number ${node.value}`;
  return typeof node.value === 'string' ? `the text ${quoteName(node.value)}` : String(node.value);
}

/** Reports that something is not of the kind that is wanted. */
export function wrongKind(node: DocumentNode, name: string, report: DocumentReport): (wanted: string) => undefined {
  return (wanted) => {
    if (node.type === 'scalar' && node.value === null) {
      return report.problem(node.at, `${name} has no value; write ${wanted}`);
    }
    return report.problem(node.at, `${name} is ${kindOfNode(node)}; write ${wanted}`);
  };
}

type TextNode = ScalarNode & { readonly value: string };

/** Any text at all, as the node that holds it. */
export const readTextNode: Read<TextNode> = (node, name, report) => {
  if (node.type === 'scalar' && typeof node.value === 'string') return node as TextNode;
  if (node.type === 'scalar' && node.value !== null) {
    return report.problem(node.at, `${name} is ${kindOfNode(node)}; put it in quotes if a text is meant`);
  }
  return wrongKind(node, name, report)('a text');
};

/** A text for people, or a path: not empty, on one line, bounded. */
function readLine(maxLength: number): Read<string> {
  return (node, name, report) => {
    const given = readTextNode(node, name, report);
    if (given === undefined) return undefined;
    // The last line end of a block belongs to the block.
    const text = given.style === 'block' ? given.value.trimEnd() : given.value;
    const problem = textProblem(text, maxLength);
    if (problem === undefined) return text;
    const hint = text.includes('\n') ? '; put it on one line, or after ">-"' : '';
    return report.problem(node.at, `${name} ${problem}${hint}`);
  };
}

export const readName = readLine(defaultLimits.nameLength);
export const readReason = readLine(defaultLimits.reasonLength);
export const readPath = readLine(4096);

export const readPlaced: Read<PlacedText> = (node, name, report) => {
  const text = readPath(node, name, report);
  return text === undefined ? undefined : { text, at: report.place(node.at) };
};

export const readFlag: Read<boolean> = (node, name, report) =>
  node.type === 'scalar' && typeof node.value === 'boolean'
    ? node.value
    : wrongKind(node, name, report)('true or false');

export function readChoice<T extends string>(...choices: readonly T[]): Read<T> {
  const forms = choices.join(', ').replace(/, (?=[^,]*$)/, ' or ');
  return (node, name, report) => {
    const text = node.type === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
    const choice = choices.find((each) => each === text);
    if (choice !== undefined) return choice;
    if (text === undefined) return wrongKind(node, name, report)(forms);
    return report.problem(node.at, `${name} is ${quoteName(text)}, not ${forms}${meant(text, choices)}`);
  };
}

/** A list; `most` bounds it. Items that mean nothing are reported and left out. */
export function readList<T>(readItem: Read<T>, most = 10_000): Read<readonly T[]> {
  return (node, name, report) => {
    const dashed = node.type === 'map' ? node.entries.find(({ key }) => /^-[^\s-]/.test(key)) : undefined;
    if (dashed !== undefined)
      return report.problem(dashed.at, `${quoteName(dashed.key)} is no entry of a list; write a space after the "-"`);
    if (node.type !== 'list') return wrongKind(node, name, report)('a list');
    if (node.items.length > most) return report.problem(node.at, `${name} has more than ${most} entries`);
    return node.items.flatMap((item) => readItem(item, `an entry of ${name}`, report) ?? []);
  };
}

/** One, or a list of at least one. */
export function readSome<T>(readItem: Read<T>): Read<readonly T[]> {
  const readItems = readList(readItem);
  return (node, name, report) => {
    if (node.type === 'list' && node.items.length === 0) {
      return report.problem(node.at, `${name} is an empty list; name at least one, or leave the key out`);
    }
    if (node.type === 'list') return readItems(node, name, report);
    const one = readItem(node, name, report);
    return one === undefined ? undefined : [one];
  };
}

/** JSON data, as in the args of a test. */
export const readData: Read<JsonObject> = (node, name, report) => {
  if (node.type !== 'map') return wrongKind(node, name, report)('a mapping');
  return dataOf(node, report) as JsonObject;
};

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function dataOf(node: DocumentNode, report: DocumentReport): JsonValue {
  if (node.type === 'list') return node.items.map((item) => dataOf(item, report));
  if (node.type === 'scalar') {
    const problem = scalarProblem(node);
    if (problem !== undefined) report.problem(node.at, problem);
    return node.value;
  }
  const data: Record<string, JsonValue> = {};
  for (const { key, at, value } of node.entries) {
    if (key === '__proto__') report.problem(at, 'the key "__proto__" cannot be part of any data');
    else data[key] = dataOf(value, report);
  }
  return data;
}

function scalarProblem({ value, raw, style }: ScalarNode): string | undefined {
  if (style === 'empty') return 'a value is missing; write null if nothing is meant';
  if (typeof value !== 'number') return undefined;
  const quotes = 'put it in quotes if a text is meant';
  if (!Number.isFinite(value)) return `${quoteName(raw)} is no number that JSON knows; ${quotes}`;
  if (!jsonNumber.test(raw)) return `${quoteName(raw)} is read as the number ${value}; write it so, or ${quotes}`;
  // 12345678901234567890 would be kept as another number.
  const isExact = Number.isSafeInteger(value) || !/^-?\d+$/.test(raw) || BigInt(raw) === BigInt(value);
  return isExact ? undefined : `the number ${quoteName(raw)} cannot be kept exactly; ${quotes}`;
}
