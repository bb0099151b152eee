/**
 * Runs ripgrep in a checked folder, without configuration or links. Reads records as they arrive and stops when it has
 * enough.
 */

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { CheckedPath } from '../../kernel/call.ts';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import { runInFolder } from '../files/checked-argument.ts';

export interface RipgrepOptions {
  /** Absolute path of ripgrep. Default: the bundled one. */
  readonly ripgrep?: string | undefined;
}

export interface RipgrepSearch extends RipgrepOptions {
  readonly folder: CheckedPath;
  readonly args: readonly string[];
  /** The byte that terminates a record. */
  readonly separator: number;
  readonly signal: AbortSignal;
  /** Receives each record. Returning false ends the search. */
  readonly take: (record: string) => boolean;
}

/** Searches hidden files but not `.git`, and applies .gitignore even outside a repository. */
const baseArgs = [
  '--no-config',
  '--no-messages',
  '--no-follow',
  '--hidden',
  '--no-require-git',
  '--color=never',
  '--glob=!**/.git/**',
];
/** No record is longer: ripgrep cuts lines itself. */
const maxRecordBytes = 1024 * 1024;
const maxErrorBytes = 4096;

/** Resolves when the search is complete or `take` returned false. True if some files could not be read. */
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

async function findRipgrep(): Promise<string> {
  try {
    const { rgPath } = await import('@vscode/ripgrep');
    return rgPath;
  } catch (error) {
    throw new BridleError(
      'TOOL_FAILED',
      'Searching needs ripgrep, which is not installed for this platform. Install the optional dependencies of ' +
        '@vscode/ripgrep, or set the option "ripgrep" to the path of an rg program.',
      { cause: error },
    );
  }
}
