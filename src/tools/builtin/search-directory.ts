import { BridleError } from '../../kernel/errors.ts';
import { utf8Length } from '../../kernel/json.ts';
import { checkedFolder } from '../files/checked-argument.ts';
import { staysInFolder } from '../files/stays-in-folder.ts';
import { visibleName } from './list-directory.ts';
import { outputLimit } from '../definition/output-limit.ts';
import { runRipgrep, type RipgrepOptions } from '../processes/ripgrep.ts';
import type { ToolContext } from '../definition/runnable-tool.ts';
import { argsSchema, folderPathAliases, kib, seconds, type BuiltinToolSpec } from '../definition/builtin-tool-spec.ts';

export const searchDirectoryTool: BuiltinToolSpec = {
  name: 'search_directory',
  description:
    'Searches the text of all files below a folder, respecting .gitignore and skipping binary files. Returns file, line ' +
    'number and line of each match. The query is plain text unless regex is true (Rust syntax).',
  tier: 'observe',
  schema: argsSchema(
    {
      directory_path: { type: 'string', minLength: 1, description: 'The folder to search.' },
      query: { type: 'string', minLength: 1, maxLength: 10_000, description: 'What to look for.' },
      regex: { type: 'boolean', description: 'The query is a regular expression.' },
      ignore_case: { type: 'boolean', description: 'Ignore upper and lower case.' },
      include: {
        type: 'string',
        minLength: 1,
        maxLength: 1000,
        description: 'Only files that match: *.ts, src/**/*.md',
      },
      context_lines: { type: 'integer', minimum: 0, maximum: 20, description: 'Lines shown around each match.' },
    },
    ['directory_path', 'query'],
  ),
  paths: ['directory_path'],
  touches: { reads: ['directory_path'] },
  aliases: {
    names: ['grep_search', 'SEARCH_DIR'],
    args: { ...folderPathAliases, SearchPath: 'directory_path', Query: 'query' },
  },
  grant: { timeoutMs: 60 * seconds, outputBytes: 128 * kib },
};

const maxLines = 1000;
const lineBytes = 400;

const unreadable = '[some files could not be read]';

interface SearchArgs {
  readonly directory_path: string;
  readonly query: string;
  readonly regex?: boolean;
  readonly ignore_case?: boolean;
  readonly include?: string;
  readonly context_lines?: number;
}

export function searchDirectory(options: RipgrepOptions): (args: SearchArgs, context: ToolContext) => Promise<string> {
  return async (args, context) => {
    if (args.query.includes('\0')) throw new BridleError('TOOL_FAILED', 'The query contains a NUL character.');
    const folder = checkedFolder('directory_path', args.directory_path, context);
    const hits = new Hits(staysInFolder(folder), outputLimit(context, 128 * kib));
    const isPartial = await runRipgrep({
      ...options,
      folder,
      args: searchArguments(args),
      separator: 10,
      signal: context.signal,
      take: (record) => hits.add(record),
    });
    return isPartial ? `${hits.text()}\n${unreadable}` : hits.text();
  };
}

function searchArguments(args: SearchArgs): string[] {
  const { query, regex = false, ignore_case = false, include, context_lines = 0 } = args;
  return [
    '--null',
    '--line-number',
    '--no-heading',
    '--with-filename',
    `--max-columns=${lineBytes}`,
    '--max-columns-preview',
    `--context=${context_lines}`,
    ...(regex ? [] : ['--fixed-strings']),
    ...(query.includes('\n') ? ['--multiline'] : []),
    ...(ignore_case ? ['--ignore-case'] : ['--case-sensitive']),
    ...(include === undefined ? [] : includeArguments(include)),
    '--',
    query,
    '.',
  ];
}

/** A type, unlike a glob, does not override .gitignore, but it matches names only, not folders. */
function includeArguments(include: string): string[] {
  if (/[\0\n]/.test(include)) throw new BridleError('TOOL_FAILED', 'include is not a file pattern.');
  return include.includes('/') ? [`--glob=${include}`] : [`--type-add=wanted:${include}`, '--type=wanted'];
}

class Hits {
  private readonly files = new Map<string, string[]>();
  private lines = 0;
  private isCut = false;

  constructor(
    private readonly isInside: (name: string) => boolean,
    private left: number,
  ) {}

  add(record: string): boolean {
    const at = record.indexOf('\0');
    if (at === -1) return true;
    const name = record.slice(0, at).replace(/^\.\//, '');
    const line = `  ${record.slice(at + 1).replace(/\r$/, '')}`;
    this.left -= utf8Length(line.toWellFormed()) + 1;
    if (!this.files.has(name)) this.left -= utf8Length(name.toWellFormed()) + 1;
    this.isCut = this.left < 0 || this.lines >= maxLines;
    if (this.isCut) return false;
    this.lines++;
    this.files.set(name, [...(this.files.get(name) ?? []), line]);
    return true;
  }

  text(): string {
    const inside = [...this.files].filter(([name]) => this.isInside(name)).toSorted(([a], [b]) => (a < b ? -1 : 1));
    if (inside.length === 0) return 'Nothing was found.';
    const shown = inside.flatMap(([name, lines]) => [visibleName(name), ...lines]);
    return [...shown, ...(this.isCut ? [`[cut after ${this.lines} lines: narrow the search]`] : [])].join('\n');
  }
}
