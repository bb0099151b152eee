/** `worksIn(folder)`: whether every command of a call runs in one of these folders (X08, X12). */

import type { ToolCall } from '../call.ts';
import { findDeclared } from '../catalog/declared-arguments.ts';
import { BridleError } from '../errors.ts';
import { predicateOf, type FactPredicate } from '../fact-predicate.ts';
import { findAnalysis } from '../shell/analyse-command.ts';
import type { FoundCommand } from '../shell/found-command.ts';
import { workingAt } from '../shell/move.ts';
import type { ToolDeclaration } from '../tool.ts';
import { allTrue, anyTrue, unknown, type Fact, type Truth } from '../truth.ts';
import { lineFolders } from './line-changes.ts';
import type { LineFolders } from './line-folders.ts';
import { folderOf } from './touched-files.ts';
import { touchedPlace } from './touched-place.ts';

/**
 * True of a call whose commands all run in these folders themselves, not below them: there a `package.json` or a
 * `Makefile` decides what `npm test` or `make test` runs. Relative ones start where the call does.
 * @example
 * ```ts
 * import { allow } from 'bridle';
 * import { worksIn } from 'bridle/paths';
 *
 * const rule = allow('run_command', { when: worksIn('.', 'packages/web') });
 * ```
 */
export function worksIn(...folders: readonly string[]): FactPredicate {
  return predicateOf({ text: `worksIn(${JSON.stringify(folders)})`, source: 'bash' }, worksInFact(folders));
}

export function worksInFact(folders: readonly string[]): Fact {
  const empty = folders.length === 0 || folders.some((folder) => typeof folder !== 'string' || folder === '');
  if (empty) throw new BridleError('OPTION_INVALID', 'A folder is missing: write "." for the folder of the call.');
  return (call, tool) => {
    const roots = new Set(folders.flatMap((folder) => touchedPlace(folder, call.cwd, true).checked?.path ?? []));
    const lines = linesOf(call, tool);
    return lines.length > 0 && allTrue(lines.map((line) => lineWorksIn(line, roots)));
  };
}

/** A command line with the folder it starts in, or why one of them is not known. */
type Line = { readonly text: string; readonly folder: string | undefined } | { readonly problem: string };

function linesOf(call: ToolCall, { name, commands = [], touches = {} }: ToolDeclaration): readonly Line[] {
  const { bash = [] } = touches;
  if (bash.length === 0) return [{ problem: `${JSON.stringify(name)} does not declare a command line for bash` }];
  const others = findDeclared(
    call.args,
    commands.filter((place) => !bash.includes(place)),
  );
  const folder = folderOf(call, touches.folder);
  const lines = findDeclared(call.args, bash).map(({ value, problem }): Line =>
    typeof value === 'string' && problem === undefined
      ? { text: value, folder }
      : { problem: 'an argument is not a command line' },
  );
  return [...lines, ...others.map(() => ({ problem: 'a command is not declared to be run by bash' }))];
}

function lineWorksIn(line: Line, roots: ReadonlySet<string>): Truth {
  if ('problem' in line) return unknown(line.problem);
  const analysis = findAnalysis(line.text);
  const folders = lineFolders(analysis.files, { start: line.folder, hides: analysis.opaque !== undefined });
  const truths = analysis.commands.map((command) => commandWorksIn(command, folders, roots));
  return allTrue(analysis.unknown === undefined ? truths : [...truths, unknown(analysis.unknown)]);
}

function commandWorksIn(command: FoundCommand, folders: LineFolders, roots: ReadonlySet<string>): Truth {
  const { at, read, argv } = command;
  if (argv.length === 0) return true;
  const working = read === undefined || read.moves ? at : workingAt(at, command, read);
  const shown = argv[0]?.text ?? '';
  if (working.folders === undefined) return unknown(`the line does not show in which folder ${shown} runs`);
  const found = folders.find(working.folders, working.entered);
  const truths = found.map(({ path, why }): Truth => (path === undefined ? unknown(why) : roots.has(path)));
  if (allTrue(truths) === true) return true;
  return anyTrue(truths) === false ? false : unknown(`${shown} may run in several folders`);
}
