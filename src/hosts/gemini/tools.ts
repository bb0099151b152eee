/** The tools of Gemini CLI 0.61.0, in Bridle's names and arguments. */

import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import type { JsonObject } from '../../kernel/json.ts';
import type { HostCall, HostEnv } from '../host.ts';
import * as calls from '../host-tools.ts';
import { changesCommands } from '../shell-environment.ts';
import { inProject, runsProjectPrograms } from '../startup-changes.ts';
import { patternFolder, ToolInput } from '../tool-input.ts';
import { hasHarmfulEnvFile, runText } from './run-text.ts';

export interface GeminiCall {
  readonly tool: string;
  readonly input: JsonObject;
  /** Gemini resolves all paths against the folder of the session. */
  readonly folder: string;
  readonly env: HostEnv;
}

type Reader = (input: ToolInput, call: GeminiCall) => readonly HostCall[];

/** Gemini has no ids of calls. */
const noId = { id: undefined };

const inert = (input: ToolInput, { tool }: GeminiCall): readonly HostCall[] => [calls.planCall(tool, input.all, noId)];

const readers: Readonly<Record<string, Reader>> = {
  run_shell_command: (input, { env }) => [command(input, env)],
  read_file: (input) => {
    const [from, to] = [input.optionalNumber('start_line'), input.optionalNumber('end_line')];
    const names = { file_path: 'file_path', start_line: 'start_line', end_line: 'end_line' };
    return forEachFile(input, names, (file, parts) => calls.readFileCall({ file, from, to }, parts));
  },
  write_file: (input) => {
    const contents = input.text('content');
    const names = { file_path: 'file_path', contents: 'content' };
    return forEachFile(input, names, (file, parts) => calls.createFileCall({ file, contents }, parts));
  },
  replace: (input) => replace(input),
  list_directory: (input) => folders(input).map((folder) => calls.listFolderCall(folder, noId)),
  grep_search: (input) => {
    // A search that ignores .gitignore is like one with a pattern that finds every file.
    const all = input.has('no_ignore') ? '**/*' : undefined;
    const [query, include] = [input.text('pattern'), all ?? input.optionalText('include_pattern')];
    return folders(input).flatMap((folder) => calls.searchCalls({ folder, query, include }, noId));
  },
  glob: (input) => {
    const query = input.text('pattern');
    return folders(input).map((each) => calls.findFileCall({ folder: patternFolder(each, query), query }, noId));
  },
  web_fetch: (input) => fetchedUrls(input).map((url) => calls.fetchCall(url, noId)),
  google_web_search: (input) => [calls.searchWebCall(input.text('query'), noId)],
  invoke_agent: (input) => [
    calls.subagentCall(
      { agent: input.text('agent_name'), prompt: input.text('prompt') },
      { ...noId, toInput: input.renamed({ agent: 'agent_name', prompt: 'prompt' }) },
    ),
  ],
  write_todos: inert,
  update_topic: inert,
  enter_plan_mode: inert,
  complete_task: inert,
  ask_user: inert,
  list_background_processes: inert,
  read_background_output: inert,
};

/** One call, or one for each file or URL that the tool could touch: all of them must be allowed. */
export function geminiCalls(call: GeminiCall): readonly HostCall[] {
  const { tool, input, folder } = call;
  const read = Object.hasOwn(readers, tool) ? readers[tool] : undefined;
  return read?.(new ToolInput(input, folder), call) ?? [calls.unknownCall({ tool, args: input }, noId)];
}

function command(input: ToolInput, env: HostEnv): HostCall {
  const text = runText(input.text('command'));
  if (text === undefined) {
    const advice = 'write one complete command line, with all quotes and brackets closed and no shell -c around it';
    return input.fail('command', `cannot be checked: Gemini CLI would change it; ${advice}`);
  }
  const back = input.renamed({ command_line: 'command', working_dir: 'dir_path', background: 'is_background' });
  // A changed command must mean the same to Gemini as to the rules.
  const toInput = (args: JsonObject): JsonObject | undefined =>
    typeof args['command_line'] === 'string' && runText(args['command_line']) === args['command_line']
      ? back(args)
      : undefined;
  const background = input.optionalFlag('is_background');
  const args = {
    command: text,
    folder: input.optionalPath('dir_path'),
    background,
    isBash: confirms(text, input.base, env),
  };
  return calls.commandCall(args, { ...noId, toInput });
}

