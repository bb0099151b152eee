/** What the built-in tools are called, what they touch, and the other names they and their arguments go by. */

import { mustCopyJson } from '../json.ts';
import type { ToolDeclaration } from '../tool.ts';

const pathAliases = { path: 'file_path', AbsolutePath: 'file_path', TargetFile: 'file_path' };
const folderAliases = { DirectoryPath: 'directory_path', path: 'directory_path' };

const declared: readonly ToolDeclaration[] = [
  {
    name: 'list_directory',
    tier: 'observe',
    args: ['directory_path'],
    paths: ['directory_path'],
    aliases: { names: ['list_dir', 'LIST_DIR'], args: folderAliases },
  },
  {
    name: 'search_directory',
    tier: 'observe',
    args: ['directory_path', 'query'],
    paths: ['directory_path'],
    aliases: {
      names: ['grep_search', 'SEARCH_DIR'],
      args: { ...folderAliases, SearchPath: 'directory_path', Query: 'query' },
    },
  },
  {
    name: 'find_file',
    tier: 'observe',
    args: ['directory_path', 'query'],
    paths: ['directory_path'],
    aliases: { names: ['find_by_name', 'FIND_FILE'], args: { ...folderAliases, Query: 'query' } },
  },
  {
    name: 'view_file',
    tier: 'observe',
    args: ['file_path', 'start_line', 'end_line'],
    paths: ['file_path'],
    aliases: { names: ['read_file', 'VIEW_FILE'], args: pathAliases },
  },
  {
    name: 'create_file',
    tier: 'confirm',
    args: ['file_path', 'contents'],
    paths: ['file_path'],
    aliases: { names: ['write_to_file', 'CREATE_FILE'], args: pathAliases },
  },
  {
    name: 'edit_file',
    tier: 'confirm',
    args: ['file_path', 'old_text', 'new_text'],
    paths: ['file_path'],
    aliases: { names: ['EDIT_FILE'], args: pathAliases },
  },
  {
    name: 'run_command',
    tier: 'confirm',
    args: ['command_line', 'working_dir'],
    paths: ['working_dir'],
    commands: ['command_line'],
    aliases: { names: ['RUN_COMMAND'], args: { CommandLine: 'command_line', Cwd: 'working_dir' } },
  },
  { name: 'ask_question', tier: 'observe', args: ['questions'], aliases: { names: ['ASK_QUESTION'] } },
  { name: 'start_subagent', tier: 'confirm', args: ['agent', 'prompt'], aliases: { names: ['START_SUBAGENT'] } },
  {
    name: 'read_url_content',
    tier: 'confirm',
    args: ['url'],
    aliases: { names: ['READ_URL_CONTENT'], args: { Url: 'url' } },
  },
  { name: 'finish', tier: 'observe', args: ['result'], aliases: { names: ['FINISH'] } },
];

/** Deeply frozen, since everybody shares them. */
export const builtinTools = mustCopyJson(
  declared,
  { bytes: 65_536, depth: 8 },
  'builtinTools',
) as readonly unknown[] as readonly ToolDeclaration[];
