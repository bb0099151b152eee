/**
 * Guards the tools of the AI SDK. A tool is decided when the SDK asks whether it needs approval, which is before it
 * pauses, and runs in its `execute`. Both work alike in versions 6 and 7.
 */

import { BridleError } from '../../kernel/errors.ts';
import { type JsonValue, sameJson } from '../../kernel/json.ts';
import { quoteName } from '../../kernel/names.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { type DecidedCall, refusalError } from '../decided-call.ts';
import type { FrameworkGuard } from '../framework-guard.ts';
import { checkVersion } from '../installed-version.ts';
import { rewriteArgs } from '../rewritten-args.ts';
import { answerIn, type ChatMessage, positionOf } from './approvals.ts';

/** A tool as `tool()` of the AI SDK makes it. */
export interface AiTool {
  readonly type?: string | undefined;
  readonly inputSchema?: unknown;
  // Parameters are compared bivariantly in methods, so tools with typed inputs are accepted.
  execute?(input: never, options: never): unknown;
  readonly needsApproval?: unknown;
}

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

/** What the AI SDK passes to `execute` and `needsApproval`. */
interface CallOptions {
  readonly toolCallId: string;
  readonly messages: readonly ChatMessage[];
  readonly abortSignal?: AbortSignal | undefined;
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
  const elsewhere = Object.keys(tools).filter((name) => typeof tools[name]?.execute !== 'function');
  if (elsewhere.length > 0 && options.providerTools !== 'unguarded') {
    throw new BridleError(
      'TOOL_INVALID',
      `${elsewhere.map(quoteName).join(', ')}: the provider or the client runs it, so Bridle cannot guard it. ` +
        `Remove it, or set providerTools: 'unguarded'`,
    );
  }
  const guardable = Object.entries(tools).filter(([name]) => !elsewhere.includes(name));
  const serverOf = new Map(
    Object.entries(options.mcpServers ?? {}).flatMap(([server, own]) =>
      Object.keys(own).map((name) => [name, server] as const),
    ),
  );
  const declared = guard.attach({
    framework: frameworkName,
    points: toolPoints,
    tools: guardable.map(([name, tool]) => ({ name, server: serverOf.get(name), tool })),
    unguarded: elsewhere,
  });
  const calls = new ToolCalls(guard, options);
  const guarded = guardable.map(([name, tool], index) => [name, calls.wrap(tool, declared[index] as ToolDeclaration)]);
  return { ...tools, ...Object.fromEntries(guarded) } as T;
}

type Execute = (input: unknown, options: CallOptions) => unknown;

/** Calls that were decided and not run yet. */
const maxDecided = 1000;

class ToolCalls {
  private readonly decided = new Map<string, DecidedCall>();
  private readonly session: string;

  constructor(
    private readonly guard: FrameworkGuard,
    private readonly options: GuardToolsOptions,
  ) {
    this.session = options.session ?? guard.defaultSession;
  }

  /** The tool with guarded functions. All other fields stay. */
  wrap(tool: AiTool, declared: ToolDeclaration): AiTool {
    const execute = (tool.execute as Execute).bind(tool);
    const guarded: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(tool);
    const field = { enumerable: true, configurable: true, writable: true };
    guarded['needsApproval'] = {
      ...field,
      value: async (input: unknown, options: CallOptions) =>
        (await this.pauses(declared, input, options)) || this.ownApproval(tool, input, options),
    };
    guarded['execute'] = {
      ...field,
      value: (input: unknown, options: CallOptions) => this.run(declared, { input, options, execute }),
    };
    return Object.create(Object.getPrototypeOf(tool) as object | null, guarded) as AiTool;
  }

  /** True if a person must answer first. */
  private async pauses(tool: ToolDeclaration, input: unknown, options: CallOptions): Promise<boolean> {
    const decided = await this.decide(tool, input, options);
    const isAnswered = answerIn(options.messages, options.toolCallId) !== undefined;
    if (decided.type !== 'refused') rewriteArgs(input, decided.type === 'asks' ? decided.question.args : decided.args);
    // If a person still has to answer although there is an answer, that one does not count, and the call is refused.
    if (decided.type !== 'asks' || isAnswered) this.decided.set(options.toolCallId, decided);
    if (this.decided.size > maxDecided) this.forgetOldest();
    // Version 6 refuses an answer about a call that needs no approval.
    return decided.type === 'asks' || isAnswered;
  }

  /** The tool's own `needsApproval`. If it wants an approval, too, the call is decided again after it. */
  private async ownApproval({ needsApproval }: AiTool, input: unknown, options: CallOptions): Promise<boolean> {
    const needs: unknown = typeof needsApproval === 'function' ? await needsApproval(input, options) : needsApproval;
    if (needs !== true) return false;
    this.take(options.toolCallId, 'The call waits for the approval that the tool itself wants.');
    return true;
  }

  private async run(
    tool: ToolDeclaration,
    { input, options, execute }: { readonly input: unknown; readonly options: CallOptions; readonly execute: Execute },
  ): Promise<unknown> {
    const known = this.decided.get(options.toolCallId);
    const isSame = known?.type !== 'runs' || sameJson(known.args, input as JsonValue);
    if (known !== undefined && !isSame) this.take(options.toolCallId, 'The call was changed after it was decided.');
    this.decided.delete(options.toolCallId);
    const decided = known !== undefined && isSame ? known : await this.decide(tool, input, options);
    if (decided.type !== 'runs') throw refusalError(decided);
    rewriteArgs(input, decided.args);
    const ended = await decided.run(
      async (args, { signal }) => lastOf(await execute(args, { ...options, abortSignal: signal })),
      options.abortSignal,
    );
    if (ended.thrown !== undefined) throw ended.thrown as Error;
    return ended.value;
  }

  private async decide(tool: ToolDeclaration, input: unknown, options: CallOptions): Promise<DecidedCall> {
    const session = await this.guard.session(frameworkName, this.session);
    const { toolCallId: id, messages } = options;
    const { agent } = this.options;
    const call = { id, tool, args: input ?? {}, agent, ...positionOf(messages, id) };
    return session.decide(call, answerIn(messages, id));
  }

  private take(id: string, reason: string): void {
    const known = this.decided.get(id);
    this.decided.delete(id);
    if (known?.type === 'runs') known.abandon(reason);
  }

  private forgetOldest(): void {
    this.take(this.decided.keys().next().value as string, 'The framework did not run the call.');
  }
}

/** For a tool that yields several results, the last one counts. */
async function lastOf(result: unknown): Promise<unknown> {
  if (typeof result !== 'object' || result === null || !(Symbol.asyncIterator in result)) return result;
  let last: unknown;
  for await (const each of result as AsyncIterable<unknown>) last = each;
  return last;
}
