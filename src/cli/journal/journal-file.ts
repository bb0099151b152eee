import { LineReader } from '../../files/line-reader.ts';
import { readFrom } from '../../files/blocking-io.ts';

/** A record holds the args of a call twice, and the result of one with what it was before. */
const maxRecordBytes = 64 * 1024 * 1024;

/** The lines of an exported journal. One that cannot be read stays a line: one that is no record. */
export function* journalFileLines(file: number): Generator<string, void, undefined> {
  const reader = new LineReader(readFrom(file), maxRecordBytes);
  for (let lines = reader.next(); lines !== undefined; lines = reader.next()) {
    for (const { text, problem } of lines) yield text ?? `(${problem})`;
  }
}
