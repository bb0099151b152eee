/**
 * Runs ripgrep in a checked folder, without configuration or links. Reads records as they arrive and stops when it has
 * enough.
 */

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import { runInFolder } from '../files/checked-argument.ts';
import { type FileSearch, maxLineLength, type TextQuery } from './file-search.ts';

/** Searches hidden files but not `.git`, and applies .gitignore even outside a repository. */
const baseArgs = ['--no-config', '--no-messages', '--no-follow', '--hidden', '--no-require-git', '--color=never'];
/** Of several globs, the last one that fits decides. */
const lastArgs = ['--glob=!**/.git/**'];
/** No record is longer: ripgrep cuts lines itself. */
const maxRecordBytes = 1024 * 1024;
const maxErrorBytes = 4096;
const lineBreak = 10;

export async function runRipgrep(program: string, search: FileSearch): Promise<readonly string[]> {
  const { folder, text, signal } = search;
  const args = [...baseArgs, ...(text === undefined ? ['--files', '--null', ...lastArgs] : searchArguments(text))];
  return await runInFolder(folder, async (cwd) => {
    const child = spawn(program, args, { cwd, env: {}, stdio: ['ignore', 'pipe', 'pipe'] });
    const kill = (): void => void child.kill('SIGKILL');
    signal.addEventListener('abort', kill, { once: true });
    try {
      const isPartial = await collect(child, search, kill);
      return isPartial ? [`[some ${text === undefined ? 'folders' : 'files'} could not be read]`] : [];
    } finally {
      signal.removeEventListener('abort', kill);
      kill();
    }
  });
}

function searchArguments({
  query,
  regex = false,
  ignore_case = false,
  include,
  context_lines = 0,
}: TextQuery): string[] {
  return [
    '--null',
    '--line-number',
    '--no-heading',
    '--with-filename',
    `--max-columns=${maxLineLength}`,
    '--max-columns-preview',
    `--context=${context_lines}`,
    ...(regex ? [] : ['--fixed-strings']),
    ...(query.includes('\n') ? ['--multiline'] : []),
    ...(ignore_case ? ['--ignore-case'] : ['--case-sensitive']),
    ...(include === undefined ? [] : includeArguments(include)),
    ...lastArgs,
    '--',
    query,
    '.',
  ];
}

/** A type, unlike a glob, does not override .gitignore, but it matches names only, not folders. */
function includeArguments(include: string): string[] {
  return include.includes('/') ? [`--glob=${include}`] : [`--type-add=wanted:${include}`, '--type=wanted'];
}

/** True if some files could not be read. */
async function collect(child: ChildProcess, search: FileSearch, kill: () => void): Promise<boolean> {
  const records = new RecordSplitter(search.text === undefined ? 0 : lineBreak, search.take);
  let errorText = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    if (errorText.length < maxErrorBytes) errorText += text;
  });
  child.stdout?.on('data', (chunk: Buffer) => {
    if (!records.add(chunk)) kill();
  });
  const [code] = (await once(child, 'close').catch((error: unknown) => {
    throw new BridleError('TOOL_FAILED', `ripgrep cannot be started: ${messageOf(error)}`, { cause: error });
  })) as [number | null];
  search.signal.throwIfAborted();
  // Exit code 1 means no match. Unreadable files print nothing, but set exit code 2.
  if (code === 2 && errorText.trim() !== '')
    throw new BridleError('TOOL_FAILED', `The search failed: ${errorText.trim().slice(0, maxErrorBytes)}`);
  return code === 2;
}

class RecordSplitter {
  private isDone = false;
  private open: Buffer[] = [];
  private openBytes = 0;

  constructor(
    private readonly separator: number,
    private readonly take: (record: string) => boolean,
  ) {}

  add(chunk: Buffer): boolean {
    let start = 0;
    for (let end = chunk.indexOf(this.separator); end !== -1; end = chunk.indexOf(this.separator, start)) {
      this.keep(chunk.subarray(start, end));
      start = end + 1;
      if (this.isDone || !this.finish()) return false;
    }
    this.keep(chunk.subarray(start));
    return this.openBytes <= maxRecordBytes;
  }

  private keep(part: Buffer): void {
    this.open.push(part);
    this.openBytes += part.length;
  }

  private finish(): boolean {
    const record = Buffer.concat(this.open).toString('utf8');
    this.open = [];
    this.openBytes = 0;
    this.isDone = !this.take(record);
    return !this.isDone;
  }
}
