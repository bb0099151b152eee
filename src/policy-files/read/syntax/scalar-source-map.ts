/**
 * Maps each character of a scalar's value to its file offset. Quotes, escapes, folding and indentation make them
 * differ.
 */

import type { ScalarNode } from './file-node.ts';

export interface SourceSegment {
  /** Offset in the value. */
  readonly offset: number;
  /** Offset in the file. From here on, file and value have the same characters. */
  readonly source: number;
}

/** Sorted by offset. If a scalar could not be mapped, one segment for all of it; tests show that this never happens. */
export function scalarSourceMap(node: ScalarNode): readonly SourceSegment[] {
  const { style, value, raw, at } = node;
  if (typeof value !== 'string') return [{ offset: 0, source: at }];
  const quote = style === 'single' || style === 'double' ? 1 : 0;
  const isAsWritten = style !== 'block' && raw.slice(quote, raw.length - quote) === value;
  if (isAsWritten) return [{ offset: 0, source: at + quote }];
  const segments = style === 'block' ? blockSegments(value, raw) : lineSegments(raw, quote, style);
  return segments.mapped === value.length
    ? segments.list.map(({ offset, source }) => ({ offset, source: at + source }))
    : [{ offset: 0, source: at }];
}

interface Segments {
  /** `source` is relative to the start of the scalar. */
  readonly list: readonly SourceSegment[];
  /** How many characters of the value they cover. */
  readonly mapped: number;
}

/** White space with a line end: folded to a space, or to one line end less. */
const fold = '[ \\t]*(?:\\r?\\n[ \\t]*)+';
const escapes = {
  plain: '(?!)',
  single: "''",
  double: '\\\\(?:x..|u.{4}|U.{8}|\\r?\\n[ \\t]*|.)',
};

/** Plain and quoted scalars: lines are trimmed and folded. */
function lineSegments(raw: string, quote: number, style: ScalarNode['style']): Segments {
  const escape = style === 'single' || style === 'double' ? escapes[style] : escapes.plain;
  const parts = new RegExp(`(${fold})|(${escape})|[ \\t]+|[^\\\\'\\s]+|.`, 'gsu');
  const list: SourceSegment[] = [];
  let [offset, isContiguous] = [0, false];
  for (const { 0: text, 1: folded, 2: escaped, index } of raw.slice(quote, raw.length - quote).matchAll(parts)) {
    const isAsWritten = folded === undefined && escaped === undefined;
    const source = index + quote;
    if (isAsWritten) {
      if (!isContiguous) list.push({ offset, source });
      offset += text.length;
    } else {
      const length = escaped === undefined ? Math.max(1, text.split('\n').length - 2) : escapedLength(escaped);
      for (const end = offset + length; offset < end; offset++) list.push({ offset, source });
    }
    isContiguous = isAsWritten;
  }
  return { list, mapped: offset };
}

/** How many UTF-16 units an escape stands for. An escaped line end stands for nothing. */
function escapedLength(escaped: string): number {
  if (escaped.includes('\n')) return 0;
  return escaped.startsWith('\\U') && Number.parseInt(escaped.slice(2), 16) > 0xffff ? 2 : 1;
}

const blockLine = /[^ \t\r\n](?:[^\r\n]*[^ \t\r\n])?/g;

/** Block scalars, literal (`|`) or folded (`>`): only the white space between their lines changes. */
function blockSegments(value: string, raw: string): Segments {
  const list: SourceSegment[] = [];
  let [offset, lineEnd] = [0, raw.indexOf('\n')];
  const mapWhiteSpace = (): void => {
    for (; ' \t\n'.includes(value[offset] ?? '?'); offset++) list.push({ offset, source: lineEnd });
  };
  blockLine.lastIndex = lineEnd + 1;
  for (let line = blockLine.exec(raw); line !== null; line = blockLine.exec(raw)) {
    mapWhiteSpace();
    list.push({ offset, source: line.index });
    offset += line[0].length;
    lineEnd = blockLine.lastIndex;
  }
  mapWhiteSpace();
  return { list, mapped: offset };
}
