/**
 * Maps each character of a scalar's value to its file offset. Quotes, escapes, folding and indentation make them
 * differ.
 */

import type { ScalarNode } from './file-node.ts';
import { writeBlock } from './block-source-map.ts';
import { linesOf, type SourceSegment, SourceMapWriter } from './source-map-writer.ts';

/** Sorted by offset. If a scalar could not be mapped, one segment for all of it; tests show that this never happens. */
export function scalarSourceMap(node: ScalarNode): readonly SourceSegment[] {
  const quote = node.style === 'single' || node.style === 'double' ? 1 : 0;
  const isAsWritten = node.style !== 'block' && node.raw.slice(quote, node.raw.length - quote) === node.value;
  if (isAsWritten) return [{ offset: 0, source: node.at + quote }];
  const writer = new SourceMapWriter();
  if (node.style === 'block') writeBlock(node, writer);
  else if (node.style === 'double') writeDouble(node, writer);
  else writeLines(node, writer);
  return writer.text === node.value ? writer.segments : [{ offset: 0, source: node.at }];
}

/** Plain and single-quoted scalars: lines are trimmed and folded. */
function writeLines({ raw, at, style }: ScalarNode, writer: SourceMapWriter): void {
  const quote = style === 'single' ? 1 : 0;
  const lines = linesOf(raw.slice(quote, raw.length - quote), at + quote);
  let [end, blanks] = [at, 0];
  for (const [index, line] of lines.entries()) {
    const head = index === 0 ? 0 : line.text.length - line.text.replace(/^[ \t]+/, '').length;
    const tail = index === lines.length - 1 ? line.text : trimmedEnd(line.text);
    const text = tail.slice(head);
    if (index > 0 && text === '' && index < lines.length - 1) blanks++;
    else {
      if (index > 0) writer.writeFrom(blanks === 0 ? ' ' : '\n'.repeat(blanks), end);
      blanks = 0;
      writeQuoted(text, line.at + head, { quote, writer });
      end = line.at + tail.length;
    }
  }
}

function trimmedEnd(text: string): string {
  let { length } = text;
  while (length > 0 && (text[length - 1] === ' ' || text[length - 1] === '\t')) length--;
  return text.slice(0, length);
}

/** Two single quotes mean one. */
function writeQuoted(text: string, at: number, { quote, writer }: { quote: number; writer: SourceMapWriter }): void {
  let from = 0;
  for (let next = quote === 0 ? -1 : text.indexOf("''"); next !== -1; next = text.indexOf("''", from)) {
    writer.write(text.slice(from, next + 1), at + from);
    from = next + 2;
  }
  writer.write(text.slice(from), at + from);
}

const escapes: ReadonlyMap<string, string> = new Map([
  ...Object.entries({ 0: '\0', a: '\x07', b: '\b', e: '\x1b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }),
  ...Object.entries({ N: '\u0085', _: '\u00a0', L: '\u2028', P: '\u2029' }),
]);
/** A line end with surrounding white space, an escaped line end, an escape, white space, or any other text. */
const token = /[ \t]*(?:\r?\n[ \t]*)+|\\\r?\n[ \t]*|\\(?:x(..)|u(.{4})|U(.{8})|(.))|[ \t]+|[^\\\s]+|./gsu;

function writeDouble({ raw, at }: ScalarNode, writer: SourceMapWriter): void {
  for (const match of raw.slice(1, -1).matchAll(token)) {
    const source = at + 1 + match.index;
    const [text, x, u, U, letter] = match;
    const code = x ?? u ?? U;
    if (code !== undefined) writer.writeFrom(String.fromCodePoint(Number.parseInt(code, 16)), source);
    else if (letter !== undefined) writer.writeFrom(escapes.get(letter) ?? letter, source);
    else if (text.startsWith('\\')) continue;
    else if (text.includes('\n')) writer.writeFrom('\n'.repeat(text.split('\n').length - 2) || ' ', source);
    else writer.write(text, source);
  }
}
