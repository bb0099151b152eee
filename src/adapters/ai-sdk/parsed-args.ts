/** What the AI SDK gives to a tool, and what a tool gives back. */

import type { StandardSchema } from '../../kernel/tool.ts';
import { sameData } from '../same-data.ts';

/** The args of one tool that the SDK has parsed. To parse them again would apply conversions of the schema twice. */
export class ParsedArgs {
  private current: unknown;

  /** The same schema, except that it takes the args of the current call as they are. */
  readonly accept = (schema: StandardSchema): StandardSchema => {
    const standard = schema['~standard'];
    const validate: typeof standard.validate = (value) =>
      this.current !== undefined && sameData(value, this.current) ? { value } : standard.validate(value);
    return { '~standard': { ...standard, validate } };
  };

  /** Runs `work` up to its first pause, in which the guard reads the args. Args that a hook changes later are parsed. */
  during<T>(args: unknown, work: () => Promise<T>): Promise<T> {
    this.current = args;
    try {
      return work();
    } finally {
      this.current = undefined;
    }
  }
}

/** For a tool that yields several results, the last one counts. */
export function lastOf(result: unknown): unknown {
  return typeof result === 'object' && result !== null && Symbol.asyncIterator in result
    ? lastIn(result as AsyncIterable<unknown>)
    : result;
}

async function lastIn(results: AsyncIterable<unknown>): Promise<unknown> {
  let last: unknown;
  for await (const each of results) last = each;
  return last;
}
