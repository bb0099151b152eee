/** Adds and removes values in the text of JSON with comments. Everything else keeps its bytes. */

import type { JsonValue } from '../../kernel/json.ts';
import type { JsoncArray, JsoncObject } from './jsonc.ts';

interface Format {
  readonly lineBreak: string;
  /** One level of indentation. */
  readonly unit: string;
}

/** The object or list with another last value. */
export function appendValue(
  text: string,
  container: JsoncObject | JsoncArray,
  addition: { readonly key?: string; readonly value: JsonValue },
): string {
  const { lineBreak, unit } = formatOf(text);
  const children = childrenOf(container);
  const inside = text.slice(container.start + 1, container.end - 1);
  const label = addition.key === undefined ? '' : `${JSON.stringify(addition.key)}: `;
  const isOneLine = children.length > 0 && !inside.includes('\n');
  // Comments after the last value stay where they are.
  const contentEnd = container.start + 1 + inside.trimEnd().length;
  const last = children.at(-1);
  const comma = last === undefined || hasCommaAfter(text, last.end, container.end) ? '' : ',';
  const commaAt = last?.end ?? contentEnd;
  const head = `${text.slice(0, commaAt)}${comma}${text.slice(commaAt, contentEnd)}`;
  if (isOneLine) return `${head} ${label}${JSON.stringify(addition.value)}${text.slice(contentEnd)}`;
  const outer = indentOfLine(text, container.start);
  const written = JSON.stringify(addition.value, undefined, unit).replaceAll('\n', `${lineBreak}${outer}${unit}`);
  const closing = inside.includes('\n')
    ? text.slice(contentEnd)
    : `${lineBreak}${outer}${text.slice(container.end - 1)}`;
  return `${head}${lineBreak}${outer}${unit}${label}${written}${closing}`;
}

/** The text without one of the values of an object or list. */
export function removeValue(text: string, container: JsoncObject | JsoncArray, index: number): string {
  const children = childrenOf(container);
  const [child, previous] = [children[index], children[index - 1]];
  if (child === undefined) return text;
  const from = blankStart(text, child.start, container.start + 1);
  const to = hasCommaAfter(text, child.end, container.end) ? commaAfter(text, child.end) : child.end;
  if (children.length === 1) {
    const rest = text.slice(to, container.end - 1);
    return `${text.slice(0, from)}${rest.trim() === '' ? '' : rest}${text.slice(container.end - 1)}`;
  }
  // The last value takes the comma before it along, unless it has one after it.
  const comma = previous !== undefined && to === child.end ? commaAfter(text, previous.end) : undefined;
  const head = comma === undefined ? text.slice(0, from) : `${text.slice(0, comma - 1)}${text.slice(comma, from)}`;
  return `${head}${text.slice(to)}`;
}

interface Child {
  readonly start: number;
  readonly end: number;
}

function childrenOf(container: JsoncObject | JsoncArray): readonly Child[] {
  return container.type === 'array'
    ? container.items
    : container.members.map(({ start, value }) => ({ start, end: value.end }));
}

const betweenValues = /(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)*/y;

function hasCommaAfter(text: string, at: number, limit: number): boolean {
  betweenValues.lastIndex = at;
  const skipped = betweenValues.exec(text)?.[0].length ?? 0;
  return at + skipped < limit && text[at + skipped] === ',';
}

/** The offset after the comma that follows a value. */
function commaAfter(text: string, at: number): number {
  betweenValues.lastIndex = at;
  return at + (betweenValues.exec(text)?.[0].length ?? 0) + 1;
}

/** Where the white space before a value starts, including the line break. */
function blankStart(text: string, at: number, least: number): number {
  return least + text.slice(least, at).trimEnd().length;
}

function indentOfLine(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return /^\uFEFF?([ \t]*)/.exec(line)?.[1] ?? '';
}

function formatOf(text: string): Format {
  const unit = /^\uFEFF?\s*(?:(?:\/\/[^\n]*|\/\*[^]*?\*\/)\s*)*\{\s*?\r?\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
  return { lineBreak: text.includes('\r\n') ? '\r\n' : '\n', unit };
}
