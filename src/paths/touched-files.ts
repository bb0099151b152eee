/**
 * Which files a call reads and writes, as far as its declared arguments show (X08): path arguments, and what the
 * command lines among them name. Everything is looked up anew for each decision, as the kernel would find it (W02).
 */

import type { ToolCall } from '../call.ts';
import { findDeclared, showPlace, type DeclaredArgument } from '../catalog/declared-arguments.ts';
import type { ToolDeclaration } from '../tool.ts';
import { filesOfLine, mostFiles, tooMany, unknownFiles, type TouchedFile, type TouchedFiles } from './files-of-line.ts';
import { quote } from './quote.ts';
import { touchedPlace, untold } from './touched-place.ts';

/** Of the last call asked about, while the same code runs: many rules ask of one call. */
let latest: { readonly call: ToolCall; readonly tool: ToolDeclaration; readonly found: TouchedFiles } | undefined;

export function touchedFiles(call: ToolCall, tool: ToolDeclaration): TouchedFiles {
  if (latest?.call === call && latest.tool === tool) return latest.found;
  const found = find(call, tool);
  if (latest === undefined) queueMicrotask(() => (latest = undefined));
  latest = { call, tool, found };
  return found;
}

function find(call: ToolCall, tool: ToolDeclaration): TouchedFiles {
  const paths = pathArguments(call, tool);
  const lines = commandLines(call, tool);
  const files = [...paths, ...lines.flatMap((line) => line.files)];
  if (files.length > mostFiles) return tooMany;
  const doubtful = lines.filter((line) => line.unknown !== undefined);
  return {
    files,
    unknown: doubtful[0]?.unknown,
    missingIsRead: doubtful.every((line) => line.missingIsRead),
    said: lines.flatMap((line) => line.said),
  };
}

/** A command of another shell than bash, or of none that is told, can do anything (X11). */
function commandLines(call: ToolCall, { commands = [], touches = {} }: ToolDeclaration): readonly TouchedFiles[] {
  const { bash = [] } = touches;
  const lines = findDeclared(call.args, bash);
  const others = commands.filter((place) => !bash.includes(place));
  const foreign = findDeclared(call.args, others).map(() => unknownFiles('its command is not one for bash'));
  if (lines.length === 0) return foreign;
  const folder = folderOf(call, touches.folder);
  const found = lines.map(({ at, value, problem }) =>
    typeof value === 'string' && problem === undefined
      ? filesOfLine(value, folder)
      : unknownFiles(`the argument ${quote(showPlace(at))} is no command line`),
  );
  return [...found, ...foreign];
}

/** The folder a command line starts in; undefined where it cannot be told. */
function folderOf(call: ToolCall, declared: string | undefined): string | undefined {
  const found = declared === undefined ? [] : findDeclared(call.args, [declared]);
  const [given] = found;
  if (given === undefined) return call.cwd;
  if (found.length > 1 || given.problem !== undefined) return undefined;
  return touchedPlace(given.value, call.cwd).checked?.path;
}

/** A path that the declaration says no more of is read by a tool without side effects, and may be both by others. */
function pathArguments(call: ToolCall, { paths = [], tier, touches = {} }: ToolDeclaration): readonly TouchedFile[] {
  const { folder, reads = [], writes = [] } = touches;
  const found = (places: readonly string[], mode: TouchedFile['mode']): readonly TouchedFile[] =>
    findDeclared(call.args, places).map((argument) => fileOf(argument, mode, call.cwd));
  const rest = paths.filter((place) => !reads.includes(place) && !writes.includes(place) && place !== folder);
  return [...found(reads, 'read'), ...found(writes, 'write'), ...found(rest, tier === 'observe' ? 'read' : 'either')];
}

/** What does not exist yet is taken for one file; what is a folder may be touched with all it holds. */
function fileOf(
  { at, value, problem }: DeclaredArgument,
  mode: TouchedFile['mode'],
  cwd: string | undefined,
): TouchedFile {
  const place = problem === undefined ? touchedPlace(value, cwd) : untold('', problem);
  const exists = place.checked?.identity !== undefined;
  const reach = !exists ? 'itself' : mode === 'read' ? 'tree' : undefined;
  return { mode, shown: quote(showPlace(at)), reach, origin: 'argument', places: [place], ends: undefined, sure: true };
}
