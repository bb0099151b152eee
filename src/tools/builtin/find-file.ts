import { BridleError } from '../../kernel/errors.ts';
import { utf8Length } from '../../kernel/json.ts';
import { checkedFolder } from '../files/checked-argument.ts';
import { staysInFolder } from '../files/stays-in-folder.ts';
import { visibleName } from './list-directory.ts';
import { fileNameMatcher } from '../files/file-name-matcher.ts';
import { outputLimit } from '../definition/output-limit.ts';
import { runRipgrep, type RipgrepOptions } from '../processes/ripgrep.ts';
import type { ToolContext } from '../definition/runnable-tool.ts';
import { argsSchema, folderPathAliases, kib, seconds, type BuiltinToolSpec } from '../definition/builtin-tool-spec.ts';

export const findFileTool: BuiltinToolSpec = {
  name: 'find_file',
  description:
    'Finds files below a folder by name, respecting .gitignore. The query is part of the name (config), a pattern for ' +
    'the whole name (*.test.ts), or, with a slash, for the whole path below the folder (src/**/*.ts). Ignores case.',
  tier: 'observe',
  schema: argsSchema(
    {
      directory_path: { type: 'string', minLength: 1, description: 'The folder to look in.' },
      query: { type: 'string', minLength: 1, maxLength: 1000, description: 'Part of the name, or a pattern.' },
    },
    ['directory_path', 'query'],
  ),
  paths: ['directory_path'],
  touches: { reads: ['directory_path'] },
  aliases: { names: ['find_by_name', 'FIND_FILE'], args: { ...folderPathAliases, Query: 'query' } },
  grant: { timeoutMs: 60 * seconds, outputBytes: 64 * kib },
};

const maxFound = 10_000;

interface FindArgs {
  readonly directory_path: string;
  readonly query: string;
}

export function findFile(options: RipgrepOptions): (args: FindArgs, context: ToolContext) => Promise<string> {
  return async ({ directory_path, query }, context) => {
    if (query.includes('\0')) throw new BridleError('TOOL_FAILED', 'The query contains a NUL character.');
    const folder = checkedFolder('directory_path', directory_path, context);
    const fits = fileNameMatcher(query);
    const found: string[] = [];
    const isPartial = await runRipgrep({
      ...options,
      folder,
      args: ['--files', '--null'],
      separator: 0,
      signal: context.signal,
      take: (name) => !fits(name) || found.push(name) <= maxFound,
    });
    const text = listFound(found.filter(staysInFolder(folder)), outputLimit(context, 64 * kib));
    return isPartial ? `${text}\n[some folders could not be read]` : text;
  };
}

function listFound(found: readonly string[], bytes: number): string {
  if (found.length === 0) return 'No file was found.';
  let left = bytes;
  const names = found.slice(0, maxFound).toSorted().map(visibleName);
  const shown = names.filter((name) => (left -= utf8Length(name.toWellFormed()) + 1) >= 0);
  const missing = found.length - shown.length;
  const atLeast = found.length > maxFound ? ' or more' : '';
  return [...shown, ...(missing === 0 ? [] : [`[${missing}${atLeast} further files are not shown]`])].join('\n');
}
