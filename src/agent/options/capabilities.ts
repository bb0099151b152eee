/**
 * Capabilities: which tools a model can see. A hidden tool cannot be called; whether a visible one may run is up to the
 * policy.
 */

import { BridleError } from '../../kernel/errors.ts';
import { didYouMean, quoteName } from '../../kernel/names.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { optionHint } from './foreign-options.ts';

export type CapabilityPreset = 'readOnly' | 'nondestructive' | 'fileTools' | 'all' | 'none';

export interface CapabilityOptions {
  readonly preset?: CapabilityPreset | undefined;
  /** Only these tools are visible. Cannot be combined with `disabledTools`. */
  readonly enabledTools?: readonly string[] | undefined;
  readonly disabledTools?: readonly string[] | undefined;
  /** `false` hides `start_subagent`. */
  readonly subagents?: boolean | undefined;
}

export type Capabilities = CapabilityPreset | CapabilityOptions;

const fileTools = ['list_directory', 'search_directory', 'find_file', 'view_file', 'create_file', 'edit_file'];
const conversationTools = ['ask_question', 'finish'];

/** The tools that each preset leaves visible. */
const presets: Readonly<Record<CapabilityPreset, (tool: ToolDeclaration) => boolean>> = {
  readOnly: ({ tier }) => tier === 'observe',
  nondestructive: ({ name, tier }) => tier === 'observe' || name === 'create_file' || name === 'start_subagent',
  fileTools: ({ name }) => fileTools.includes(name) || conversationTools.includes(name),
  all: () => true,
  none: () => false,
};

const presetNames = Object.keys(presets) as readonly CapabilityPreset[];

export interface CapabilityContext {
  /** Every local tool, built-in or custom. */
  readonly tools: readonly ToolDeclaration[];
  /** The servers whose tools may be listed, as `server/tool` or `server/*`. */
  readonly servers: readonly string[];
  /** Selects the tools that presets apply to. */
  readonly covered: (tool: ToolDeclaration) => boolean;
  /** The preset used if none is given. */
  readonly preset: CapabilityPreset;
  /** The owner of these capabilities, for error messages. */
  readonly owner: string;
}

/** Returns a function that is true for hidden tools. */
export function createHidesPredicate(
  given: Capabilities | undefined,
  { tools, servers, covered, preset, owner }: CapabilityContext,
): (tool: ToolDeclaration) => boolean {
  const options: CapabilityOptions = typeof given === 'string' ? { preset: given } : (given ?? {});
  const { enabledTools, disabledTools, subagents = true } = options;
  const problems = capabilityProblems(options, tools, servers);
  if (problems.length > 0) {
    throw new BridleError('OPTION_INVALID', problems.map((each) => `${owner}: ${each}`).join('; '), { problems });
  }
  const canonical = new Map(tools.flatMap((tool) => toolNamesOf(tool).map((name) => [name, tool.name])));
  const named = (names: readonly string[]): ReadonlySet<string> =>
    new Set(names.map((each) => canonical.get(each) ?? each));
  const enabled = enabledTools === undefined ? undefined : named(enabledTools);
  const disabled = named(disabledTools ?? []);
  const shows = presets[options.preset ?? preset];
  return (tool) => {
    if (tool.server !== undefined) {
      const names = [`${tool.server}/${tool.name}`, `${tool.server}/*`];
      if (enabled !== undefined) return !names.some((name) => enabled.has(name));
      return names.some((name) => disabled.has(name)) || (covered(tool) && !shows(tool));
    }
    if (!subagents && tool.name === 'start_subagent') return true;
    if (enabled !== undefined) return !enabled.has(tool.name);
    return disabled.has(tool.name) || (covered(tool) && !shows(tool));
  };
}

function toolNamesOf({ name, aliases }: ToolDeclaration): readonly string[] {
  return [name, ...(aliases?.names ?? [])];
}

/** Only the server name is checked: its tools are unknown until it is connected. */
function isServerTool(name: unknown, servers: readonly string[]): boolean {
  return typeof name === 'string' && servers.some((server) => name.startsWith(`${server}/`));
}

const known = ['preset', 'enabledTools', 'disabledTools', 'subagents'];

function capabilityProblems(
  options: CapabilityOptions,
  tools: readonly ToolDeclaration[],
  servers: readonly string[],
): readonly string[] {
  const problems: string[] = [];
  for (const option of Object.keys(options)) {
    if (!known.includes(option))
      problems.push(`capabilities has no option ${quoteName(option)}${optionHint('capabilities', option, known)}`);
  }
  const { preset, enabledTools, disabledTools, subagents } = options;
  if (preset !== undefined && !presetNames.includes(preset)) {
    problems.push(`capabilities: unknown preset ${quoteName(preset)}; the presets are ${presetNames.join(', ')}`);
  }
  if (enabledTools !== undefined && disabledTools !== undefined) {
    problems.push('capabilities: use either enabledTools or disabledTools, not both');
  }
  if (preset !== undefined && enabledTools !== undefined) {
    problems.push('capabilities: use either a preset or enabledTools, not both');
  }
  if (subagents !== undefined && typeof subagents !== 'boolean')
    problems.push('capabilities.subagents must be true or false');
  const names = new Set(tools.flatMap(toolNamesOf));
  for (const [option, list] of Object.entries({ enabledTools, disabledTools })) {
    if (list === undefined) continue;
    if (!Array.isArray(list)) problems.push(`capabilities.${option} must be a list of tool names`);
    else
      for (const name of list.filter((each) => !names.has(each) && !isServerTool(each, servers)))
        problems.push(`capabilities.${option}: no tool is named ${quoteName(name)}${didYouMean(String(name), names)}`);
  }
  return problems;
}