/** True if facts about bash hold; otherwise why they do not. */
function confirms(text: string, folder: string, env: HostEnv): true | string {
  if (changesCommands(env, text)) return 'a variable such as BASH_ENV changes what bash does';
  if (runsProjectPrograms(text, env, folder)) return inProject;
  return hasHarmfulEnvFile(folder, env) ? 'an .env file sets variables that change what commands run' : true;
}

function replace(input: ToolInput): readonly HostCall[] {
  const [written, oldText, newText] = [input.text('file_path'), input.text('old_string'), input.text('new_string')];
  const replaceAll = input.optionalFlag('allow_multiple');
  const files = filesOf(input, 'file_path');
  if (!isAbsolute(written) && !files.some((file) => existsSync(file))) {
    // Gemini would look for a file of this name in all folders of the workspace.
    input.fail('file_path', 'names a file that does not exist; use an absolute path');
  }
  const names = {
    file_path: 'file_path',
    old_text: 'old_string',
    new_text: 'new_string',
    replace_all: 'allow_multiple',
  };
  return forEachFile(input, names, (file, parts) => calls.editFileCall({ file, oldText, newText, replaceAll }, parts));
}

function forEachFile(
  input: ToolInput,
  names: Readonly<Record<string, string>>,
  toCall: (file: string, parts: calls.CallParts) => HostCall,
): readonly HostCall[] {
  const files = filesOf(input, 'file_path');
  const parts = files.length === 1 ? { ...noId, toInput: plainPaths(input.renamed(names)) } : noId;
  return files.map((file) => toCall(file, parts));
}

/** A changed path must mean the same to Gemini as to the rules. */
function plainPaths(back: (args: JsonObject) => JsonObject | undefined): HostCall['toInput'] {
  return (args) => {
    const file = args['file_path'];
    return typeof file === 'string' && isAbsolute(file) && !file.includes('%') ? back(args) : undefined;
  };
}

function folders(input: ToolInput): readonly string[] {
  return input.optionalPath('dir_path') === undefined ? [input.base] : filesOf(input, 'dir_path');
}

/**
 * The file that a path names, and the others that Gemini could take instead: it decodes `%2e`, and ignores a leading `@`
 * if there is no such file.
 */
function filesOf(input: ToolInput, name: string): readonly string[] {
  const [written, path] = [input.nonEmptyText(name), input.path(name)];
  const bare = written.startsWith('@') ? [resolve(input.base, written.replace(/^@[\\/]*/, ''))] : [];
  const files = [path, ...bare].flatMap((file) => [file, decoded(file)]);
  if (files.some((file) => file.includes('\0'))) input.fail(name, 'contains NUL');
  return [...new Set(files)];
}

function decoded(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return resolve(decodeURIComponent(path));
  } catch {
    // Gemini does not decode it either.
    return path;
  }
}

/** Gemini fetches each URL in the text of the prompt. Without a URL, the text is taken as the URL, so its host is unknown. */
function fetchedUrls(input: ToolInput): readonly string[] {
  const [url, prompt = ''] = [input.optionalText('url'), input.optionalText('prompt')];
  const named = prompt.split(/\s+/).filter((token) => token.includes('://'));
  const all = [...(url === undefined ? [] : [url]), ...named].flatMap(withRawUrl);
  return all.length === 0 ? [prompt] : [...new Set(all)];
}

/** Gemini gets files of github.com from another host. */
function withRawUrl(text: string): readonly string[] {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.hostname !== 'github.com' || !url.pathname.includes('/blob/')) return [text];
  return [text, `https://raw.githubusercontent.com${url.pathname.replace(/^\/([^/]+\/[^/]+)\/blob\//, '/$1/')}`];
}
