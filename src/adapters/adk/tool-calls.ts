/** The calls of ADK: each is decided when its tool is about to run, after all callbacks, and runs with the decided args. */

import { BridleError, messageOf } from '../../kernel/errors.ts';
import type { RunContext } from '../../kernel/guard/calls/run-tool.ts';
import { isJsonObject, type JsonObject, type JsonValue, sameJson } from '../../kernel/json.ts';
import { quoteName } from '../../kernel/names.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { type DecidedCall, refusalError } from '../decided-call.ts';
import type { ForeignTool, FrameworkGuard } from '../framework-guard.ts';
import { repeatableSchema } from '../repeatable-schema.ts';
import { changeableArgs, rewriteArgs } from '../rewritten-args.ts';
import type { AdkTool, ToolContext, ToolRequest } from './adk-types.ts';
import { readAnswer, pause } from './approvals.ts';
import { frameworkName, type GuardedRuns } from './guarded-runs.ts';

export class ToolCalls {
  private readonly declared = new WeakMap<AdkTool, ToolDeclaration>();
  private readonly wrappers = new WeakMap<AdkTool, AdkTool['runAsync']>();
  /** Calls that run, by their contexts: something may have wrapped a guarded tool. */
  private readonly running = new WeakMap<ToolContext, { readonly tool: AdkTool; readonly args: JsonObject }>();

  constructor(
    private readonly guard: FrameworkGuard,
    private readonly runs: GuardedRuns,
    private readonly options: {
      readonly mcpServers: ReadonlyMap<object, string>;
      /** True if a call of this context is to be guarded: another Runner may have the same tool without a guard. */
      readonly isGuarded: (context: ToolContext | undefined) => boolean;
    },
  ) {}

  /** Declares tools that are not known yet. Before the first session, it throws if no rule covers one of them. */
  attach(tools: readonly unknown[]): void {
    const added = tools.filter((tool): tool is AdkTool => isTool(tool) && !this.declared.has(tool));
    if (added.length === 0) return;
    const read = added.map((tool) => this.read(tool));
    const declarations = this.guard.attach({ framework: frameworkName, points: [], tools: read });
    for (const [index, tool] of added.entries()) this.declared.set(tool, declarations[index] as ToolDeclaration);
  }

  /** Makes a tool run through the guard. */
  wrap(tool: AdkTool): void {
    if (this.wrappers.get(tool) === tool.runAsync) return;
    const run = tool.runAsync.bind(tool);
    tool.runAsync = (request) =>
      this.options.isGuarded(request.toolContext) && !this.isRunning(tool, request)
        ? this.call(tool, request, run)
        : run(request);
    this.wrappers.set(tool, tool.runAsync);
  }

  /** True inside a call that was decided. A tool may use its context to call others, which are decided themselves. */
  private isRunning(tool: AdkTool, { args, toolContext }: ToolRequest): boolean {
    const call = this.running.get(toolContext);
    return call?.tool === tool && sameJson(call.args, args);
  }

  private async call(tool: AdkTool, request: ToolRequest, run: AdkTool['runAsync']): Promise<unknown> {
    const { args, toolContext: context } = request;
    const { invocationContext } = context;
    const decided = await this.decide(tool, request);
    if (decided.type === 'asks' && !(await this.runs.place(invocationContext)).cannotPause) {
      return pause(context, decided.question);
    }
    if (decided.type !== 'runs') throw refusalError(decided);
    rewriteArgs(args, decided.args);
    let native: { readonly value: unknown } | undefined;
    let failure: { readonly thrown: unknown; readonly shown: Error } | undefined;
    const ended = await decided.run(async (own, granted) => {
      const toolContext = withSignal(context, granted);
      this.running.set(toolContext, { tool, args: own });
      const work = (): Promise<unknown> => run({ ...request, args: changeableArgs(own), toolContext });
      try {
        native = { value: await (tool.agent === undefined ? work() : this.runs.inside(invocationContext, work)) };
      } catch (error) {
        failure = { thrown: error, shown: withoutPrefix(error, tool) };
        throw failure.shown;
      }
      if (isFailed(tool, native.value)) throw new BridleError('TOOL_FAILED', JSON.stringify(native.value));
      return native.value;
    }, context.abortSignal);
    if (ended.thrown === undefined) return ended.value;
    // The model sees the tool's own error, unless a hook or a limit changed it.
    if (failure !== undefined && ended.thrown === failure.shown) throw failure.thrown as Error;
    if (native !== undefined && ended.result.text === JSON.stringify(native.value)) return native.value;
    throw ended.thrown as Error;
  }

