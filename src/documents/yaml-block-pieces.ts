/** The characters of a block scalar: literal (`|`) or folded (`>`). */

import type { ScalarNode } from './document-node.ts';
import { linesOf, type PieceWriter } from './yaml-piece-writer.ts';

interface BlockLine {
  /** Without its indentation; of a line indented further, with what is too much. */
  readonly text: string;
  readonly at: number;
  readonly isFurther: boolean;
}

export function writeBlock({ raw, at, indent }: ScalarNode, writer: PieceWriter): void {
  const body = raw.indexOf('\n') + 1;
  const [, mode, marks = ''] = /^([|>])([-+\d]*)/.exec(raw) ?? [];
  const { lines, content } = blockLines(raw.slice(body), at + body, { indent, marks });
  if (mode === '|') writeLiteral(lines.slice(0, content), writer);
  else writeFolded(lines.slice(0, content), writer);
  const last = lines[content - 1];
  if (last === undefined || marks.includes('-')) return;
  const end = last.at + last.text.length;
  if (marks.includes('+')) {
    for (const line of lines.slice(content)) writer.writeFrom(`\n${line.text}`, line.at - 1);
  }
  if (!marks.includes('+') || !writer.text.endsWith('\n')) writer.writeFrom('\n', end);
}

/** The lines of a block, and how many of them are its content: what follows is only white space. */
function blockLines(text: string, at: number, { indent, marks }: { indent: number; marks: string }) {
  const given = linesOf(text, at);
  const depths = given.map((line) => line.text.length - line.text.replace(/^ +/, '').length);
  const isBlank = (index: number): boolean => depths[index] === given[index]?.text.length;
  const first = given.findIndex((_, index) => !isBlank(index));
  const stated = Number(/\d/.exec(marks)?.[0] ?? 0);
  const trim = stated > 0 ? indent + stated : (depths[first] ?? 0);
  const lines = given.map(({ text, at }, index): BlockLine => {
    const cut = Math.min(trim, depths[index] ?? 0);
    return { text: text.slice(cut), at: at + cut, isFurther: (depths[index] ?? 0) > trim || text[cut] === '\t' };
  });
  const last = given.findLastIndex((_, index) => !isBlank(index) || (depths[index] ?? 0) > trim);
  return { lines, content: first === -1 ? 0 : last + 1 };
}

function writeLiteral(lines: readonly BlockLine[], writer: PieceWriter): void {
  for (const [index, line] of lines.entries()) {
    if (index > 0) writer.writeFrom('\n', endOf(lines[index - 1]));
    writer.write(line.text, line.at);
  }
}

/** Lines are joined by a space, or by the empty lines between them; lines that are indented further stay as they are. */
function writeFolded(lines: readonly BlockLine[], writer: PieceWriter): void {
  const first = lines.findIndex((line) => line.text.trim() !== '' || line.isFurther);
  let [joint, wasFurther] = ['', false];
  for (const [index, line] of lines.entries()) {
    if (index < first) {
      writer.writeFrom('\n', endOf(line));
      continue;
    }
    const end = endOf(lines[index - 1]);
    if (line.isFurther) {
      if (joint === ' ') joint = '\n';
      else if (!wasFurther && joint === '\n') joint = '\n\n';
    } else if (line.text === '') {
      if (joint === '\n') writer.writeFrom('\n', end);
      joint = '\n';
      continue;
    }
    writer.writeFrom(joint, end);
    writer.write(line.text, line.at);
    [joint, wasFurther] = line.isFurther ? ['\n', true] : [' ', false];
  }
}

function endOf(line: BlockLine | undefined): number {
  return line === undefined ? 0 : line.at + line.text.length;
}
