/** `worksIn(folder)`: whether every command of a call runs in one of these folders (X08, X12). */

import type { ToolCall } from '../../kernel/call.ts';
import { findDeclaredArguments } from '../declared-arguments.ts';
import { BridleError } from '../../kernel/errors.ts';
import { createFactPredicate, type FactPredicate } from '../fact-predicate.ts';
import { analyseLine } from '../shell/analysis/analyse-command.ts';
import type { LineCommand } from '../shell/commands/line-command.ts';
import { workingLocation } from '../shell/walk/change-folder.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { allTrue, anyTrue, unknownBecause, type Fact, type Truth } from '../truth.ts';
import { workingFoldersOf } from './touched-files/folder-changes.ts';
import type { WorkingFolders } from './touched-files/working-folders.ts';
import { startFolderOf } from './touched-files/files-of-call.ts';
import { locatePath } from './resolve/path-location.ts';

/**
 * True if all commands of a call run in these folders themselves, not below them: in a subfolder, another
 * `package.json` or `Makefile` decides what `npm test` or `make test` runs. Relative folders start at the folder of the
 * call.
 * @example
 * ```ts
 * import { allow } from 'bridle';
 * import { worksIn } from 'bridle/facts';
 *
 * const rule = allow('run_command', { when: worksIn('.', 'packages/web') });
 * ```
 */
export function worksIn(...folders: readonly string[]): FactPredicate {
  return createFactPredicate({ text: `worksIn(${JSON.stringify(folders)})`, source: 'bash' }, worksInFact(folders));
}

export function worksInFact(folders: readonly string[]): Fact {
  const empty = folders.length === 0 || folders.some((folder) => typeof folder !== 'string' || folder === '');
  if (empty) throw new BridleError('OPTION_INVALID', 'A folder is missing: write "." for the folder of the call.');
  return (call, tool) => {
    const roots = new Set(folders.flatMap((folder) => locatePath(folder, call.cwd, true).checked?.path ?? []));
    const lines = linesOf(call, tool);
    return lines.length > 0 && allTrue(lines.map((line) => lineWorksIn(line, roots)));
  };
}

/** A command line and the folder it starts in, or why the line is unknown. */
type CommandLine = { readonly text: string; readonly folder: string | undefined } | { readonly problem: string };

function linesOf(call: ToolCall, { name, commands = [], touches = {} }: ToolDeclaration): readonly CommandLine[] {
  const { bash = [] } = touches;
  if (bash.length === 0) return [{ problem: `${JSON.stringify(name)} does not declare a command line for bash` }];
  const others = findDeclaredArguments(
    call.args,
    commands.filter((argument) => !bash.includes(argument)),
  );
  const folder = startFolderOf(call, touches.folder);
  const lines = findDeclaredArguments(call.args, bash).map(({ value, problem }): CommandLine =>
    typeof value === 'string' && problem === undefined
      ? { text: value, folder }
      : { problem: 'an argument is not a command line' },
  );
  return [...lines, ...others.map(() => ({ problem: 'a command is not declared as a bash command' }))];
}

function lineWorksIn(line: CommandLine, roots: ReadonlySet<string>): Truth {
  if ('problem' in line) return unknownBecause(line.problem);
  const analysis = analyseLine(line.text);
  const folders = workingFoldersOf(analysis.files, { start: line.folder, hides: analysis.opaque !== undefined });
  const truths = analysis.commands.map((command) => commandWorksIn(command, folders, roots));
  return allTrue(analysis.unknown === undefined ? truths : [...truths, unknownBecause(analysis.unknown)]);
}

function commandWorksIn(command: LineCommand, folders: WorkingFolders, roots: ReadonlySet<string>): Truth {
  const { location, parsed, argv } = command;
  if (argv.length === 0) return true;
  const working = parsed === undefined || parsed.changesFolder ? location : workingLocation(location, command, parsed);
  const program = argv[0]?.text ?? '';
  if (working.folders === undefined) return unknownBecause(`the line does not show in which folder ${program} runs`);
  const found = folders.find(working.folders, working.entered);
  const truths = found.map(({ path, why }): Truth => (path === undefined ? unknownBecause(why) : roots.has(path)));
  if (allTrue(truths) === true) return true;
  return anyTrue(truths) === false ? false : unknownBecause(`${program} may run in several folders`);
}
