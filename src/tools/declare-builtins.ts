/** The built-in tools as the guard of an agent knows them, for asking about calls without an agent. */

import type { StandardSchema, ToolDeclaration } from '../tool.ts';
import { askQuestionTool } from './ask-question.ts';
import { createFileTool } from './create-file.ts';
import { editFileTool } from './edit-file.ts';
import { findFileTool } from './find-file.ts';
import { finishTool } from './finish.ts';
import { generateImageTool } from './generate-image.ts';
import { toStandardSchema } from './json-schema.ts';
import { listDirectoryTool } from './list-directory.ts';
import { readUrlContentTool } from './read-url-content.ts';
import { runCommandTool } from './run-command.ts';
import type { JsonSchema } from './runnable-tool.ts';
import { searchDirectoryTool } from './search-directory.ts';
import { searchWebTool } from './search-web.ts';
import { startSubagentTool } from './start-subagent.ts';
import { declarationOf } from './tool-description.ts';
import { viewFileTool } from './view-file.ts';

/** Those that need a provider or subagents, too: an agent may have them. */
export function declareBuiltins(): readonly ToolDeclaration[] {
  return [
    listDirectoryTool,
    searchDirectoryTool,
    findFileTool,
    viewFileTool,
    createFileTool,
    editFileTool,
    runCommandTool,
    askQuestionTool,
    startSubagentTool,
    readUrlContentTool,
    finishTool,
    generateImageTool,
    searchWebTool,
  ].map((tool) => ({ ...declarationOf(tool), schema: readLater(tool.schema) }));
}

/** Most calls are of one tool: the schemas of the others need not be read. */
function readLater(schema: JsonSchema): StandardSchema {
  let read: StandardSchema | undefined;
  const written = (): JsonSchema => schema;
  return {
    '~standard': {
      version: 1,
      vendor: 'bridle',
      validate: (value) => (read ??= toStandardSchema(schema))['~standard'].validate(value),
      jsonSchema: { input: written, output: written },
    },
  };
}
