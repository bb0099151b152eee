/** The built-in tools as they run: each description with its work. */

import { askQuestion, askQuestionTool } from './ask-question.ts';
import { checkBuiltinOptions, type BuiltinToolOptions } from './builtin-tool-options.ts';
import { createFile, createFileTool } from './create-file.ts';
import { editFile, editFileTool } from './edit-file.ts';
import { findFile, findFileTool } from './find-file.ts';
import { finish, finishTool } from './finish.ts';
import { generateImage, generateImageTool } from './generate-image.ts';
import { listDirectory, listDirectoryTool } from './list-directory.ts';
import { readUrlContent, readUrlContentTool } from './read-url-content.ts';
import { runCommand, runCommandTool } from './run-command.ts';
import type { RunnableTool, ToolContext } from './runnable-tool.ts';
import { searchDirectory, searchDirectoryTool } from './search-directory.ts';
import { searchWeb, searchWebTool } from './search-web.ts';
import { declarationOf, type ToolDescription } from './tool-description.ts';
import { viewFile, viewFileTool } from './view-file.ts';

export type { BuiltinToolOptions };

/** The built-in tools, ready to run; `start_subagent` is the agent runtime's own. */
export function createBuiltinTools(options: BuiltinToolOptions = {}): readonly RunnableTool[] {
  checkBuiltinOptions(options);
  const { generateImage: image, searchWeb: search } = options;
  return [
    runnable(listDirectoryTool, listDirectory),
    runnable(searchDirectoryTool, searchDirectory(options)),
    runnable(findFileTool, findFile(options)),
    runnable(viewFileTool, viewFile),
    runnable(createFileTool, createFile),
    runnable(editFileTool, editFile),
    runnable(runCommandTool, runCommand(options)),
    runnable(askQuestionTool, askQuestion),
    runnable(readUrlContentTool, readUrlContent(options)),
    runnable(finishTool, finish),
    ...(image === undefined ? [] : [runnable(generateImageTool, generateImage(image))]),
    ...(search === undefined ? [] : [runnable(searchWebTool, searchWeb(search))]),
  ];
}

function runnable(tool: ToolDescription, run: (args: never, context: ToolContext) => unknown): RunnableTool {
  const { description, schema } = tool;
  return Object.freeze({ ...declarationOf(tool), description, schema, run });
}
