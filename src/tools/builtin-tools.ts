/** What the built-in tools are called, what they touch, and the other names they and their arguments go by. */

import { mustCopyJson } from '../json.ts';
import type { ToolDeclaration } from '../tool.ts';
import { askQuestionTool } from './ask-question.ts';
import { createFileTool } from './create-file.ts';
import { editFileTool } from './edit-file.ts';
import { findFileTool } from './find-file.ts';
import { finishTool } from './finish.ts';
import { listDirectoryTool } from './list-directory.ts';
import { readUrlContentTool } from './read-url-content.ts';
import { runCommandTool } from './run-command.ts';
import { searchDirectoryTool } from './search-directory.ts';
import { startSubagentTool } from './start-subagent.ts';
import { declarationOf } from './tool-description.ts';
import { viewFileTool } from './view-file.ts';

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
].map(declarationOf);

/** Deeply frozen, since everybody shares them. */
export const builtinTools = mustCopyJson(
  declared,
  { bytes: 65_536, depth: 8 },
  'builtinTools',
) as readonly unknown[] as readonly ToolDeclaration[];
