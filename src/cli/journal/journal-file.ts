import { LineReader } from '../../files/line-reader.ts';
import { readFrom } from '../../files/blocking-io.ts';

/** Large enough for a record with the args of a call twice, or a result before and after a change. */
const maxRecordBytes = 64 * 1024 * 1024;

/** The lines of an exported journal. An unreadable line is kept as an invalid record, so that verification reports it. */
export function* journalFileLines(file: number): Generator<string, void, undefined> {
  const reader = new LineReader(readFrom(file), maxRecordBytes);
  for (let lines = reader.next(); lines !== undefined; lines = reader.next()) {
    for (const { text, problem } of lines) yield text ?? `(${problem})`;
  }
}
