/**
 * Which files a call reads and writes, as far as its declared arguments show (X08): path arguments, and what the
 * command lines among them name. Everything is looked up anew for each decision, as the kernel would find it (W02),
 * and nothing that nobody asks for.
 */

import type { ToolCall } from '../call.ts';
import { findDeclared, showPlace, type DeclaredArgument } from '../catalog/declared-arguments.ts';
import { lazy } from '../lazy.ts';
import type { ToolDeclaration } from '../tool.ts';
import { filesOfLine, mostFiles, tooMany, unknownFiles } from './files-of-line.ts';
import { FoundFiles, type FilesPart, type TouchedFile } from './found-files.ts';
import { quote } from './quote.ts';
import { SeenPlaces } from './seen-places.ts';
import { touchedPlace, untold, type TouchedPlace } from './touched-place.ts';

/** Of the last call asked about, while the same code runs: many rules ask of one call. */
let latest: { readonly call: ToolCall; readonly tool: ToolDeclaration; readonly found: FoundFiles } | undefined;

export function touchedFiles(call: ToolCall, tool: ToolDeclaration): FoundFiles {
  if (latest?.call === call && latest.tool === tool) return latest.found;
  const found = find(call, tool);
  if (latest === undefined) queueMicrotask(() => (latest = undefined));
  latest = { call, tool, found };
  return found;
}

function find(call: ToolCall, tool: ToolDeclaration): FoundFiles {
  const paths = pathArguments(call, tool);
  // One budget for the whole call.
  const seen = new SeenPlaces();
  const lines = commandLines(call, tool, seen);
  const found = paths.length === 0 && lines.length === 1 ? (lines[0] as FoundFiles) : together(paths, lines, seen);
  return found.isMoreThan(mostFiles) ? tooMany : found;
}

function together(paths: readonly FilesPart[], lines: readonly FoundFiles[], seen: SeenPlaces): FoundFiles {
  if (lines.length === 0) return new FoundFiles(paths);
  const doubtful = lines.filter(({ unknown }) => unknown !== undefined);
  return new FoundFiles(
    [...paths, ...lines.flatMap(({ parts }) => parts)],
    {
      unknown: doubtful[0]?.unknown,
      missingIsRead: doubtful.every(({ missingIsRead }) => missingIsRead),
      said: () => lines.flatMap(({ said }) => said),
    },
    seen,
  );
}

/** A command of another shell than bash, or of none that is told, can do anything (X11). */
function commandLines(
  call: ToolCall,
  { commands = [], touches = {} }: ToolDeclaration,
  seen: SeenPlaces,
): readonly FoundFiles[] {
  const { bash = [] } = touches;
  const lines = findDeclared(call.args, bash);
  const others = commands.filter((place) => !bash.includes(place));
  const foreign = findDeclared(call.args, others).map(() => unknownFiles('its command is not one for bash'));
  if (lines.length === 0) return foreign;
  const folder = lazy(() => folderOf(call, touches.folder));
  const found = lines.map(({ at, value, problem }) =>
    typeof value === 'string' && problem === undefined
      ? filesOfLine(value, folder, seen)
      : unknownFiles(`the argument ${quote(showPlace(at))} is no command line`),
  );
  return [...found, ...foreign];
}

/** The folder a command line starts in; undefined where it cannot be told. */
export function folderOf(call: ToolCall, declared: string | undefined): string | undefined {
  const found = declared === undefined ? [] : findDeclared(call.args, [declared]);
  const [given] = found;
  if (given === undefined) return call.cwd;
  if (found.length > 1 || given.problem !== undefined) return undefined;
  return touchedPlace(given.value, call.cwd).checked?.path;
}

/** A path that the declaration says no more of is read by a tool without side effects, and may be both by others. */
function pathArguments(call: ToolCall, { paths = [], tier, touches = {} }: ToolDeclaration): readonly FilesPart[] {
  const { folder, reads = [], writes = [] } = touches;
  const rest = paths.filter((place) => !reads.includes(place) && !writes.includes(place) && place !== folder);
  const look = lookingFrom(call.cwd);
  const found = (places: readonly string[], mode: TouchedFile['mode']): readonly FilesPart[] =>
    findDeclared(call.args, places).map((argument) => ({
      mode,
      most: 1,
      files: lazy(() => [fileOf(argument, mode, look)]),
    }));
  return [...found(reads, 'read'), ...found(writes, 'write'), ...found(rest, tier === 'observe' ? 'read' : 'either')];
}

type Look = (given: unknown) => TouchedPlace;

/** An argument that is read and written is looked up once. */
function lookingFrom(cwd: string | undefined): Look {
  let known: Map<unknown, TouchedPlace> | undefined;
  return (given) => {
    known ??= new Map();
    const place = known.get(given) ?? touchedPlace(given, cwd);
    known.set(given, place);
    return place;
  };
}

/** What does not exist yet is taken for one file; what is a folder may be touched with all it holds. */
function fileOf({ at, value, problem }: DeclaredArgument, mode: TouchedFile['mode'], look: Look): TouchedFile {
  const place = problem === undefined ? look(value) : untold('', problem);
  const exists = place.checked?.identity !== undefined;
  const reach = !exists ? 'itself' : mode === 'read' ? 'tree' : undefined;
  return { mode, shown: quote(showPlace(at)), reach, origin: 'argument', places: [place], ends: undefined, sure: true };
}
