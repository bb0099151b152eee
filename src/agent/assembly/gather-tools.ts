/** Collects all local tools of an agent: built-in tools, custom tools, and the tools of its subagents. */

import { quoteName } from '../../kernel/names.ts';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import { misspelledField } from '../../kernel/similar-names.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { createBuiltinTools } from '../../tools/create-builtin-tools.ts';
import { jsonSchemaOf, toStandardSchema } from '../../tools/json-schema/standard-schema.ts';
import type { RunnableTool } from '../../tools/definition/runnable-tool.ts';
import { startSubagentTool } from '../../tools/builtin-tools.ts';
import { declarationOf } from '../../tools/declare-builtins.ts';
import { bridleOptionFor } from '../options/foreign-options.ts';
import type { AgentOptions } from '../options/agent-options.ts';

export interface GatheredTools {
  readonly tools: readonly RunnableTool[];
  readonly declarations: readonly ToolDeclaration[];
  /** Names of the built-in tools that no custom tool replaces. */
  readonly builtins: ReadonlySet<string>;
  /** Names of the tools that only subagents have, not the agent itself. */
  readonly onlyOfSubagents: ReadonlySet<string>;
  /** Names of the tools in the `tools` option of each subagent. */
  readonly toolsOfSubagent: ReadonlyMap<string, ReadonlySet<string>>;
  readonly subagentTool: RunnableTool | undefined;
}

export function gatherTools({ tools = [], builtins, subagents = {} }: AgentOptions): GatheredTools {
  const problems: string[] = [];
  const own = byName(tools, 'tools', problems);
  const onlyOfSubagents = new Set<string>();
  const toolsOfSubagent = new Map<string, ReadonlySet<string>>();
  for (const [agent, { tools: subagentTools = [] }] of Object.entries(subagents)) {
    const named = byName(subagentTools, `subagents.${agent}.tools`, problems);
    toolsOfSubagent.set(agent, new Set(named.keys()));
    for (const [name, tool] of named) {
      const known = own.get(name);
      if (known !== undefined && known !== tool) problems.push(`two tools are named ${quoteName(name)}`);
      if (known === undefined) onlyOfSubagents.add(name);
      own.set(name, tool);
    }
  }
  const subagentTool = Object.keys(subagents).length === 0 ? undefined : subagentToolFor(subagents);
  const allBuiltins = [...createBuiltinTools(builtins), ...(subagentTool === undefined ? [] : [subagentTool])];
  const taken = new Set(Array.from(own.values(), ({ name, aliases }) => [name, ...(aliases?.names ?? [])]).flat());
  const usedBuiltins = allBuiltins.filter(({ name }) => !own.has(name)).map((tool) => withoutTakenAliases(tool, taken));
  const all = [...usedBuiltins, ...own.values()];
  const declarations = all.flatMap((tool) => declare(tool, problems));
  if (problems.length > 0) throw new BridleError('TOOL_INVALID', problems.join('; '), { problems });
  return {
    tools: all,
    declarations,
    builtins: new Set(usedBuiltins.map(({ name }) => name)),
    onlyOfSubagents,
    toolsOfSubagent,
    subagentTool: subagentTool && usedBuiltins.find(({ name }) => name === subagentTool.name),
  };
}

function byName(tools: readonly RunnableTool[], where: string, problems: string[]): Map<string, RunnableTool> {
  const found = new Map<string, RunnableTool>();
  for (const [index, tool] of tools.entries()) {
    const { name, run } = (tool ?? {}) as Partial<RunnableTool>;
    if (typeof name !== 'string' || typeof run !== 'function') {
      problems.push(`${where}[${index}] is not a tool: a tool needs a name and a run method`);
    } else if (found.has(name)) problems.push(`${where} has two tools named ${quoteName(name)}`);
    else found.set(name, tool);
    problems.push(...fieldProblems(Object(tool) as object, `${where}[${index}]`));
  }
  return found;
}

const toolFields =
  'name displayName description tier schema inputSchema args paths commands touches aliases grant idempotent run'.split(
    ' ',
  );

/** Fields of other SDKs that are always an error here. */
const alwaysForeign = ['parameters', 'input_schema', 'execute'];

/** If the tool has `run`, it may have a `handler` too; if it has `schema`, `inputSchema` is what the model is shown. */
function isOwnField(meant: string, tool: object): boolean {
  const { run, schema } = tool as Partial<RunnableTool>;
  return (meant === '"run"' && run !== undefined) || (meant === '"schema"' && schema !== undefined);
}

/** A tool may have other fields, but a misspelled or foreign one is an error, because it would be ignored silently. */
function fieldProblems(tool: object, where: string): readonly string[] {
  const typo = misspelledField(tool, toolFields);
  const problems = typo === undefined ? [] : [`${quoteName(typo.field)}; did you mean "${typo.meant}"?`];
  for (const field of Object.keys(tool)) {
    const meant = bridleOptionFor('tool', field);
    if (meant === undefined || (isOwnField(meant, tool) && !alwaysForeign.includes(field))) continue;
    problems.push(`${quoteName(field)}, which Bridle ignores; use ${meant}`);
  }
  return problems.map((each) => `${where} has a field ${each}`);
}

/** Removes the aliases of a built-in tool that custom tools use as names. */
function withoutTakenAliases(tool: RunnableTool, taken: ReadonlySet<string>): RunnableTool {
  const { aliases } = tool;
  const names = aliases?.names ?? [];
  if (!names.some((name) => taken.has(name))) return tool;
  return { ...tool, aliases: { ...aliases, names: names.filter((name) => !taken.has(name)) } };
}

function declare(tool: RunnableTool, problems: string[]): readonly ToolDeclaration[] {
  const { name, displayName, tier, schema, args, paths, commands, touches, aliases, grant } = tool;
  try {
    if (schema !== undefined && jsonSchemaOf(tool) === undefined) {
      problems.push(
        `the schema of tool ${quoteName(name)} cannot be converted to a JSON Schema for the model; add inputSchema`,
      );
    }
    const standard = schema === undefined ? undefined : toStandardSchema(schema);
    return [{ name, displayName, tier, schema: standard, args, paths, commands, touches, aliases, grant }];
  } catch (error) {
    problems.push(`tool ${quoteName(name)}: ${messageOf(error)}`);
    return [];
  }
}

/** Lists the subagents in the tool's description, so that the model knows them. */
function subagentToolFor(subagents: NonNullable<AgentOptions['subagents']>): RunnableTool {
  const lines = Object.entries(subagents).map(([name, { description: text = 'no description' }]) => `${name}: ${text}`);
  return {
    ...declarationOf(startSubagentTool),
    description: `${startSubagentTool.description} Agents: ${lines.join('; ')}.`,
    schema: startSubagentTool.schema,
    run: () => {
      throw new BridleError('SUBAGENT_REFUSED', 'only the agent runtime can start a subagent');
    },
  };
}
