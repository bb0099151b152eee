/** An agent with a guard: its tools, each declared once, and where its calls happen. */

import { isStandardSchema } from '../../kernel/catalog/read-declaration.ts';
import { BridleError } from '../../kernel/errors.ts';
import { quoteName } from '../../kernel/names.ts';
import type { SchemaResult, ToolDeclaration } from '../../kernel/tool.ts';
import { isPromise, type MaybePromise } from '../../kernel/maybe-promise.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { DeclaredTools } from '../declared-tools.ts';
import type { FrameworkGuard } from '../framework-guard.ts';
import type { FrameworkSession, TurnKey } from '../framework-session.ts';
import type { PointName } from '../../kernel/hooks/points/points.ts';
import { sameData } from '../same-data.ts';
import {
  firstText,
  type NativeCall,
  type NativeMessage,
  type NativePart,
  type NativeTool,
  type Runtime,
  type ToolRequest,
} from './native.ts';
import { type CallPlace, type RunningTool, runningTool } from './scopes.ts';

export const frameworkName = 'langchain';

export interface GuardMiddlewareOptions {
  /** The id of the session. Default: the thread id. */
  readonly session?: string | undefined;
  /** Agent names from the root to this agent. Default: `main`; in a tool, the path of its agent and the tool's name. */
  readonly agent?: readonly string[] | undefined;
  /** The tools of the agent, if they are to be checked now. Otherwise they are checked before the first model call. */
  readonly tools?: readonly object[] | undefined;
  /** The tools that come from MCP servers, by the name of the server: `{ files: await client.getTools('files') }`. */
  readonly mcpServers?: Readonly<Record<string, readonly object[]>> | undefined;
  /** `unguarded`: accept tools that the provider runs. Bridle cannot guard these. */
  readonly providerTools?: 'unguarded' | undefined;
}

const mainAgent: readonly string[] = ['main'];

type McpName = readonly [tool: object, id: { readonly server: string; readonly name: string }];

export class GuardedAgent {
  private readonly declared = new DeclaredTools<NativeTool>(nameOf);
  private readonly mcpTools: ReadonlyMap<object, McpName[1]>;
  private offered: readonly NativeTool[] = [];

  constructor(
    readonly guard: FrameworkGuard,
    private readonly points: readonly PointName[],
    private readonly options: GuardMiddlewareOptions,
  ) {
    this.mcpTools = new Map(
      Object.entries(options.mcpServers ?? {}).flatMap(([server, tools]) => mcpNames(server, tools)),
    );
    this.attach([]);
    this.offer(options.tools ?? []);
  }

  /** The turn of code that runs now. What runs inside a tool belongs to the agent that called the tool. */
  placeOf({ configurable, writer }: Runtime, messages: readonly unknown[]): CallPlace {
    const { session, agent } = this.options;
    const around = runningTool();
    const parent = around?.guard === this.guard ? around.place : undefined;
    const thread = configurable?.thread_id as string | number | undefined;
    return {
      session: session ?? parent?.session ?? (thread === undefined ? this.guard.defaultSession : String(thread)),
      agent: agent ?? (parent === undefined ? mainAgent : [...parent.agent, (around as RunningTool).tool]),
      run: around?.place.run ?? (writer as object),
      isOnlyCall: around?.place.isOnlyCall ?? true,
      ...turnOf(messages as readonly NativeMessage[]),
    };
  }

  /** The place of a tool call, and its id. */
  placeOfCall({ toolCall, state, runtime }: ToolRequest): CallPlace & { readonly id: string } {
    const messages = state.messages as readonly NativeMessage[];
    const asking = messages.findLastIndex(({ tool_calls: all }) => all?.some(({ id }) => id === toolCall.id));
    const calls = messages[asking]?.tool_calls ?? [];
    const place = this.placeOf(runtime, asking === -1 ? messages : messages.slice(0, asking));
    return { ...place, isOnlyCall: place.isOnlyCall && calls.length === 1, id: idOf(toolCall, calls, runtime) };
  }

  session(place: CallPlace): MaybePromise<FrameworkSession> {
    return this.guard.session(frameworkName, place.session);
  }

  /** Attaches the tools that the model is offered. Those that the provider runs are refused by name (B03). */
  offer(tools: readonly NativeTool[]): void {
    this.refuseProvided(tools.filter((tool) => typeof tool.invoke !== 'function'));
    this.offered = tools.filter((tool) => typeof tool.invoke === 'function');
    const added = this.offered.filter((tool) => this.declared.get(tool) === undefined);
    if (added.length > 0) this.attach(added);
  }

  declarationOf(tool: NativeTool): ToolDeclaration {
    if (this.declared.get(tool) === undefined) this.attach([tool]);
    return this.declared.get(tool) as ToolDeclaration;
  }

  /** What LangChain answers to a call of a tool that the agent does not have. */
  unknownTool(name: string): string {
    return `Error: ${name} is not a valid tool, try one of [${this.offered.map(nameOf).join(', ')}].`;
  }

  /** An answer of the model shows which tools the provider has run. */
  checkAnswer(parts: readonly NativePart[]): void {
    this.refuseProvided(parts.filter(({ type }) => type === 'server_tool_call'));
  }

  private refuseProvided(tools: readonly NativeTool[]): void {
    if (tools.length === 0 || this.options.providerTools === 'unguarded') return;
    throw new BridleError(
      'TOOL_INVALID',
      `${tools.map((tool) => quoteName(nameOf(tool))).join(', ')}: the provider runs it, so Bridle cannot guard it. ` +
        `Remove it, or set providerTools: 'unguarded'`,
    );
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
export function toolFor(tool: NativeTool, args: JsonObject): MaybePromise<NativeTool> {
  const schema = argsSchema(tool.schema);
  if (!isStandardSchema(schema)) return tool;
  const read = (result: SchemaResult<unknown>): NativeTool =>
    result.issues === undefined && sameData(result.value, args)
      ? tool
      : (Object.create(tool, { schema: { value: {} } }) as NativeTool);
  const result = schema['~standard'].validate(args);
  return isPromise(result) ? Promise.resolve(result).then(read) : read(result);
}

/** The id of a call. If the model gave none, or the same to several calls, the task of the graph tells them apart. */
function idOf({ id = '' }: NativeCall, calls: readonly NativeCall[], { configurable }: Runtime): string {
  const isUnique = id !== '' && calls.filter((call) => call.id === id).length <= 1;
  const task = configurable?.checkpoint_ns;
  return isUnique || typeof task !== 'string' ? id : `${id}@${task.slice(task.lastIndexOf('|') + 1)}`;
}

/** A turn is what follows a message of the user, and a step is a message of the model in it. The next step is returned. */
function turnOf(messages: readonly NativeMessage[]): Pick<TurnKey, 'turn' | 'step'> {
  let step = 1;
  let from = messages.length - 1;
  for (; from >= 0; from--) {
    const message = messages[from] as NativeMessage;
    const type = message.getType();
    if (type === 'human' && message.additional_kwargs?.['lc_source'] !== 'summarization') break;
    if (type === 'ai') step++;
  }
  return { turn: messages[from]?.id ?? '', step };
}
