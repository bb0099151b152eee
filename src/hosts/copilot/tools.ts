/** The tools of Copilot CLI 1.0.102, in Bridle's names and arguments. */

import { isJsonObject, type JsonValue } from '../../kernel/json.ts';
import { BridleError } from '../../kernel/errors.ts';
import { resolve } from 'node:path';
import type { HostCall, HostEnv } from '../host.ts';
import * as calls from '../host-tools.ts';
import { changesCommands } from '../shell-environment.ts';
import { inProject, runsProjectPrograms } from '../startup-changes.ts';
import { patternFolder, ToolInput } from '../tool-input.ts';

export interface CopilotCall {
  readonly tool: string;
  /** An object, or the text of a patch. */
  readonly input: JsonValue | undefined;
  /** Copilot resolves all paths against the folder of the session. */
  readonly folder: string;
  readonly env: HostEnv;
}

type Reader = (input: ToolInput, call: CopilotCall) => readonly HostCall[];

/** Copilot has no ids of calls. */
const noId = { id: undefined };

const inert: Reader = (input, { tool }) => [calls.planCall(tool, input.all, noId)];

/** Copilot also takes `path`, and splits a text at blanks. Every path that it could mean counts. */
function searchPaths(input: ToolInput): readonly string[] {
  const given = ['paths', 'path'].filter((name) => input.has(name));
  const found = given.flatMap((name) => {
    const value = input.value(name);
    if (typeof value !== 'string') return input.paths(name);
    return [value, ...value.split(/\s+/)].filter((each) => each !== '').map((each) => resolve(input.base, each));
  });
  return found.length === 0 ? [input.base] : [...new Set(found)];
}

const search: Reader = (input) => {
  const [query, include] = [input.text('pattern'), input.optionalText('glob')];
  return searchPaths(input).flatMap((folder) => calls.searchCalls({ folder, query, include }, noId));
};

const readers: Readonly<Record<string, Reader>> = {
  bash: (input, { env }) => [command(input, env)],
  view: (input) => {
    const names = { file_path: 'path' };
    return [
      calls.readFileCall({ file: input.path('path'), ...viewRange(input) }, { ...noId, toInput: input.renamed(names) }),
    ];
  },
  create: (input) => {
    const args = { file: input.path('path'), contents: input.text('file_text') };
    return [
      calls.createFileCall(args, { ...noId, toInput: input.renamed({ file_path: 'path', contents: 'file_text' }) }),
    ];
  },
  edit: (input) => {
    const [oldText, newText] = [input.optionalText('old_str'), input.optionalText('new_str')];
    const names = { file_path: 'path', old_text: 'old_str', new_text: 'new_str' };
    const parts = { ...noId, toInput: input.renamed(names) };
    return [calls.editFileCall({ file: input.path('path'), oldText, newText }, parts)];
  },
  grep: search,
  rg: search,
  glob: (input) => {
    const query = input.text('pattern');
    return searchPaths(input).map((folder) =>
      calls.findFileCall({ folder: patternFolder(folder, query), query }, noId),
    );
  },
  web_fetch: (input) => [calls.fetchCall(input.text('url'), { ...noId, toInput: input.renamed({ url: 'url' }) })],
  web_search: (input) => [calls.searchWebCall(input.text('query'), noId)],
  task: (input) => [
    calls.subagentCall(
      { agent: input.text('agent_type'), prompt: input.text('prompt') },
      { ...noId, toInput: input.renamed({ agent: 'agent_type', prompt: 'prompt' }) },
    ),
  ],
  report_intent: inert,
  ask_user: inert,
  read_bash: inert,
  stop_bash: inert,
  list_bash: inert,
  read_agent: inert,
  list_agents: inert,
  fetch_copilot_cli_documentation: inert,
};

/** The names in payloads for hooks in the format of another host. Their arguments keep Copilot's names. */
const otherNames: Readonly<Record<string, string>> = {
  Bash: 'bash',
  Read: 'view',
  Edit: 'edit',
  Write: 'create',
  Grep: 'grep',
  Glob: 'glob',
  WebFetch: 'web_fetch',
  WebSearch: 'web_search',
  Agent: 'task',
  Task: 'task',
};

