/** Combines the declaration of each built-in tool with its code. */

import { type BuiltinToolOptions, readBuiltinOptions } from './builtin-tool-options.ts';
import { type BuiltinToolName, builtinToolTable, type startSubagentTool } from './builtin-tools.ts';
import { findFile } from './builtin/find-file.ts';
import { askQuestion, generateImage, searchWeb } from './builtin/host-tools.ts';
import { listDirectory } from './builtin/list-directory.ts';
import { readUrlContent } from './builtin/read-url-content.ts';
import { runCommand } from './builtin/run-command.ts';
import { searchDirectory } from './builtin/search-directory.ts';
import { viewFile } from './builtin/view-file.ts';
import { createFile, editFile } from './builtin/write-file.ts';
import { declarationOf } from './declare-builtins.ts';
import type { RunnableTool } from './definition/runnable-tool.ts';

type Runner = (options: BuiltinToolOptions) => RunnableTool['run'] | undefined;

/**
 * The code of each tool; undefined if it needs a provider that is missing. Imported, not loaded at the first call: by
 * then an agent could have changed the files of this package.
 */
const runners: Readonly<Record<Exclude<BuiltinToolName, typeof startSubagentTool.name>, Runner>> = {
  list_directory: () => listDirectory,
  search_directory: searchDirectory,
  find_file: findFile,
  view_file: () => viewFile,
  create_file: () => createFile,
  edit_file: () => editFile,
  run_command: runCommand,
  ask_question: () => askQuestion,
  read_url_content: readUrlContent,
  finish:
    () =>
    ({ result = null }: { readonly result?: unknown }) =>
      result,
  generate_image: generateImage,
  search_web: searchWeb,
};

/** The built-in tools, ready to run, except `start_subagent`, which the agent runtime provides. */
export function createBuiltinTools(options: BuiltinToolOptions = {}): readonly RunnableTool[] {
  const own = readBuiltinOptions(options);
  return builtinToolTable.flatMap((tool) => {
    const run = tool.name === 'start_subagent' ? undefined : runners[tool.name](own);
    const { description, schema } = tool;
    return run === undefined ? [] : [Object.freeze({ ...declarationOf(tool), description, schema, run })];
  });
}
