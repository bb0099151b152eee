/** Shared by the programs in this folder: their options, and reading their input lines. */

import { createInterface } from 'node:readline';

export interface Place {
  /** The folder of the store and its keys. */
  readonly at: string;
  readonly keys: string;
}

export function readOptions<T extends Place>(): T {
  return JSON.parse(process.argv[2] ?? '') as T;
}

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

/** The next line of stdin; undefined at its end. */
export async function nextOrder(): Promise<string | undefined> {
  const { value, done } = (await lines.next()) as IteratorResult<string, undefined>;
  return done === true ? undefined : value;
}

export function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}
