/** Declarations of the built-in tools: their names, what they touch, and their aliases. */

import { requireJson } from '../kernel/json.ts';
import type { ToolDeclaration } from '../kernel/tool.ts';
import { askQuestionTool } from './builtin/ask-question.ts';
import { createFileTool } from './builtin/create-file.ts';
import { editFileTool } from './builtin/edit-file.ts';
import { findFileTool } from './builtin/find-file.ts';
import { finishTool } from './builtin/finish.ts';
import { listDirectoryTool } from './builtin/list-directory.ts';
import { readUrlContentTool } from './builtin/read-url-content.ts';
import { runCommandTool } from './builtin/run-command.ts';
import { searchDirectoryTool } from './builtin/search-directory.ts';
import { startSubagentTool } from './builtin/start-subagent.ts';
import { declarationFromSpec } from './definition/builtin-tool-spec.ts';
import { viewFileTool } from './builtin/view-file.ts';

const declared = [
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
].map(declarationFromSpec);

/** Deeply frozen, because they are shared. */
export const builtinTools = requireJson(
  declared,
  { bytes: 65_536, depth: 8 },
  'builtinTools',
) as readonly unknown[] as readonly ToolDeclaration[];
