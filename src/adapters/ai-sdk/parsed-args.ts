/** What the AI SDK gives to a tool, and what a tool gives back. */

import { canonicalText, copyJson, type JsonValue } from '../../kernel/json.ts';
import type { StandardSchema } from '../../kernel/tool.ts';

/** The args of one tool that the SDK has parsed. To parse them again would apply conversions of the schema twice. */
export class ParsedArgs {
  private readonly current = new Map<string, number>();

  /** The same schema, except that it takes the args of current calls as they are. */
  readonly accept = (schema: StandardSchema): StandardSchema => {
    const standard = schema['~standard'];
    const validate: typeof standard.validate = (value) =>
      this.current.has(canonicalText(value as JsonValue)) ? { value } : standard.validate(value);
    return { '~standard': { ...standard, validate } };
  };

  async during<T>(args: unknown, work: () => Promise<T>): Promise<T> {
    const text = textOf(args);
    this.current.set(text, (this.current.get(text) ?? 0) + 1);
    try {
      return await work();
    } finally {
      const left = (this.current.get(text) ?? 1) - 1;
      if (left === 0) this.current.delete(text);
      else this.current.set(text, left);
    }
  }
}

/** Args that are not JSON data are refused by the guard. */
function textOf(args: unknown): string {
  const { value } = copyJson(args, { bytes: Number.POSITIVE_INFINITY, depth: 1000 }) as { readonly value?: JsonValue };
  return value === undefined ? '' : canonicalText(value);
}

/** For a tool that yields several results, the last one counts. */
export async function lastOf(result: unknown): Promise<unknown> {
  if (typeof result !== 'object' || result === null || !(Symbol.asyncIterator in result)) return result;
  let last: unknown;
  for await (const each of result as AsyncIterable<unknown>) last = each;
  return last;
}
