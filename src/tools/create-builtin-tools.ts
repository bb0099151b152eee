/** Combines each built-in tool's specification with its implementation. */

import { askQuestion, askQuestionTool } from './builtin/ask-question.ts';
import { checkBuiltinOptions, type BuiltinToolOptions } from './builtin-tool-options.ts';
import { createFile, createFileTool } from './builtin/create-file.ts';
import { editFile, editFileTool } from './builtin/edit-file.ts';
import { findFile, findFileTool } from './builtin/find-file.ts';
import { finish, finishTool } from './builtin/finish.ts';
import { generateImage, generateImageTool } from './builtin/generate-image.ts';
import { listDirectory, listDirectoryTool } from './builtin/list-directory.ts';
import { readUrlContent, readUrlContentTool } from './builtin/read-url-content.ts';
import { runCommand, runCommandTool } from './builtin/run-command.ts';
import type { RunnableTool, ToolContext } from './definition/runnable-tool.ts';
import { searchDirectory, searchDirectoryTool } from './builtin/search-directory.ts';
import { searchWeb, searchWebTool } from './builtin/search-web.ts';
import { declarationFromSpec, type BuiltinToolSpec } from './definition/builtin-tool-spec.ts';
import { viewFile, viewFileTool } from './builtin/view-file.ts';

export type { BuiltinToolOptions };

/** The built-in tools, ready to run, except `start_subagent`, which the agent runtime provides. */
export function createBuiltinTools(options: BuiltinToolOptions = {}): readonly RunnableTool[] {
  checkBuiltinOptions(options);
  const { generateImage: image, searchWeb: search } = options;
  return [
    toRunnable(listDirectoryTool, listDirectory),
    toRunnable(searchDirectoryTool, searchDirectory(options)),
    toRunnable(findFileTool, findFile(options)),
    toRunnable(viewFileTool, viewFile),
    toRunnable(createFileTool, createFile),
    toRunnable(editFileTool, editFile),
    toRunnable(runCommandTool, runCommand(options)),
    toRunnable(askQuestionTool, askQuestion),
    toRunnable(readUrlContentTool, readUrlContent(options)),
    toRunnable(finishTool, finish),
    ...(image === undefined ? [] : [toRunnable(generateImageTool, generateImage(image))]),
    ...(search === undefined ? [] : [toRunnable(searchWebTool, searchWeb(search))]),
  ];
}

function toRunnable(tool: BuiltinToolSpec, run: (args: never, context: ToolContext) => unknown): RunnableTool {
  const { description, schema } = tool;
  return Object.freeze({ ...declarationFromSpec(tool), description, schema, run });
}
