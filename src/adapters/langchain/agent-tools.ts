/** Reads the tools of an agent into declarations, each once. */

import { isStandardSchema } from '../../kernel/catalog/read-declaration.ts';
import { BridleError } from '../../kernel/errors.ts';
import { quoteName } from '../../kernel/names.ts';
import type { SchemaResult, ToolDeclaration } from '../../kernel/tool.ts';
import { isPromise } from '../../kernel/maybe-promise.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { FrameworkGuard } from '../framework-guard.ts';
import type { PointName } from '../../kernel/hooks/points/points.ts';
import { sameData } from '../same-data.ts';
import { firstText, type NativeTool } from './native.ts';

export const frameworkName = 'langchain';

export interface AgentToolsOptions {
  /** The tools of the agent, if they are to be checked now. Otherwise they are checked before the first model call. */
  readonly tools?: readonly object[] | undefined;
  /** The tools that come from MCP servers, by the name of the server: `{ files: await client.getTools('files') }`. */
  readonly mcpServers?: Readonly<Record<string, readonly object[]>> | undefined;
  /** `unguarded`: accept tools that the provider runs. Bridle cannot guard these. */
  readonly providerTools?: 'unguarded' | undefined;
}

type McpName = readonly [tool: object, id: { readonly server: string; readonly name: string }];

export class AgentTools {
  private readonly declared = new WeakMap<object, ToolDeclaration>();
  private readonly mcpTools: ReadonlyMap<object, McpName[1]>;
  private known: readonly string[] = [];

  constructor(
    private readonly guard: FrameworkGuard,
    private readonly points: readonly PointName[],
    private readonly options: AgentToolsOptions,
  ) {
    this.mcpTools = new Map(
      Object.entries(options.mcpServers ?? {}).flatMap(([server, tools]) => mcpNames(server, tools)),
    );
    this.attach([]);
    this.offer(options.tools ?? []);
  }

  /** Attaches the tools that the model is offered. Those that the provider runs are refused by name (B03). */
  offer(tools: readonly NativeTool[]): void {
    const provided = tools.filter((tool) => typeof tool.invoke !== 'function').map(nameOf);
    if (provided.length > 0 && this.options.providerTools !== 'unguarded') throw providerToolError(provided);
    const own = tools.filter((tool) => typeof tool.invoke === 'function');
    this.known = own.map(nameOf);
    const added = own.filter((tool) => !this.declared.has(tool));
    if (added.length > 0) this.attach(added);
  }

  declarationOf(tool: NativeTool): ToolDeclaration {
    if (!this.declared.has(tool)) this.attach([tool]);
    return this.declared.get(tool) as ToolDeclaration;
  }

  /** What LangChain answers to a call of a tool that the agent does not have. */
  unknownTool(name: string): string {
    return `Error: ${name} is not a valid tool, try one of [${this.known.join(', ')}].`;
  }

  /** The text of a model answer shows which tools the provider has run. */
  checkAnswer(blocks: readonly { readonly type: string; readonly name?: unknown }[]): void {
    const ran = blocks.filter(({ type }) => type === 'server_tool_call').map(nameOf);
    if (ran.length > 0 && this.options.providerTools !== 'unguarded') throw providerToolError(ran);
  }

  private attach(tools: readonly NativeTool[]): void {
    const found = tools.map((tool) => {
      const { name = nameOf(tool), server } = this.mcpTools.get(tool) ?? {};
      return { name, server, tool: { schema: argsSchema(tool.schema) } };
    });
    const declared = this.guard.attach({ framework: frameworkName, points: this.points, tools: found });
    for (const [index, tool] of tools.entries()) this.declared.set(tool, declared[index] as ToolDeclaration);
  }
}

export function nameOf({ name, type, function: own }: NativeTool): string {
  return firstText(name, own?.name, type) ?? 'a tool without a name';
}

function providerToolError(names: readonly string[]): BridleError {
  return new BridleError(
    'TOOL_INVALID',
    `${names.map(quoteName).join(', ')}: the provider runs it, so Bridle cannot guard it. ` +
      `Remove it, or set providerTools: 'unguarded'`,
  );
}

/** The names that the server uses: MCP clients can put the server's name and other text in front of all of them. */
function mcpNames(server: string, tools: readonly NativeTool[]): readonly McpName[] {
  const mark = `__${server}__`;
  const names = tools.map((tool) => `__${nameOf(tool)}`);
  const starts = names.every((name) => name.includes(mark)) ? mark.length : undefined;
  return tools.map((tool, index) => {
    const name = names[index] as string;
    return [tool, { server, name: starts === undefined ? nameOf(tool) : name.slice(name.indexOf(mark) + starts) }];
  });
}

/** A tool that takes a string has a schema that turns its args into that string. Its args are checked, not replaced. */
function argsSchema(schema: unknown): unknown {
  if (!isStandardSchema(schema)) return schema;
  const own = schema['~standard'];
  const validate: typeof own.validate = (value) => {
    const read = (result: SchemaResult<unknown>): SchemaResult<unknown> =>
      result.issues === undefined && typeof result.value !== 'object' ? { value } : result;
    const result = own.validate(value);
    return isPromise(result) ? Promise.resolve(result).then(read) : read(result);
  };
  return { '~standard': { version: 1, vendor: frameworkName, validate } };
}

/** The tool, so that it gets exactly these args: if its schema would change them again, it does not check them again. */
export async function toolFor(tool: NativeTool, args: JsonObject): Promise<NativeTool> {
  const schema = argsSchema(tool.schema);
  if (!isStandardSchema(schema)) return tool;
  const result = await schema['~standard'].validate(args);
  const isSame = result.issues === undefined && sameData(result.value, args);
  return isSame ? tool : (Object.create(tool, { schema: { value: {} } }) as NativeTool);
}
