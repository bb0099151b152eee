/** Maps the characters of a block scalar: literal (`|`) or folded (`>`). */

import type { ScalarNode } from './file-node.ts';
import { linesOf, type SourceMapWriter } from './source-map-writer.ts';

interface BlockLine {
  /** Without its indentation; for a line that is indented further, with the extra spaces. */
  readonly text: string;
  readonly at: number;
  readonly isMoreIndented: boolean;
}

export function writeBlock({ raw, at, indent }: ScalarNode, writer: SourceMapWriter): void {
  const body = raw.indexOf('\n') + 1;
  const [, mode, indicators = ''] = /^([|>])([-+\d]*)/.exec(raw) ?? [];
  const { lines, content } = blockLines(raw.slice(body), at + body, { indent, indicators });
  if (mode === '|') writeLiteral(lines.slice(0, content), writer);
  else writeFolded(lines.slice(0, content), writer);
  const last = lines[content - 1];
  if (last === undefined || indicators.includes('-')) return;
  const end = last.at + last.text.length;
  if (indicators.includes('+')) {
    for (const line of lines.slice(content)) writer.writeFrom(`\n${line.text}`, line.at - 1);
  }
  if (!indicators.includes('+') || !writer.text.endsWith('\n')) writer.writeFrom('\n', end);
}

/** The lines of a block, and how many of them are content; the rest is white space. */
function blockLines(text: string, at: number, { indent, indicators }: { indent: number; indicators: string }) {
  const given = linesOf(text, at);
  const depths = given.map((line) => line.text.length - line.text.replace(/^ +/, '').length);
  const isBlank = (index: number): boolean => depths[index] === given[index]?.text.length;
  const first = given.findIndex((_, index) => !isBlank(index));
  const statedIndent = Number(/\d/.exec(indicators)?.[0] ?? 0);
  const trim = statedIndent > 0 ? indent + statedIndent : (depths[first] ?? 0);
  const lines = given.map(({ text, at }, index): BlockLine => {
    const cut = Math.min(trim, depths[index] ?? 0);
    return { text: text.slice(cut), at: at + cut, isMoreIndented: (depths[index] ?? 0) > trim || text[cut] === '\t' };
  });
  const last = given.findLastIndex((_, index) => !isBlank(index) || (depths[index] ?? 0) > trim);
  return { lines, content: first === -1 ? 0 : last + 1 };
}

function writeLiteral(lines: readonly BlockLine[], writer: SourceMapWriter): void {
  for (const [index, line] of lines.entries()) {
    if (index > 0) writer.writeFrom('\n', endOf(lines[index - 1]));
    writer.write(line.text, line.at);
  }
}

/** Joins lines with a space, or with the empty lines between them. Lines that are indented further stay as they are. */
function writeFolded(lines: readonly BlockLine[], writer: SourceMapWriter): void {
  const first = lines.findIndex((line) => line.text.trim() !== '' || line.isMoreIndented);
  let [separator, wasMoreIndented] = ['', false];
  for (const [index, line] of lines.entries()) {
    if (index < first) {
      writer.writeFrom('\n', endOf(line));
      continue;
    }
    const end = endOf(lines[index - 1]);
    if (line.isMoreIndented) {
      if (separator === ' ') separator = '\n';
      else if (!wasMoreIndented && separator === '\n') separator = '\n\n';
    } else if (line.text === '') {
      if (separator === '\n') writer.writeFrom('\n', end);
      separator = '\n';
      continue;
    }
    writer.writeFrom(separator, end);
    writer.write(line.text, line.at);
    [separator, wasMoreIndented] = line.isMoreIndented ? ['\n', true] : [' ', false];
  }
}

function endOf(line: BlockLine | undefined): number {
  return line === undefined ? 0 : line.at + line.text.length;
}
