/** The tools of Claude Code, as calls of Bridle's tools. */

import type { HostCall } from '../host.ts';
import {
  commandCall,
  createFileCall,
  editFileCall,
  fetchCall,
  findFileCall,
  listFolderCall,
  patchCall,
  planCall,
  questionCall,
  readFileCall,
  searchCalls,
  searchWebCall,
  serverCall,
  subagentCall,
  unknownCall,
} from '../host-tools.ts';
import { patternFolder, type ToolInput } from '../tool-input.ts';

/** A tool call of a payload. */
interface ClaudeCall {
  readonly id: string | undefined;
  readonly name: string;
  /** Relative paths start in the shell's folder. Claude Code makes them absolute before it calls a hook. */
  readonly input: ToolInput;
  /** The exact name of the MCP server; undefined for other tools and in old versions. */
  readonly server: string | undefined;
  /** True if bash runs exactly this text. */
  readonly isBash: (command: string) => true | string;
}

/** They only change what Claude Code shows or plans, or return what an allowed call has already produced. */
const inert = new Set([
  'AgentOutputTool',
  'BashOutput',
  'CronList',
  'EnterPlanMode',
  'ExitPlanMode',
  'KillBash',
  'KillShell',
  'ListAgents',
  'ReportFindings',
  'TaskCreate',
  'TaskGet',
  'TaskList',
  'TaskOutput',
  'TaskStop',
  'TaskUpdate',
  'TodoRead',
  'TodoWrite',
  'ToolSearch',
]);

const tools: Readonly<Record<string, (call: ClaudeCall) => HostCall | readonly HostCall[]>> = {
  Agent: startAgent,
  AskUserQuestion: ({ id, input }) => questionCall(input.all, { id, toInput: (args) => args }),
  Bash: runCommand,
  Edit: editFile,
  Glob: findFiles,
  Grep: searchText,
  LS: ({ id, input }) => listFolderCall(input.path('path'), { id, toInput: input.renamed({ directory_path: 'path' }) }),
  ListMcpResourcesTool: useResources,
  Monitor: monitor,
  MultiEdit: ({ id, input }) =>
    patchCall(
      'edit_file',
      { files: [input.path('file_path')], patch: JSON.stringify(input.value('edits') ?? []) },
      { id },
    ),
  NotebookEdit: editNotebook,
  Read: readFile,
  ReadMcpResourceTool: useResources,
  Task: startAgent,
  WebFetch: ({ id, input }) => fetchCall(input.nonEmptyText('url'), { id, toInput: input.renamed({ url: 'url' }) }),
  WebSearch: ({ id, input }) => searchWebCall(input.text('query'), { id, toInput: input.renamed({ query: 'query' }) }),
  Write: writeFile,
};

export function translateCall(call: ClaudeCall): readonly HostCall[] {
  return [translateTool(call)].flat();
}

function translateTool(call: ClaudeCall): HostCall | readonly HostCall[] {
  const { id, name, input, server } = call;
  if (server !== undefined || name.startsWith('mcp__')) return callServer(call);
  if (inert.has(name)) return planCall(name, input.all, { id });
  const translate = Object.hasOwn(tools, name) ? tools[name] : undefined;
  return translate === undefined ? unknownCall({ tool: name, args: input.all }, { id }) : translate(call);
}

/**
 * Claude Code calls a tool `mcp__<server>__<tool>` and replaces characters of the server's name by `_`. Without the
 * server in the payload, the name counts only if it can be read in one way.
 */
function callServer({ id, name, input, server }: ClaudeCall): HostCall {
  const args = input.all;
  if (server !== undefined) {
    const prefix = `mcp__${server.replaceAll(/[^a-zA-Z0-9_-]/g, '_')}__`;
    const tool = name.startsWith(prefix) ? name.slice(prefix.length) : name;
    return serverCall({ server, tool: tool || name, args }, { id });
  }
  const [, from, tool] = /^mcp__([a-zA-Z0-9-]+)__((?!_)(?:(?!__).)+)$/.exec(name) ?? [];
  if (from === undefined || tool === undefined) {
    const parts = name.slice('mcp__'.length).split('__');
    const otherNames = parts
      .slice(1)
      .map((_, at) => ({ server: parts.slice(0, at + 1).join('__'), tool: parts.slice(at + 1).join('__') }))
      .filter((each) => each.server !== '' && each.tool !== '');
    return unknownCall({ tool: name, args, otherNames }, { id });
  }
  return serverCall({ server: from, tool, args }, { id });
}

