/**
 * Calls of Bridle's own tools, for hosts that translate theirs. One policy file applies to all hosts, because rules see
 * these names and arguments. A declaration states only what is known about the arguments of the call.
 */

import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { BridleError } from '../kernel/errors.ts';
import type { JsonObject, JsonValue } from '../kernel/json.ts';
import type { ToolDeclaration, ToolTouches } from '../kernel/tool.ts';
import { builtinTools } from '../tools/declare-builtins.ts';
import type { HostCall } from './host.ts';
import { patchFiles } from './patch-files.ts';

/** The call without claims about its command lines: facts about them are unknown. */
export function withoutFacts(call: HostCall, unknownBecause: string): HostCall {
  const { touches: { bash: _bash, ...touches } = {}, ...declaration } = call.declaration;
  return { ...call, unknownBecause, declaration: { ...declaration, touches } };
}

/** What a host adds to a translated call. */
export interface CallParts {
  readonly id: string | undefined;
  /** See {@link HostCall.toInput}. Default: the host cannot express changed args. */
  readonly toInput?: HostCall['toInput'] | undefined;
}

const noInput = (): undefined => undefined;

/** Drops arguments that are undefined. */
function definedArgs(args: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined)) as JsonObject;
}

/** `changes` names one of Bridle's tools, and what differs from its declaration. */
function builtinCall(
  changes: ToolDeclaration,
  args: Readonly<Record<string, JsonValue | undefined>>,
  { id, toInput = noInput }: CallParts,
): HostCall {
  const { name: tool } = changes;
  const declaration = { ...builtinTools.find(({ name }) => name === tool), ...changes };
  return { id, tool, server: undefined, args: definedArgs(args), declaration, toInput };
}

export interface CommandArgs {
  readonly command: string;
  /** Absolute. The folder that the host was asked to run it in, if it is not the folder of the event. */
  readonly folder?: string | undefined;
  /** True if the command keeps running after the call. */
  readonly background?: boolean | undefined;
  /**
   * True if the host's record confirms that bash runs exactly this text; otherwise false, or the reason why not. Facts are
   * then unknown.
   */
  readonly isBash: boolean | string;
}

export function commandCall({ command, folder, background, isBash }: CommandArgs, parts: CallParts): HostCall {
  // Nothing to decide about: conditions on every command of a line would all be true.
  if (command.trim() === '') throw new BridleError('PAYLOAD_INVALID', 'the command is empty');
  const args = { command_line: command, working_dir: folder, background: background === true ? true : undefined };
  const touches: ToolTouches = { ...(isBash === true ? { bash: ['command_line'] } : {}), folder: 'working_dir' };
  const names = ['command_line', 'working_dir', 'background'];
  const call = builtinCall({ name: 'run_command', args: names, commands: ['command_line'], touches }, args, parts);
  return typeof isBash === 'string' ? { ...call, unknownBecause: isBash } : call;
}

export function readFileCall(
  args: { readonly file: string; readonly from?: number | undefined; readonly to?: number | undefined },
  parts: CallParts,
): HostCall {
  return builtinCall({ name: 'view_file' }, { file_path: args.file, start_line: args.from, end_line: args.to }, parts);
}

export function createFileCall(args: { readonly file: string; readonly contents: string }, parts: CallParts): HostCall {
  return builtinCall({ name: 'create_file' }, { file_path: args.file, contents: args.contents }, parts);
}

export interface EditArgs {
  readonly file: string;
  readonly oldText?: string | undefined;
  readonly newText?: string | undefined;
  readonly replaceAll?: boolean | undefined;
}

export function editFileCall({ file, oldText, newText, replaceAll }: EditArgs, parts: CallParts): HostCall {
  const args = { file_path: file, old_text: oldText, new_text: newText, replace_all: replaceAll };
  return builtinCall({ name: 'edit_file' }, args, parts);
}

/**
 * The calls of a patch in the format of `apply_patch`: one for files that are created, including the targets of moves,
 * and one for the others. Undefined if the patch is not understood.
 */
