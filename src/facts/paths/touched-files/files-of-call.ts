/**
 * Finds the files that a call reads and writes, as far as its declared arguments show them (X08): path arguments, and
 * files named in command lines. Every decision looks at the disk again and resolves paths as the kernel would (W02).
 * Files are looked up only when a rule asks for them.
 */

import type { ToolCall } from '../../../kernel/call.ts';
import { findDeclaredArguments, argumentPathText, type DeclaredArgument } from '../../declared-arguments.ts';
import { lazy } from '../../../kernel/lazy.ts';
import type { ToolDeclaration } from '../../../kernel/tool.ts';
import { filesOfLine, maxFiles, tooManyFiles, unknownFiles } from './files-of-line.ts';
import { TouchedFiles, type FileGroup, type TouchedFile } from './touched-files.ts';
import { quote } from '../resolve/path-refusal.ts';
import { DiskCache } from '../disk/disk-cache.ts';
import { locatePath, unknownLocation, type PathLocation } from '../resolve/path-location.ts';

/** The result for the latest call, kept until the current code finishes: many rules ask about the same call. */
let latest: { readonly call: ToolCall; readonly tool: ToolDeclaration; readonly found: TouchedFiles } | undefined;

export function filesOfCall(call: ToolCall, tool: ToolDeclaration): TouchedFiles {
  if (latest?.call === call && latest.tool === tool) return latest.found;
  const found = findFiles(call, tool);
  if (latest === undefined) queueMicrotask(() => (latest = undefined));
  latest = { call, tool, found };
  return found;
}

function findFiles(call: ToolCall, tool: ToolDeclaration): TouchedFiles {
  const paths = pathArguments(call, tool);
  // One budget for the whole call.
  const disk = new DiskCache();
  const lines = commandLines(call, tool, disk);
  const found = paths.length === 0 && lines.length === 1 ? (lines[0] as TouchedFiles) : mergeFiles(paths, lines, disk);
  return found.hasMoreThan(maxFiles) ? tooManyFiles : found;
}

function mergeFiles(paths: readonly FileGroup[], lines: readonly TouchedFiles[], disk: DiskCache): TouchedFiles {
  if (lines.length === 0) return new TouchedFiles(paths);
  const doubtful = lines.filter(({ unknown }) => unknown !== undefined);
  return new TouchedFiles(
    [...paths, ...lines.flatMap(({ parts }) => parts)],
    {
      unknown: doubtful[0]?.unknown,
      missingIsRead: doubtful.every(({ missingIsRead }) => missingIsRead),
      mentions: () => lines.flatMap(({ mentions }) => mentions),
    },
    disk,
  );
}

/** A command for another shell, or for an undeclared one, may do anything (X11). */
function commandLines(
  call: ToolCall,
  { commands = [], touches = {} }: ToolDeclaration,
  disk: DiskCache,
): readonly TouchedFiles[] {
  const { bash = [] } = touches;
  const lines = findDeclaredArguments(call.args, bash);
  const others = commands.filter((argument) => !bash.includes(argument));
  const foreign = findDeclaredArguments(call.args, others).map(() =>
    unknownFiles('its command is not declared as a bash command'),
  );
  if (lines.length === 0) return foreign;
  const folder = lazy(() => startFolderOf(call, touches.folder));
  const found = lines.map(({ at, value, problem }) =>
    typeof value === 'string' && problem === undefined
      ? filesOfLine(value, folder, disk)
      : unknownFiles(`the argument ${quote(argumentPathText(at))} is not a command line`),
  );
  return [...found, ...foreign];
}

/** The folder that a command line starts in; undefined if unknown. */
export function startFolderOf(call: ToolCall, declared: string | undefined): string | undefined {
  const found = declared === undefined ? [] : findDeclaredArguments(call.args, [declared]);
  const [given] = found;
  if (given === undefined) return call.cwd;
  if (found.length > 1 || given.problem !== undefined) return undefined;
  return locatePath(given.value, call.cwd).checked?.path;
}

/**
 * A path that is declared without `reads` or `writes` is read by a tool of the tier `observe`; other tools may also
 * write it.
 */
function pathArguments(call: ToolCall, { paths = [], tier, touches = {} }: ToolDeclaration): readonly FileGroup[] {
  const { folder, reads = [], writes = [] } = touches;
  const rest = paths.filter(
    (argument) => !reads.includes(argument) && !writes.includes(argument) && argument !== folder,
  );
  const look = locateOnceFrom(call.cwd);
  const found = (declared: readonly string[], mode: TouchedFile['mode']): readonly FileGroup[] =>
    findDeclaredArguments(call.args, declared).map((argument) => ({
      mode,
      most: 1,
      files: lazy(() => [fileOfArgument(argument, mode, look)]),
    }));
  return [...found(reads, 'read'), ...found(writes, 'write'), ...found(rest, tier === 'observe' ? 'read' : 'either')];
}

type Locate = (given: unknown) => PathLocation;

/** An argument that is both read and written is located once. */
function locateOnceFrom(cwd: string | undefined): Locate {
  let known: Map<unknown, PathLocation> | undefined;
  return (given) => {
    known ??= new Map();
    const location = known.get(given) ?? locatePath(given, cwd);
    known.set(given, location);
    return location;
  };
}

/** A path that does not exist yet counts as one file. A folder may be touched with everything in it. */
function fileOfArgument(
  { at, value, problem }: DeclaredArgument,
  mode: TouchedFile['mode'],
  look: Locate,
): TouchedFile {
  const location = problem === undefined ? look(value) : unknownLocation('', problem);
  const exists = location.checked?.identity !== undefined;
  const reach = !exists ? 'itself' : mode === 'read' ? 'tree' : undefined;
  return {
    mode,
    label: quote(argumentPathText(at)),
    reach,
    origin: 'argument',
    locations: [location],
    pathEnd: undefined,
    sure: true,
  };
}
