/** The tools of Codex, as calls of Bridle's tools. */

import { resolve } from 'node:path';
import type { JsonObject } from '../../kernel/json.ts';
import type { HostCall } from '../host.ts';
import {
  commandCall,
  patchCalls,
  planCall,
  questionCall,
  readFileCall,
  serverCall,
  subagentCall,
  unknownCall,
} from '../host-tools.ts';
import type { ToolInput } from '../tool-input.ts';
import { possibleNames, type ServerTool } from './mcp-servers.ts';
import { findShellPatch, mayPatch } from './shell-patch.ts';

/** A tool call of a payload, and what its translation depends on. */
interface CodexCall {
  readonly id: string | undefined;
  readonly name: string;
  /** Relative paths start in the folder of the call. Codex resolves `..` as text. */
  readonly input: ToolInput;
  /** True if bash runs this text, or every shell that may run it understands it as bash does. */
  readonly isBash: (command: string) => true | string;
  /** Every pair of server and tool that a name may stand for. */
  readonly serverTools: (name: string) => readonly ServerTool[];
}

/** They only change what Codex shows or plans, or wait for agents that an allowed call has started. */
const inert = new Set([
  'close_agent',
  'create_goal',
  'get_goal',
  'interrupt_agent',
  'list_agents',
  'tool_search',
  'update_goal',
  'update_plan',
  'wait_agent',
]);

const tools: Readonly<Record<string, (call: CodexCall) => readonly HostCall[]>> = {
  Bash: runCommand,
  apply_patch: ({ id, input }) =>
    patchCalls({ folder: input.base, patch: input.text('command') }, { id }) ?? [unknownPatch(id, input.all)],
  list_mcp_resource_templates: useResources,
  list_mcp_resources: useResources,
  read_mcp_resource: useResources,
  request_user_input: ({ id, input }) => [questionCall(input.all, { id, toInput: (args) => args })],
  request_user_input_async: ({ id, input }) => [questionCall(input.all, { id, toInput: (args) => args })],
  spawn_agent: startAgent,
  view_image: ({ id, input }) => [
    readFileCall({ file: input.path('path') }, { id, toInput: input.renamed({ file_path: 'path' }) }),
  ],
};

export function translateCalls(call: CodexCall): readonly HostCall[] {
  const { id, input } = call;
  // The names of tools in a namespace arrive with the namespace in front: `multi_agent_v1wait_agent`.
  const name = call.name.replace(/^(?:multi_agent_v\d+|collaboration|functions)\.?(?=[a-z])/, '');
  if (call.name.startsWith('mcp__')) return [callServer(call)];
  if (inert.has(name)) return [planCall(name, input.all, { id })];
  const translate = Object.hasOwn(tools, name) ? tools[name] : undefined;
  return translate === undefined ? [unknownCall({ tool: call.name, args: input.all }, { id })] : translate(call);
}

function callServer({ id, name, input, serverTools }: CodexCall): HostCall {
  const args = input.all;
  const pairs = serverTools(name);
  const [pair] = pairs;
  // Servers may be configured in ways that are not found: rules that deny one of the possible names apply in any case.
  const otherNames = [...pairs, ...possibleNames(name)];
  if (pair !== undefined && pairs.length === 1) return { ...serverCall({ ...pair, args }, { id }), otherNames };
  return unknownCall({ tool: name, args, otherNames }, { id });
}

/**
 * Codex executes some command lines as patches, without a shell: then the files of the patch are decided, too. If that
 * is not certain, neither are the files.
 */
function runCommand({ id, input, isBash }: CodexCall): readonly HostCall[] {
  const command = input.text('command');
  const toInput = input.renamed({ command_line: 'command' });
  const run = commandCall({ command, isBash: isBash(command) }, { id, toInput });
  if (!mayPatch(command)) return [run];
  const { folder = '', patch = command } = findShellPatch(command) ?? {};
  const files = patchCalls({ folder: resolve(input.base, folder), patch }, { id });
  return [{ ...run, toInput: () => undefined }, ...(files ?? [unknownPatch(id, { command: patch })])];
}

function unknownPatch(id: string | undefined, args: JsonObject): HostCall {
  return unknownCall({ tool: 'apply_patch', args }, { id, toInput: () => undefined });
}

function startAgent({ id, input }: CodexCall): readonly HostCall[] {
  const agent = input.optionalText('agent_type') ?? 'default';
  const toInput = input.renamed({ agent: 'agent_type', prompt: 'message' });
  return [subagentCall({ agent, prompt: input.text('message') }, { id, toInput })];
}

/** Lists or reads resources of one MCP server, or of all of them. */
function useResources({ id, name, input }: CodexCall): readonly HostCall[] {
  const server = input.optionalText('server');
  const call = { tool: name, args: input.all };
  return [server ? serverCall({ server, ...call }, { id }) : unknownCall(call, { id })];
}