export function patchCalls(
  { patch, folder }: { readonly patch: string; readonly folder: string },
  parts: CallParts,
): readonly HostCall[] | undefined {
  const found = patchFiles(patch);
  if (found === undefined) return undefined;
  const { added, changed, deleted, moved } = found;
  const call = (tool: 'create_file' | 'edit_file', paths: readonly string[]): readonly HostCall[] => {
    const files = paths.map((path) => resolve(folder, path));
    return files.length === 0 ? [] : [patchCall(tool, { files, patch }, parts)];
  };
  return [
    ...call('create_file', [...added, ...moved.map(({ to }) => to)]),
    ...call('edit_file', [...changed, ...deleted, ...moved.map(({ from }) => from)]),
  ];
}

/** A patch that creates or changes these files. With one file, it is in `file_path`, as for a plain edit. */
export function patchCall(
  tool: 'create_file' | 'edit_file',
  { files, patch }: { readonly files: readonly string[]; readonly patch: string },
  parts: CallParts,
): HostCall {
  const [file] = files;
  const args = files.length === 1 ? { file_path: file, patch } : { file_paths: files, patch };
  const paths = ['file_path', 'file_paths'];
  const touches = { reads: tool === 'edit_file' ? paths : [], writes: paths };
  return builtinCall({ name: tool, args: [...paths, 'patch'], paths, touches }, args, parts);
}

export function listFolderCall(folder: string, parts: CallParts): HostCall {
  return builtinCall({ name: 'list_directory' }, { directory_path: folder }, parts);
}

export interface SearchArgs {
  readonly folder: string;
  readonly query: string;
  readonly include?: string | undefined;
}

/** A search for text in files. A search in a single file also reads it: rules about reading files must see that. */
export function searchCalls({ folder, query, include }: SearchArgs, parts: CallParts): readonly HostCall[] {
  const search = builtinCall({ name: 'search_directory' }, { directory_path: folder, query, include }, parts);
  const isFile = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false;
  return isFile ? [readFileCall({ file: folder }, parts), search] : [search];
}

/** A search for files by name. */
export function findFileCall({ folder, query }: SearchArgs, parts: CallParts): HostCall {
  return builtinCall({ name: 'find_file' }, { directory_path: folder, query }, parts);
}

export function fetchCall(url: string, parts: CallParts): HostCall {
  return builtinCall({ name: 'read_url_content' }, { url }, parts);
}

export function searchWebCall(query: string, parts: CallParts): HostCall {
  return builtinCall({ name: 'search_web', args: ['query'], touches: {} }, { query }, parts);
}

export function subagentCall(args: { readonly agent: string; readonly prompt: string }, parts: CallParts): HostCall {
  return builtinCall({ name: 'start_subagent' }, { agent: args.agent, prompt: args.prompt }, parts);
}

/** A tool that only changes what the host shows or plans, such as a list of todos. It touches nothing else. */
export function planCall(name: string, input: JsonObject, parts: CallParts): HostCall {
  const args = { name, input };
  const tier = 'observe';
  return builtinCall({ name: 'update_plan', tier, args: ['name', 'input'], touches: {} }, args, parts);
}

/** A tool that asks the person at the host. */
export function questionCall(input: JsonObject, parts: CallParts): HostCall {
  return builtinCall({ name: 'ask_question', args: Object.keys(input), touches: {} }, input, parts);
}

/** A tool of an MCP server, with the arguments as they are. Nothing is known about them. */
export function serverCall(
  { server, tool, args }: { readonly server: string; readonly tool: string; readonly args: JsonObject },
  { id, toInput = (changed) => changed }: CallParts,
): HostCall {
  return { id, tool, server, args, declaration: { name: tool, server }, toInput };
}

export interface UnknownTool {
  readonly tool: string;
  readonly args: JsonObject;
  readonly otherNames?: HostCall['otherNames'];
}

/**
 * A tool that the map does not know: it keeps its name, and the default of the policy applies. If it has the name of
 * one of Bridle's tools, the name gets a prefix: rules for Bridle's tool are not meant for it.
 */
export function unknownCall(
  { tool, args, otherNames }: UnknownTool,
  { id, toInput = (changed) => changed }: CallParts,
): HostCall {
  const name = isBuiltinName(tool) ? `host:${tool}` : tool;
  return { id, tool: name, server: undefined, otherNames, args, declaration: { name }, toInput };
}

function isBuiltinName(name: string): boolean {
  if (name === 'update_plan' || name === 'search_web' || name === 'generate_image') return true;
  return builtinTools.some((tool) => tool.name === name || tool.aliases?.names?.includes(name) === true);
}