  private async decide(tool: AdkTool, { args, toolContext }: ToolRequest): Promise<DecidedCall> {
    this.attach([tool]);
    const { session, key } = await this.runs.place(toolContext.invocationContext);
    const { functionCallId: id } = toolContext;
    if (id === undefined) throw new BridleError('CALL_REFUSED', `the call of ${quoteName(tool.name)} has no id`);
    const call = { id, tool: this.declared.get(tool) as ToolDeclaration, args, ...key };
    if (toolContext.toolConfirmation === undefined) return session.decide(call);
    const asked = session.questionOf({ id, agent: key.agent });
    return session.decide(call, readAnswer(toolContext.toolConfirmation, asked?.args ?? args));
  }

  private read(tool: AdkTool): ForeignTool {
    const { mcpTool, mcpSessionManager: manager } = tool;
    if (mcpTool === undefined || manager === undefined) {
      const tier = ownTools.has(tool.name) ? { tier: 'observe' as const } : {};
      return { name: tool.name, tool: { inputSchema: schemaOf(tool), ...tier } };
    }
    const server = this.options.mcpServers.get(manager) ?? prefixOf(tool);
    if (server === undefined || tool.originalName === undefined) {
      throw new BridleError(
        'TOOL_INVALID',
        `the MCP server of the tool ${quoteName(tool.name)} has no name: use guardPlugin(guard, { mcpServers: { <name>: toolset } })`,
      );
    }
    return { name: tool.originalName, server, tool: { inputSchema: mcpTool.inputSchema } };
  }
}

/** Tools of ADK itself that only choose who goes on. */
const ownTools = new Set(['transfer_to_agent', 'exit_loop', 'finish_task']);

/** ADK also finds what every object has, such as `constructor`. */
export function isTool(tool: unknown): tool is AdkTool {
  return typeof tool === 'object' && tool !== null && typeof (tool as Partial<AdkTool>).runAsync === 'function';
}

function prefixOf({ name, originalName }: AdkTool): string | undefined {
  return originalName !== undefined && name.endsWith(`_${originalName}`)
    ? name.slice(0, -originalName.length - 1)
    : undefined;
}

function isFailed({ mcpTool }: AdkTool, value: unknown): boolean {
  return mcpTool !== undefined && (value as { readonly isError?: unknown } | undefined)?.isError === true;
}

/** The error as the tool threw it: ADK puts its name before the message. */
function withoutPrefix(error: unknown, { name }: AdkTool): Error {
  const prefix = `Error in tool '${name}': `;
  const message = messageOf(error);
  return new BridleError('TOOL_FAILED', message.startsWith(prefix) ? message.slice(prefix.length) : message, {
    cause: error,
  });
}

/** The same context. The tool's time limit aborts it, too. */
function withSignal(context: ToolContext, granted: Pick<RunContext, 'signal'>): ToolContext {
  return new Proxy(context, {
    get: (target, field) =>
      field === 'abortSignal' ? granted.signal : (Reflect.get(target, field, target) as unknown),
  });
}

function schemaOf(tool: AdkTool): unknown {
  if (isZod(tool.parameters)) return repeatableSchema(tool.parameters);
  const { parameters, parametersJsonSchema } = tool._getDeclaration?.() ?? {};
  return parametersJsonSchema ?? (parameters === undefined ? undefined : fromGemini(parameters as JsonObject));
}

function isZod(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && '~standard' in schema;
}

/** A schema of Gemini as a JSON Schema. Only what restricts args in both is kept. */
function fromGemini(schema: JsonObject): JsonObject {
  const { type, properties, items, anyOf, required, enum: values, nullable } = schema;
  const read = (value: JsonValue): JsonObject => (isJsonObject(value) ? fromGemini(value) : {});
  const own = {
    ...(typeof type === 'string' && type !== 'TYPE_UNSPECIFIED' ? { type: type.toLowerCase() } : {}),
    ...(isJsonObject(properties ?? null)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties as JsonObject).map(([key, each]) => [key, read(each)]),
          ),
        }
      : {}),
    ...(items === undefined ? {} : { items: read(items) }),
    ...(Array.isArray(anyOf) ? { anyOf: anyOf.map(read) } : {}),
    ...(Array.isArray(required) ? { required } : {}),
    ...(Array.isArray(values) ? { enum: values } : {}),
  };
  return nullable === true ? { anyOf: [own, { type: 'null' }] } : own;
}
