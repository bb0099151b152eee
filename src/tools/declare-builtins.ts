/** Declarations of all built-in tools with their schemas, for deciding calls without an agent. */

import type { StandardSchema, ToolDeclaration } from '../kernel/tool.ts';
import { askQuestionTool } from './builtin/ask-question.ts';
import { createFileTool } from './builtin/create-file.ts';
import { editFileTool } from './builtin/edit-file.ts';
import { findFileTool } from './builtin/find-file.ts';
import { finishTool } from './builtin/finish.ts';
import { generateImageTool } from './builtin/generate-image.ts';
import { toStandardSchema } from './json-schema/standard-schema.ts';
import { listDirectoryTool } from './builtin/list-directory.ts';
import { readUrlContentTool } from './builtin/read-url-content.ts';
import { runCommandTool } from './builtin/run-command.ts';
import type { JsonSchema } from './definition/runnable-tool.ts';
import { searchDirectoryTool } from './builtin/search-directory.ts';
import { searchWebTool } from './builtin/search-web.ts';
import { startSubagentTool } from './builtin/start-subagent.ts';
import { declarationFromSpec } from './definition/builtin-tool-spec.ts';
import { viewFileTool } from './builtin/view-file.ts';

/** Includes the tools that need a provider or subagents, since an agent may have them. */
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
  ].map((tool) => ({ ...declarationFromSpec(tool), schema: lazySchema(tool.schema) }));
}

/** Parses the schema on first use: most calls use one tool. */
function lazySchema(schema: JsonSchema): StandardSchema {
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
