/** Runs ripgrep in a checked folder: no configuration, no links, records read as they come and no more than wanted. */

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { CheckedPath } from '../../kernel/call.ts';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import { runInFolder } from '../files/run-in-folder.ts';

export interface RipgrepOptions {
  /** Absolute path of the ripgrep program; the one that comes with the package unless given. */
  readonly ripgrep?: string | undefined;
}

export interface RipgrepSearch extends RipgrepOptions {
  readonly folder: CheckedPath;
  readonly args: readonly string[];
  /** The byte that ends a record. */
  readonly separator: number;
  readonly signal: AbortSignal;
  /** Gets each record; false ends the search. */
  readonly take: (record: string) => boolean;
}

/** Hidden files count, the insides of git do not; .gitignore holds with or without a repository. */
const baseArgs = [
  '--no-config',
  '--no-messages',
  '--no-follow',
  '--hidden',
  '--no-require-git',
  '--color=never',
  '--glob=!**/.git/**',
];
/** A record cannot be longer: lines are cut by ripgrep itself. */
const maxRecordBytes = 1024 * 1024;
const maxErrorBytes = 4096;

/** Resolves when everything was searched or enough was found: true if some files could not be read. */
export async function runRipgrep(search: RipgrepSearch): Promise<boolean> {
  const program = search.ripgrep ?? (await findRipgrep());
  search.signal.throwIfAborted();
  return await runInFolder(search.folder, async (cwd) => {
    const child = spawn(program, [...baseArgs, ...search.args], { cwd, env: {}, stdio: ['ignore', 'pipe', 'pipe'] });
    const kill = (): void => void child.kill('SIGKILL');
    search.signal.addEventListener('abort', kill, { once: true });
    try {
      return await collect(child, search, kill);
    } finally {
      search.signal.removeEventListener('abort', kill);
      kill();
    }
  });
}

async function collect(child: ChildProcess, search: RipgrepSearch, kill: () => void): Promise<boolean> {
  const records = new RecordSplitter(search.separator, search.take);
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
  // 1 means that nothing was found. Files that cannot be read are not complained of, only counted as a failure.
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

async function findRipgrep(): Promise<string> {
  try {
    const { rgPath } = await import('@vscode/ripgrep');
    return rgPath;
  } catch (error) {
    throw new BridleError(
      'TOOL_FAILED',
      'Searching needs ripgrep, which was not installed for this platform. Install the optional dependencies of ' +
        '@vscode/ripgrep, or give the path of an rg program with the option "ripgrep".',
      { cause: error },
    );
  }
}