/** Several calls if the tool touches several folders or files: all of them must be allowed. */
export function copilotCalls(call: CopilotCall): readonly HostCall[] {
  const { input, folder } = call;
  const tool = Object.hasOwn(otherNames, call.tool) ? (otherNames[call.tool] ?? call.tool) : call.tool;
  if (tool === 'apply_patch' || (tool === 'edit' && typeof input === 'string')) return readPatch(input, folder);
  if (!isJsonObject(input ?? null)) {
    throw new BridleError('PAYLOAD_INVALID', `The input of the tool ${JSON.stringify(call.tool)} is not an object.`);
  }
  const fields = new ToolInput(input as ToolInput['all'], folder);
  const read = Object.hasOwn(readers, tool) ? readers[tool] : undefined;
  return read?.(fields, call) ?? [otherCall(call.tool, fields)];
}

/** `lab-touch` is the tool `touch` of the server `lab`. With several dashes, it is not certain where the server ends. */
function otherCall(name: string, { all: args }: ToolInput): HostCall {
  const dashes = [...name.matchAll(/-/g)].map(({ index }) => index);
  const pairs = dashes
    .map((at) => ({ server: name.slice(0, at), tool: name.slice(at + 1) }))
    .filter(({ server, tool }) => server !== '' && tool !== '');
  const [only] = pairs;
  if (only !== undefined && dashes.length === 1) return calls.serverCall({ ...only, args }, noId);
  return calls.unknownCall({ tool: name, args, otherNames: pairs.length === 0 ? undefined : pairs }, noId);
}

function command(input: ToolInput, env: HostEnv): HostCall {
  const background = input.optionalText('mode') === 'async' || input.optionalFlag('detach') === true;
  const back = input.renamed({ command_line: 'command' });
  const toInput: HostCall['toInput'] = ({ background: wanted = false, ...args }) =>
    wanted === background ? back(args) : undefined;
  const line = input.text('command');
  const isChanged = changesCommands(env, line) && 'a variable such as BASH_ENV changes what bash does';
  const isBash = isChanged || (runsProjectPrograms(line, env, input.base) ? inProject : true);
  return calls.commandCall({ command: line, background, isBash }, { ...noId, toInput });
}

/** The lines to show; a last line of -1 is the end of the file. */
function viewRange(input: ToolInput): { readonly from?: number; readonly to?: number } {
  const range = input.value('view_range');
  if (range === undefined) return {};
  const [from, to] = Array.isArray(range) ? (range as readonly JsonValue[]) : [];
  if (typeof from !== 'number' || typeof to !== 'number') return input.fail('view_range', 'is not a pair of numbers');
  return to < 0 ? { from } : { from, to };
}

function readPatch(patch: JsonValue | undefined, folder: string): readonly HostCall[] {
  const found = typeof patch === 'string' ? calls.patchCalls({ patch, folder }, noId) : undefined;
  if (found !== undefined) return found;
  throw new BridleError(
    'PAYLOAD_INVALID',
    'The input of apply_patch is not a patch in its exact form, from "*** Begin Patch" to "*** End Patch"; correct its headers and lines.',
  );
}

/** The calls of a request for permission, which has other arguments than the tool. */
export function permissionCalls(call: CopilotCall): readonly HostCall[] {
  const { tool, input, folder } = call;
  const [server = '', name = '', ...more] = tool.split('/');
  if (!isJsonObject(input ?? null)) {
    throw new BridleError('PAYLOAD_INVALID', `The input of the tool ${JSON.stringify(tool)} is not an object.`);
  }
  const fields = new ToolInput(input as ToolInput['all'], folder);
  if (server !== '' && name !== '' && more.length === 0) {
    return [calls.serverCall({ server, tool: name, args: fields.all }, noId)];
  }
  if (tool !== 'edit' && tool !== 'create') return copilotCalls(call);
  // Copilot asks for new files and for changes in the same words.
  return [calls.editFileCall({ file: fields.path('file_path'), newText: fields.optionalText('diff') }, noId)];
}
