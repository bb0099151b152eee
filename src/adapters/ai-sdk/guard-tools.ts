/** Guards the tools of the AI SDK. It works alike in versions 6 and 7. */

import { BridleError } from '../../kernel/errors.ts';
import { quoteName } from '../../kernel/names.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import type { FrameworkGuard } from '../framework-guard.ts';
import { refuseElsewhere, refuseUnknownOptions } from '../framework-setup.ts';
import { checkVersion } from '../installed-version.ts';
import { ParsedArgs } from './parsed-args.ts';
import { type AiTool, ToolCalls } from './tool-calls.ts';

export interface GuardToolsOptions {
  /** The id of the session: of a chat, a user, a job. Needed to resume after a restart. Default: a new id. */
  readonly session?: string | undefined;
  /** The names of agents from the root to the one that has these tools. Default: `main`. */
  readonly agent?: readonly string[] | undefined;
  /** The tools that come from MCP servers, by the name of the server. They must be among `tools`, too. */
  readonly mcpServers?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined;
  /** `unguarded`: accept tools that the provider or the client runs. Bridle cannot guard these. */
  readonly providerTools?: 'unguarded' | undefined;
}

export const testedVersions = { name: 'ai', versions: ['6.0.326', '7.0.169'] };
export const frameworkName = 'ai-sdk';
const toolPoints = ['preToolCall', 'postToolCall', 'onToolError'] as const;

/** Returns the same tools, guarded: give them to `generateText`, `streamText` or an agent instead. */
export function guardTools<T extends Readonly<Record<string, AiTool>>>(
  guard: FrameworkGuard,
  tools: T,
  options: GuardToolsOptions = {},
): T {
  checkVersion(testedVersions);
  refuseUnknownOptions('guardTools', options, ['session', 'agent', 'mcpServers', 'providerTools']);
  const elsewhere = Object.keys(tools).filter((name) => typeof tools[name]?.execute !== 'function');
  refuseElsewhere(elsewhere, options.providerTools);
  const guardable = Object.entries(tools).filter(([name]) => !elsewhere.includes(name));
  const servers = serversOf(tools, options.mcpServers ?? {});
  const parsed = guardable.map(() => new ParsedArgs());
  const declared = guard.attach({
    framework: frameworkName,
    points: toolPoints,
    tools: guardable.map(([name, tool], index) => {
      const adaptSchema = parsed[index]?.accept;
      return { name, server: servers.get(name), tool, adaptSchema };
    }),
    unguarded: elsewhere,
  });
  const { session = guard.defaultSession, agent } = options;
  const byTool = new Map(declared.map((tool, index) => [tool, parsed[index] as ParsedArgs]));
  const calls = new ToolCalls({ guard, framework: frameworkName, session, agent }, byTool);
  const guarded = guardable.map(([name, tool], index) => [
    name,
    marked(calls.wrap(tool, declared[index] as ToolDeclaration), guard),
  ]);
  return { ...tools, ...Object.fromEntries(guarded) } as T;
}

/** The server of each tool that comes from one. A server whose tool is hidden by another of the same name is refused. */
function serversOf(
  tools: Readonly<Record<string, AiTool>>,
  servers: NonNullable<GuardToolsOptions['mcpServers']>,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [server, own] of Object.entries(servers)) {
    for (const [name, tool] of Object.entries(own)) {
      if (tools[name] !== tool) {
        throw new BridleError(
          'TOOL_INVALID',
          `${quoteName(name)} of server ${quoteName(server)} is not among the tools, or another tool of this name replaces it`,
        );
      }
      found.set(name, server);
    }
  }
  return found;
}

/** The tool with a mark that reaches the model with it, where unguarded tools are refused. Providers ignore the mark. */
function marked(tool: AiTool, guard: FrameworkGuard): AiTool {
  const { providerOptions } = tool as { readonly providerOptions?: object };
  const value = { ...providerOptions, bridle: { guard: guard.defaultSession } };
  return Object.defineProperty(tool, 'providerOptions', {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}