function runCommand({ id, input, isBash }: ClaudeCall): HostCall {
  const command = input.text('command');
  const background = input.optionalFlag('run_in_background');
  const toInput = input.renamed({ command_line: 'command', background: 'run_in_background' });
  return commandCall({ command, background, isBash: isBash(command) }, { id, toInput });
}

/** Runs a command, or opens a WebSocket, and reports what it prints. */
function monitor({ id, name, input, isBash }: ClaudeCall): HostCall {
  if (input.has('ws') || !input.has('command')) return unknownCall({ tool: name, args: input.all }, { id });
  const command = input.text('command');
  const rename = input.renamed({ command_line: 'command' });
  const toInput: HostCall['toInput'] = ({ background, ...args }) => (background === true ? rename(args) : undefined);
  return commandCall({ command, background: true, isBash: isBash(command) }, { id, toInput });
}

function readFile({ id, input }: ClaudeCall): HostCall {
  const from = input.optionalNumber('offset');
  const limit = input.optionalNumber('limit');
  const to = limit === undefined ? undefined : (from ?? 1) + limit - 1;
  const rename = input.renamed({ file_path: 'file_path' });
  const toInput: HostCall['toInput'] = ({ start_line, end_line, ...args }) =>
    start_line === from && end_line === to ? rename(args) : undefined;
  return readFileCall({ file: input.path('file_path'), from, to }, { id, toInput });
}

function writeFile({ id, input }: ClaudeCall): HostCall {
  const toInput = input.renamed({ file_path: 'file_path', contents: 'content' });
  return createFileCall({ file: input.path('file_path'), contents: input.text('content') }, { id, toInput });
}

const editFields = {
  file_path: 'file_path',
  old_text: 'old_string',
  new_text: 'new_string',
  replace_all: 'replace_all',
};

function editFile({ id, input }: ClaudeCall): HostCall {
  const edit = {
    file: input.path('file_path'),
    oldText: input.text('old_string'),
    newText: input.text('new_string'),
    replaceAll: input.optionalFlag('replace_all'),
  };
  return editFileCall(edit, { id, toInput: input.renamed(editFields) });
}

function editNotebook({ id, input }: ClaudeCall): HostCall {
  const toInput = input.renamed({ file_path: 'notebook_path', new_text: 'new_source' });
  return editFileCall(
    { file: input.path('notebook_path'), newText: input.optionalText('new_source') },
    { id, toInput },
  );
}

function searchText({ id, input }: ClaudeCall): readonly HostCall[] {
  const folder = input.optionalPath('path') ?? input.base;
  return searchCalls({ folder, query: input.text('pattern'), include: input.optionalText('glob') }, { id });
}

function findFiles({ id, input }: ClaudeCall): HostCall {
  const query = input.text('pattern');
  return findFileCall({ folder: patternFolder(input.optionalPath('path') ?? input.base, query), query }, { id });
}

function startAgent({ id, input }: ClaudeCall): HostCall {
  const agent = input.optionalText('subagent_type') ?? 'general-purpose';
  const toInput = input.renamed({ agent: 'subagent_type', prompt: 'prompt' });
  return subagentCall({ agent, prompt: input.text('prompt') }, { id, toInput });
}

/** Lists or reads resources of one MCP server, or of all of them. */
function useResources({ id, name, input }: ClaudeCall): HostCall {
  const server = input.optionalText('server');
  const call = { tool: name, args: input.all };
  return server ? serverCall({ server, ...call }, { id }) : unknownCall(call, { id });
}
