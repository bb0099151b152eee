/** The tools of in-process MCP servers (`createSdkMcpServer`). They are the user's own tools, so they run guarded here. */

import { BridleError } from '../../kernel/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import { quoteName } from '../../kernel/names.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import type { EndedCall } from '../decided-call.ts';
import type { ForeignTool } from '../framework-guard.ts';
import { refuseMissing } from '../installed-version.ts';
import type { ClaudeOptions, Fields } from './claude-options.ts';

type Handler = (...given: readonly unknown[]) => unknown;

/** A tool as an MCP server of the SDK keeps it. */
interface RegisteredTool {
  readonly inputSchema?: unknown;
  handler: Handler;
}

/** A tool of an in-process server. */
export interface OwnTool extends ForeignTool {
  /** The name that Claude Code has for it: `mcp__<server>__<tool>`. */
  readonly fullName: string;
  readonly registered: RegisteredTool;
}

/** A call that the server of a tool was asked to run. */
export interface ServedCall {
  /** Claude's id of the call; undefined if the request has none. */
  readonly id: string | undefined;
  readonly fullName: string;
  readonly args: JsonObject;
  readonly signal: AbortSignal | undefined;
  /** Runs the tool. Throws if its result says that it failed. */
  readonly run: (args: JsonObject, signal: AbortSignal) => Promise<JsonValue>;
}

/** The tools of all in-process servers. Rules name them without the server, so two cannot have the same name. */
export function ownToolsOf({ mcpServers = {} }: ClaudeOptions): readonly OwnTool[] {
  const found = Object.entries(mcpServers).flatMap(([owner, server]) => {
    const { type, instance } = server as { readonly type?: unknown; readonly instance?: Fields };
    if (type !== 'sdk') return [];
    const registered = instance?.['_registeredTools'] as Readonly<Record<string, RegisteredTool>> | undefined;
    refuseMissing(`the server ${quoteName(owner)}`, { 'the list of its tools': typeof registered === 'object' });
    return Object.entries(registered ?? {}).map(([name, tool]): OwnTool => {
      refuseMissing(`the tool ${quoteName(name)}`, { 'its handler': typeof tool.handler === 'function' });
      const fullName = `mcp__${owner.replaceAll(/[^a-zA-Z0-9_-]/g, '_')}__${name}`;
      return { name, fullName, registered: tool, tool: { inputSchema: tool.inputSchema } };
    });
  });
  const double = found.find(({ name }, index) => found.findIndex((other) => other.name === name) !== index);
  if (double === undefined) return found;
  throw new BridleError(
    'TOOL_INVALID',
    `two in-process servers have a tool ${quoteName(double.name)}: rename one of them`,
  );
}

const originals = new WeakMap<Handler, Handler>();

/** Puts a guarded handler in place of the tool's own one. A server that is passed again is not wrapped twice. */
export function guardHandler(
  { fullName, registered }: OwnTool,
  call: (served: ServedCall) => Promise<EndedCall>,
): void {
  const original = originals.get(registered.handler) ?? registered.handler;
  const takesArgs = registered.inputSchema !== undefined;
  const guarded: Handler = async (...given) => {
    const [args, extra] = (takesArgs ? given : [{}, given[0]]) as [JsonObject, Extra | undefined];
    let own: unknown;
    // A result with `isError`: hooks see an error, and the model gets the result as it is.
    let failure: BridleError | undefined;
    const ended = await call({
      id: extra?._meta?.['claudecode/toolUseId'],
      fullName,
      args,
      signal: extra?.signal,
      run: async (decided, signal) => {
        const context = { ...extra, signal };
        own = await (takesArgs ? original(decided, context) : original(context));
        const view = viewOf(own as JsonValue);
        if ((own as Fields | undefined)?.['isError'] !== true) return view;
        failure = new BridleError('TOOL_FAILED', textOf(view));
        throw failure;
      },
    });
    if (failure !== undefined && ended.thrown === failure) return own;
    if (ended.thrown !== undefined) throw ended.thrown as Error;
    return own !== undefined && ended.value === viewOf(own as JsonValue) ? own : asContent(ended.value);
  };
  originals.set(guarded, original);
  registered.handler = guarded;
}

interface Extra {
  readonly signal?: AbortSignal | undefined;
  readonly _meta?: { readonly 'claudecode/toolUseId'?: string | undefined } | undefined;
}

/** A result as hooks see it: its text if it has nothing else. */
export function viewOf(result: JsonValue): JsonValue {
  const content = isJsonObject(result) ? result['content'] : result;
  if (!Array.isArray(content) || content.length === 0) return result;
  if (isJsonObject(result) && (result['structuredContent'] ?? null) !== null) return result;
  const texts = content.map((part: JsonValue) => (isJsonObject(part) && part['type'] === 'text' ? part['text'] : null));
  return texts.every((text) => typeof text === 'string') ? texts.join('\n') : result;
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

function asContent(value: unknown): object {
  if (isJsonObject(value as JsonValue) && Array.isArray((value as Fields)['content'])) return value as object;
  return { content: [{ type: 'text', text: textOf(value) }] };
}

/** True if the server of the tool accepts these args as they are: a schema may turn its input into something else. */
export async function accepts({ schema }: ToolDeclaration, args: JsonObject): Promise<boolean> {
  if (schema === undefined) return true;
  const { value, issues } = { value: undefined, ...(await schema['~standard'].validate(args)) };
  return issues === undefined && JSON.stringify(value) === JSON.stringify(args);
}
