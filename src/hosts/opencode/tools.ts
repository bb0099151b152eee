/** The tools of opencode 1.18.33, in Bridle's names and arguments. */

import type { JsonObject } from '../../kernel/json.ts';
import type { HostCall } from '../host.ts';
import * as calls from '../host-tools.ts';
import { patternFolder, ToolInput } from '../tool-input.ts';
import { runsLikeBash, type ShellChoice } from './command-shell.ts';

export interface OpencodeCall {
  readonly id: string | undefined;
  readonly tool: string;
  readonly input: JsonObject;
  /** opencode resolves all paths against its folder. */
  readonly folder: string;
  readonly shell: ShellChoice;
  /** The MCP servers of the configuration; undefined if they are not known. */
  readonly servers: readonly string[] | undefined;
}

type Reader = (input: ToolInput, call: OpencodeCall) => HostCall | readonly HostCall[];

const otherShell = 'opencode may use another shell than bash, or a variable or a startup file changes what it does';

const inert: Reader = (input, { tool, id }) => calls.planCall(tool, input.all, { id });

const readers: Readonly<Record<string, Reader>> = {
  bash: (input, { id, shell }) => {
    const command = input.text('command');
    const toInput = input.renamed({ command_line: 'command', working_dir: 'workdir' });
    const args = { command, folder: input.optionalPath('workdir'), isBash: runsLikeBash(command, shell) || otherShell };
    return calls.commandCall(args, { id, toInput });
  },
  read: (input, { id }) =>
    calls.readFileCall({ file: input.path('filePath') }, { id, toInput: input.renamed({ file_path: 'filePath' }) }),
  write: (input, { id }) => {
    const toInput = input.renamed({ file_path: 'filePath', contents: 'content' });
    return calls.createFileCall({ file: input.path('filePath'), contents: input.text('content') }, { id, toInput });
  },
  edit: (input, { id }) => {
    const texts = { oldText: input.text('oldString'), newText: input.text('newString') };
    const names = { file_path: 'filePath', old_text: 'oldString', new_text: 'newString', replace_all: 'replaceAll' };
    const args = { file: input.path('filePath'), ...texts, replaceAll: input.optionalFlag('replaceAll') };
    return calls.editFileCall(args, { id, toInput: input.renamed(names) });
  },
  apply_patch: (input, { id }) => readPatch(input, id),
  glob: (input, { id }) => {
    const query = input.text('pattern');
    const folder = patternFolder(input.optionalPath('path') ?? input.base, query);
    return calls.findFileCall({ folder, query }, { id });
  },
  grep: (input, { id }) => {
    const [query, include] = [input.text('pattern'), input.optionalText('include')];
    return calls.searchCalls({ folder: input.optionalPath('path') ?? input.base, query, include }, { id });
  },
  webfetch: (input, { id }) => calls.fetchCall(input.text('url'), { id, toInput: input.renamed({ url: 'url' }) }),
  websearch: (input, { id }) => calls.searchWebCall(input.text('query'), { id }),
  task: (input, { id }) => {
    const toInput = input.renamed({ agent: 'subagent_type', prompt: 'prompt' });
    return calls.subagentCall({ agent: input.text('subagent_type'), prompt: input.text('prompt') }, { id, toInput });
  },
  todowrite: inert,
  todoread: inert,
  question: inert,
  // opencode calls this tool to tell the model that a call was invalid.
  invalid: inert,
};

/** Several calls if a patch touches several files: all of them must be allowed. */
export function opencodeCalls(call: OpencodeCall): readonly HostCall[] {
  const { tool, folder, input } = call;
  const read = Object.hasOwn(readers, tool) ? readers[tool] : undefined;
  const found = read?.(new ToolInput(input, folder), call) ?? otherCall(call);
  return 'declaration' in found ? [found] : found;
}

function readPatch(input: ToolInput, id: string | undefined): readonly HostCall[] {
  const found = calls.patchCalls({ patch: input.text('patchText'), folder: input.base }, { id });
  return found ?? input.fail('patchText', 'is not a patch in its exact form; correct its headers and lines');
}

/** `lab_touch` is the tool `touch` of the server `lab`, if there is one server whose name it can start with. */
function otherCall({ id, tool: name, input: args, servers }: OpencodeCall): HostCall {
  const fitting = (servers ?? []).flatMap((server) => {
    const prefix = `${server.replaceAll(/[^a-zA-Z0-9_-]/g, '_')}_`;
    return name.startsWith(prefix) && name !== prefix ? [{ server, tool: name.slice(prefix.length) }] : [];
  });
  const [only] = fitting;
  if (only !== undefined && fitting.length === 1) return calls.serverCall({ ...only, args }, { id });
  const otherNames = fitting.length > 0 ? fitting : everyPair(name);
  return calls.unknownCall({ tool: name, args, otherNames: otherNames.length === 0 ? undefined : otherNames }, { id });
}

function everyPair(name: string): readonly { readonly server: string; readonly tool: string }[] {
  return [...name.matchAll(/_/g)]
    .map(({ index }) => ({ server: name.slice(0, index), tool: name.slice(index + 1) }))
    .filter(({ server, tool }) => server !== '' && tool !== '');
}
