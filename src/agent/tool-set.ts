/** All tools of an agent and its subagents in one set: built-ins, those that replace them, and those of subagents. */

import { quoteName } from '../catalog/names.ts';
import { BridleError, messageOf } from '../errors.ts';
import type { ToolDeclaration } from '../tool.ts';
import { createBuiltinTools } from '../tools/create-builtin-tools.ts';
import { jsonSchemaOf, toStandardSchema } from '../tools/json-schema.ts';
import type { RunnableTool } from '../tools/runnable-tool.ts';
import { startSubagentTool } from '../tools/start-subagent.ts';
import { declarationOf } from '../tools/tool-description.ts';
import type { AgentOptions } from './options.ts';

export interface ToolSet {
  readonly tools: readonly RunnableTool[];
  readonly declarations: readonly ToolDeclaration[];
  /** Names of the built-ins that nothing replaces. */
  readonly builtins: ReadonlySet<string>;
  /** Tools that belong to subagents, by name, with the subagents they belong to. */
  readonly owners: ReadonlyMap<string, ReadonlySet<string>>;
  readonly subagentTool: RunnableTool | undefined;
}

export function gatherTools({ tools = [], builtins, subagents = {} }: AgentOptions): ToolSet {
  const problems: string[] = [];
  const own = byName(tools, 'tools', problems);
  const owners = new Map<string, Set<string>>();
  for (const [agent, { tools: theirs = [] }] of Object.entries(subagents)) {
    for (const [name, tool] of byName(theirs, `subagents.${agent}.tools`, problems)) {
      const known = own.get(name);
      if (known !== undefined && known !== tool) problems.push(`two tools are named ${quoteName(name)}`);
      if (known === undefined || owners.has(name)) owners.set(name, (owners.get(name) ?? new Set()).add(agent));
      own.set(name, tool);
    }
  }
  const subagentTool = Object.keys(subagents).length === 0 ? undefined : startTool(subagents);
  const provided = [...createBuiltinTools(builtins), ...(subagentTool === undefined ? [] : [subagentTool])];
  const kept = provided.filter(({ name }) => !own.has(name));
  const all = [...kept, ...own.values()];
  const declarations = all.flatMap((tool) => declare(tool, problems));
  if (problems.length > 0) throw new BridleError('TOOL_INVALID', problems.join('; '), { problems });
  return {
    tools: all,
    declarations,
    builtins: new Set(kept.map(({ name }) => name)),
    owners,
    subagentTool: subagentTool !== undefined && kept.includes(subagentTool) ? subagentTool : undefined,
  };
}

function byName(tools: readonly RunnableTool[], where: string, problems: string[]): Map<string, RunnableTool> {
  const found = new Map<string, RunnableTool>();
  for (const [index, tool] of tools.entries()) {
    const { name, run } = (tool ?? {}) as Partial<RunnableTool>;
    if (typeof name !== 'string' || typeof run !== 'function') {
      problems.push(`${where}[${index}] is no tool: it needs a name and a run method`);
    } else if (found.has(name)) problems.push(`${where} holds two tools named ${quoteName(name)}`);
    else found.set(name, tool);
  }
  return found;
}

function declare(tool: RunnableTool, problems: string[]): readonly ToolDeclaration[] {
  const { name, displayName, tier, schema, args, paths, commands, aliases, grant } = tool;
  try {
    if (schema !== undefined && jsonSchemaOf(tool) === undefined) {
      problems.push(
        `the schema of tool ${quoteName(name)} cannot tell a JSON Schema for the model: give inputSchema too`,
      );
    }
    const standard = schema === undefined ? undefined : toStandardSchema(schema);
    return [{ name, displayName, tier, schema: standard, args, paths, commands, aliases, grant }];
  } catch (error) {
    problems.push(`tool ${quoteName(name)}: ${messageOf(error)}`);
    return [];
  }
}

/** The model reads which agents there are. */
function startTool(subagents: NonNullable<AgentOptions['subagents']>): RunnableTool {
  const { description, schema } = startSubagentTool;
  const known = Object.entries(subagents).map(([name, { description: of = 'no description' }]) => `${name}: ${of}`);
  return {
    ...declarationOf(startSubagentTool),
    description: `${description} Agents: ${known.join('; ')}.`,
    schema,
    run: () => {
      throw new BridleError('SUBAGENT_REFUSED', 'subagents are started by the agent runtime');
    },
  };
}
