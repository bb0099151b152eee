import { BridleError } from '../../kernel/errors.ts';
import { utf8Length } from '../../kernel/json.ts';
import { checkedFolder, staysInFolder } from '../files/checked-argument.ts';
import { visibleName } from './list-directory.ts';
import type { TextQuery } from '../search/file-search.ts';
import { type RipgrepOptions, searchFiles } from '../search/search-files.ts';
import { kib, outputLimit, type ToolContext } from '../definition/runnable-tool.ts';

const maxLines = 1000;

interface SearchArgs extends TextQuery {
  readonly directory_path: string;
}

export function searchDirectory(options: RipgrepOptions): (args: SearchArgs, context: ToolContext) => Promise<string> {
  return async ({ directory_path, ...text }, context) => {
    if (text.query.includes('\0')) throw new BridleError('TOOL_FAILED', 'The query contains a NUL character.');
    if (/[\0\n]/.test(text.include ?? '')) throw new BridleError('TOOL_FAILED', 'include is not a file pattern.');
    // ripgrep would read it as the name of a type.
    if (text.include?.includes(':') === true && !text.include.includes('/'))
      throw new BridleError('TOOL_FAILED', 'include: a name with a colon needs a path, such as **/a:b.');
    const folder = checkedFolder('directory_path', directory_path, context);
    const hits = new Hits(staysInFolder(folder), outputLimit(context, 128 * kib));
    const take = (record: string): boolean => hits.add(record);
    const notes = await searchFiles({ folder, text, signal: context.signal, take }, options);
    return [hits.text(), ...notes].join('\n');
  };
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
