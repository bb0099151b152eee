/** What programs in this folder share: their options, and the lines they are told. */

import { createInterface } from 'node:readline';

export interface Place {
  /** Where the store and its keys are. */
  readonly at: string;
  readonly keys: string;
}

export function readOptions<T extends Place>(): T {
  return JSON.parse(process.argv[2] ?? '') as T;
}

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

/** The next line this process is told; undefined when nobody is left to tell one. */
export async function nextOrder(): Promise<string | undefined> {
  const { value, done } = (await lines.next()) as IteratorResult<string, undefined>;
  return done === true ? undefined : value;
}

export function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}
