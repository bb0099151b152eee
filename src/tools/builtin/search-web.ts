import type { JsonValue } from '../../kernel/json.ts';
import type { ToolContext } from '../definition/runnable-tool.ts';
import { argsSchema, kib, seconds, type BuiltinToolSpec } from '../definition/builtin-tool-spec.ts';

/** Searches the web with a service of your choice. Returns text or data. */
export type WebSearch = (query: string, options: { readonly signal: AbortSignal }) => Promise<JsonValue> | JsonValue;

export const searchWebTool: BuiltinToolSpec = {
  name: 'search_web',
  description: 'Searches the web and returns titles, URLs and extracts.',
  tier: 'confirm',
  touches: {},
  schema: argsSchema({ query: { type: 'string', minLength: 1, maxLength: 2000, description: 'What to look for.' } }, [
    'query',
  ]),
  aliases: { names: ['web_search', 'SEARCH_WEB'], args: { Query: 'query' } },
  grant: { timeoutMs: 60 * seconds, outputBytes: 128 * kib },
};

export function searchWeb(search: WebSearch): (args: { readonly query: string }, context: ToolContext) => unknown {
  return ({ query }, { signal }) => search(query, { signal });
}
