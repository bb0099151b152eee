/**
 * Finds and reads the last commands of a person and of coding agents. Finding looks only at names of files; what is in
 * them is read when `read` is called, after the user has agreed. Reading is bounded and never fails: a file that cannot
 * be read has no commands.
 */

import * as fs from 'node:fs';
import { join } from 'node:path';
import {
  bashCommands,
  claudeCommands,
  codexCommands,
  decodeZsh,
  fishCommands,
  type HistoryCommand,
  zshCommands,
} from './history-formats.ts';

export interface CommandHistory {
  /** For people: `~/.bash_history`, `transcripts of Claude Code`. */
  readonly name: string;
  /** The last commands, the oldest first. */
  readonly read: () => readonly HistoryCommand[];
}

export interface HistoryPlaces {
  /** The user's home folder. */
  readonly home: string;
  /** The folder of the project: absolute, without links. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const maxCommands = 500;
const maxShellBytes = 512 * 1024;
const maxTranscripts = 20;
const maxTranscriptBytes = 4 * 1024 * 1024;

export function findHistories(places: HistoryPlaces): readonly CommandHistory[] {
  return [...shellHistories(places), ...claudeTranscripts(places), ...codexTranscripts(places)];
}

function shellHistories({ home, env }: HistoryPlaces): readonly CommandHistory[] {
  const data = env['XDG_DATA_HOME'] ?? join(home, '.local/share');
  const rows = [
    { name: '~/.bash_history', file: join(home, '.bash_history'), decode: decodeUtf8, commands: bashCommands },
    { name: '~/.zsh_history', file: join(home, '.zsh_history'), decode: decodeZsh, commands: zshCommands },
    { name: 'the history of fish', file: join(data, 'fish/fish_history'), decode: decodeUtf8, commands: fishCommands },
  ];
  return rows
    .filter(({ file }) => fs.statSync(file, { throwIfNoEntry: false })?.isFile() === true)
    .map(({ name, file, decode, commands }) => ({
      name,
      read: () => commands(decode(readEnd(file, maxShellBytes))).slice(-maxCommands),
    }));
}

function decodeUtf8(bytes: Buffer): string {
  return bytes.toString('utf8');
}

/** Each folder of a project has its own folder, named like its path with `-` for other characters. */
function claudeTranscripts({ home, folder, env }: HistoryPlaces): readonly CommandHistory[] {
  const projects = join(env['CLAUDE_CONFIG_DIR'] ?? join(home, '.claude'), 'projects');
  const own = folder.replaceAll(/[^A-Za-z0-9]/g, '-');
  const files = namesIn(projects)
    .filter((name) => name === own || name.startsWith(`${own}-`))
    .flatMap((name) => transcriptsIn(join(projects, name)));
  return transcripts('transcripts of Claude Code', files, (text) => inside(claudeCommands(text), folder));
}

/** One folder per day: `sessions/2026/01/31`. */
function codexTranscripts({ home, folder, env }: HistoryPlaces): readonly CommandHistory[] {
  const sessions = join(env['CODEX_HOME'] ?? join(home, '.codex'), 'sessions');
  const days = [1, 2, 3].reduce<readonly string[]>(
    (folders) => folders.flatMap((each) => namesIn(each).map((name) => join(each, name))).slice(-400),
    [sessions],
  );
  const files = days.slice(-100).flatMap(transcriptsIn);
  return transcripts('transcripts of Codex', files, (text) => inside(codexCommands(text), folder));
}

function transcripts(
  name: string,
  files: readonly string[],
  commands: (text: string) => readonly HistoryCommand[],
): readonly CommandHistory[] {
  if (files.length === 0) return [];
  const read = (): readonly HistoryCommand[] => {
    const latest = files
      .map((file) => ({ file, time: fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
      .toSorted((a, b) => a.time - b.time)
      .slice(-maxTranscripts);
    return latest
      .flatMap(({ file }) => commands(readEnd(file, maxTranscriptBytes).toString('utf8')))
      .slice(-maxCommands);
  };
  return [{ name, read }];
}

/** The store of a coding agent has commands of other projects, too. */
function inside(commands: readonly HistoryCommand[], folder: string): readonly HistoryCommand[] {
  return commands.filter(({ cwd }) => cwd === folder || cwd?.startsWith(`${folder}/`));
}

function transcriptsIn(folder: string): readonly string[] {
  return namesIn(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => join(folder, name));
}

const maxNames = 10_000;

function namesIn(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder).toSorted().slice(-maxNames);
  } catch {
    return [];
  }
}

/** The end of a regular file, from a whole line on; nothing if it cannot be read. */
function readEnd(file: string, maxBytes: number): Buffer {
  let handle: number;
  try {
    // Non-blocking: the path may be a pipe without a writer.
    handle = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  } catch {
    return Buffer.alloc(0);
  }
  try {
    const stats = fs.fstatSync(handle);
    const from = Math.max(0, stats.size - maxBytes);
    const bytes = Buffer.alloc(stats.isFile() ? stats.size - from : 0);
    const read = bytes.subarray(0, fs.readSync(handle, bytes, 0, bytes.length, from));
    return from === 0 ? read : read.subarray(read.indexOf('\n') + 1);
  } catch {
    return Buffer.alloc(0);
  } finally {
    fs.closeSync(handle);
  }
}
