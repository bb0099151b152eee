import { BridleError } from '../../kernel/errors.ts';
import { utf8Length } from '../../kernel/json.ts';
import { checkedFolder, staysInFolder } from '../files/checked-argument.ts';
import { visibleName } from './list-directory.ts';
import { runRipgrep, type RipgrepOptions } from '../processes/ripgrep.ts';
import { kib, outputLimit, type ToolContext } from '../definition/runnable-tool.ts';

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
