/** The options of the Claude Agent SDK that Bridle reads or changes, and what must not be set in them. */

import { BridleError } from '../../kernel/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import { quoteName } from '../../kernel/names.ts';
import { builtinTools, updatePlanTool } from '../../tools/declare-builtins.ts';
import type { ForeignTool } from '../framework-guard.ts';

/** An object of the SDK of which only some fields are known here. */
export type Fields = Readonly<Record<string, unknown>>;

/** A hook as it is called: the payload of the event, the id of the tool call, and a signal. */
export type Hook = (input: HookPayload, id: string | undefined, context: HookContext) => Promise<Fields>;

/** The fields that are read here. Each event has only some of them. */
export interface HookPayload extends JsonObject {
  readonly session_id: string;
  readonly tool_use_id: string;
  readonly tool_name: string;
  readonly tool_input: JsonObject;
  readonly tool_response: JsonValue;
  readonly error: string;
  readonly prompt: string;
  readonly last_assistant_message: string;
}

export interface HookContext {
  readonly signal: AbortSignal;
}

/** The callback that asks the user of the SDK. */
export type Prompt = (tool: string, input: JsonObject, context: Fields) => Promise<unknown>;

export interface HookMatcher {
  readonly matcher?: string | undefined;
  readonly hooks: readonly ((input: never, id: never, context: never) => unknown)[];
  readonly timeout?: number | undefined;
  readonly onFailure?: 'continue' | 'block' | undefined;
}

/** The options of `query()`, as far as Bridle reads them. */
export interface ClaudeOptions {
  readonly hooks?: { readonly [event: string]: readonly HookMatcher[] | undefined } | undefined;
  readonly canUseTool?: ((tool: string, input: never, context: never) => unknown) | undefined;
  readonly mcpServers?: Readonly<Record<string, object>> | undefined;
  readonly tools?: readonly string[] | object | undefined;
  readonly disallowedTools?: readonly string[] | undefined;
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly extraArgs?: Readonly<Record<string, string | null>> | undefined;
  readonly settings?: string | object | undefined;
  readonly permissionPromptToolName?: string | undefined;
}

/** What only Bridle reads. */
export interface GuardSettings {
  /**
   * `unguarded`: run hooks of settings files, plugins and skills, which are off otherwise. Bridle does not see what they
   * answer. If one of them changes the args of a call, the call runs, and then the run stops.
   */
  readonly fileHooks?: 'unguarded' | undefined;
}

/** Bridle's names of the tools of Claude Code, as the policy of a coding agent has them. */
const bridleNames: Readonly<Record<string, string>> = {
  Agent: 'start_subagent',
  AskUserQuestion: 'ask_question',
  Bash: 'run_command',
  Edit: 'edit_file',
  Glob: 'find_file',
  Grep: 'search_directory',
  LS: 'list_directory',
  Monitor: 'run_command',
  MultiEdit: 'edit_file',
  NotebookEdit: 'edit_file',
  Read: 'view_file',
  Task: 'start_subagent',
  WebFetch: 'read_url_content',
  WebSearch: 'search_web',
  Write: 'create_file',
};

/** The built-in tools that the options leave to the agent, under Bridle's names. `taken` are names of own tools. */
export function builtinsOf(
  { tools, disallowedTools = [] }: ClaudeOptions,
  taken: ReadonlySet<string>,
): readonly ForeignTool[] {
  const listed: readonly string[] = Array.isArray(tools) ? tools : Object.keys(bridleNames);
  const left = listed.filter((name) => !disallowedTools.includes(name));
  const names = new Set(left.flatMap((name) => bridleNames[name] ?? []));
  const declared = [...builtinTools, { name: 'search_web', args: ['query'], touches: {} }].filter(({ name }) =>
    names.has(name),
  );
  const plan = left.length === 0 ? [] : [updatePlanTool];
  const double = [...declared, ...plan].find(({ name }) => taken.has(name));
  if (double !== undefined) {
    throw new BridleError(
      'TOOL_INVALID',
      `your tool ${quoteName(double.name)} has the name that rules use for a built-in tool of Claude Code: rename it, ` +
        'or leave the built-in tool out of "tools"',
    );
  }
  return [...declared, ...plan].map((tool) => {
    const names = tool.aliases?.names?.filter((name) => !taken.has(name));
    return { name: tool.name, tool: { ...tool, aliases: tool.aliases && { ...tool.aliases, names } } };
  });
}

/** The variable that turns off all hooks of Claude Code, those of the SDK included. */
const bareVariable = 'CLAUDE_CODE_SIMPLE';

/** Refuses options with which calls would not reach Bridle. */
export function refuseUnguardable({ extraArgs = {}, settings, permissionPromptToolName }: ClaudeOptions): void {
  const problems: string[] = [];
  for (const name of ['bare', 'settings', 'permission-prompt-tool']) {
    if (Object.hasOwn(extraArgs, name)) problems.push(`extraArgs: { ${quoteName(name)} } can turn off hooks`);
  }
  if (permissionPromptToolName !== undefined)
    problems.push('permissionPromptToolName answers prompts outside of Bridle: use canUseTool');
  if (typeof settings === 'string' && !settings.trimStart().startsWith('{'))
    problems.push('settings is the path of a file, which can turn off hooks: pass the settings as an object');
  if (problems.length > 0) throw new BridleError('OPTION_INVALID', problems.join('; '), { problems });
}

/**
 * The same settings. They keep the hooks of the program on, whatever the environment and the user's settings files say, and
 * all other hooks off: these could change a call after it was decided.
 */
export function hookSettings(settings: ClaudeOptions['settings'] = {}, { fileHooks }: GuardSettings = {}): object {
  const given: JsonValue =
    typeof settings === 'string' ? (JSON.parse(settings) as JsonValue) : (settings as JsonObject);
  if (!isJsonObject(given)) throw new BridleError('OPTION_INVALID', 'settings is not an object');
  const env = { ...((given['env'] ?? {}) as JsonObject), [bareVariable]: '0' };
  if (fileHooks === 'unguarded') return { ...given, env };
  if (given['hooks'] !== undefined) {
    throw new BridleError(
      'OPTION_INVALID',
      "settings.hooks would be off: move them to the option hooks, or set fileHooks: 'unguarded'",
    );
  }
  return { ...given, disableAllHooks: true, env };
}
