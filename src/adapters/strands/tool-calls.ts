/** The calls of one Strands agent: each is decided before its tool runs, and runs with the decided args. */

import { BridleError, messageOf } from '../../kernel/errors.ts';
import type { RunContext } from '../../kernel/guard/calls/run-tool.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import { quoteName } from '../../kernel/names.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { type DecidedCall, type EndedCall, refusalText } from '../decided-call.ts';
import type { ForeignTool, FrameworkGuard } from '../framework-guard.ts';
import type { FrameworkSession, TurnKey } from '../framework-session.ts';
import { changeableArgs } from '../rewritten-args.ts';
import { repeatableSchema } from '../repeatable-schema.ts';
import { isInterrupt, pause, takeAnswer } from './approvals.ts';
import type { McpClient, Next, Step, StrandsTool, ToolResult, ToolStage } from './strands-types.ts';

/** Where a call belongs. */
export interface CallPlace {
  readonly session: FrameworkSession;
  readonly key: TurnKey;
  /** True if Strands loses a pause there. */
  readonly cannotPause: boolean;
}

type ToolStep = Step<{ readonly result: ToolResult }>;
export type NextTool = Next<ToolStage, { readonly result: ToolResult }>;

export class ToolCalls {
  private readonly declared = new WeakMap<StrandsTool, ToolDeclaration>();

  constructor(
    private readonly guard: FrameworkGuard,
    private readonly options: {
      readonly framework: string;
      readonly mcpServers: ReadonlyMap<McpClient, string>;
    },
  ) {}

  /** Declares tools that are not known yet. Throws if no rule covers one of them. */
  attach(tools: readonly StrandsTool[]): void {
    const added = tools.filter((tool) => !this.declared.has(tool) && !isStructuredOutput(tool));
    if (added.length === 0) return;
    const { framework } = this.options;
    const declarations = this.guard.attach({ framework, points: [], tools: added.map((tool) => this.read(tool)) });
    for (const [index, tool] of added.entries()) this.declared.set(tool, declarations[index] as ToolDeclaration);
  }

  /** Runs a call through the guard. A further generator for each part of it would slow down every event. */
  async *call(stage: ToolStage, next: NextTool, caller: Caller): ToolStep {
    // Strands answers a call of an unknown tool itself.
    if (stage.tool === undefined || isStructuredOutput(stage.tool)) return yield* next(stage);
    const decided = await this.runnable(stage, stage.tool, caller);
    if (typeof decided === 'string') return yield* next(refused(stage, decided));
    const execution = new Execution(stage, next, decided);
    try {
      for (;;) {
        const step = await execution.next();
        if (step.done === true) break;
        yield step.value;
      }
    } finally {
      execution.stop();
    }
    const result = await execution.result();
    return typeof result === 'string' ? yield* next(refused(stage, result)) : { result };
  }

  /** The call if it may run, or the text that the model sees instead. Pauses the agent if a person must answer first. */
  private async runnable(stage: ToolStage, tool: StrandsTool, caller: Caller): Promise<RunnableCall | string> {
    let decided: DecidedCall;
    let cannotPause: boolean;
    try {
      this.attach([tool]);
      const place = await caller.place();
      ({ cannotPause } = place);
      decided = await this.decide(stage, tool, place);
    } catch (error) {
      return messageOf(error);
    }
    if (decided.type === 'asks' && stage.interrupt !== undefined && !cannotPause) pause(stage, decided.question);
    if (decided.type !== 'runs') return refusalText(decided);
    if (decided.isChanged) caller.showArgs(stage.toolUse.toolUseId, decided.args);
    return decided;
  }

  private decide(stage: ToolStage, tool: StrandsTool, { session, key }: CallPlace): Promise<DecidedCall> {
    const { toolUseId: id, input: args = {} } = stage.toolUse;
    const wasAsked =
      stage.agent._interruptState?.activated === true || session.questionOf({ id, agent: key.agent }) !== undefined;
    const call = { id, tool: this.declared.get(tool) as ToolDeclaration, args, ...key };
    return session.decide(call, wasAsked ? takeAnswer(stage) : undefined);
  }

  private read(tool: StrandsTool): ForeignTool {
    const { mcpClient: client, _inputSchema: schema, toolSpec } = tool;
    // Without a schema, Strands makes one of zod that takes nothing.
    const inputSchema =
      schema === undefined || schema.type === 'void' ? toolSpec.inputSchema : repeatableSchema(schema);
    if (client === undefined) return { name: tool.name, tool: { inputSchema } };
    const server = this.options.mcpServers.get(client) ?? client._prefix;
    const name = client._serverToolNames?.get(tool);
    if (server === undefined || name === undefined) {
      throw new BridleError(
        'TOOL_INVALID',
        `the MCP server of the tool ${quoteName(tool.name)} has no name: use guardPlugin(guard, { mcpServers: { <name>: client } })`,
      );
    }
    return { name, server, tool: { inputSchema } };
  }
}

/** A tool that runs: its events are passed on, and its result goes to the guard. */
class Execution {
  private readonly ending: Promise<EndedCall>;
  private source!: ToolStep;
  private settle!: { readonly resolve: (value: JsonValue) => void; readonly reject: (error: unknown) => void };
  private isOpen = true;
  private native: ToolResult | undefined;
  /** The result as hooks see it. */
  private value: JsonValue | undefined;
  /** The error with which the tool paused the agent. */
  private interrupt: Error | undefined;

  constructor(stage: ToolStage, next: NextTool, decided: RunnableCall) {
    this.ending = decided.run((args, context) => {
      const toolUse = { ...stage.toolUse, input: changeableArgs(args) };
      this.source = next({ ...stage, toolUse, tool: withSignal(stage.tool as StrandsTool, context) });
      return new Promise((resolve, reject) => (this.settle = { resolve, reject }));
    }, stage.cancelSignal);
  }

  /** The next event. It is done when the tool has ended, or when the guard ends the call, at a time limit. */
  async next(): Promise<IteratorResult<unknown, unknown>> {
    try {
      const step = await Promise.race([this.source.next(), this.ending]);
      if ('type' in step) return ended;
      if (step.done === true) this.end(step.value.result);
      return step;
    } catch (error) {
      this.isOpen = false;
      this.settle.reject(error);
      if (isInterrupt(error)) this.interrupt = error;
      return ended;
    }
  }

  /** The result, or the text of an error. */
  async result(): Promise<ToolResult | string> {
    const { native, value } = this;
    const { thrown, result, value: final } = await this.ending;
    // The tool itself asks a person, so the agent must pause whatever hooks made of it.
    if (this.interrupt !== undefined) throw this.interrupt;
    if (thrown !== undefined) {
      const isOwn = native?.status === 'error' && result.text === textOf(native.error?.message ?? value);
      return isOwn ? native : result.text;
    }
    if (native === undefined) return result.text;
    return native.status === 'success' && final === value ? native : blockOf(native, final as JsonValue);
  }

  /** Stops the tool if it has not ended: the framework reads no further, or the guard has ended the call. */
  stop(): void {
    if (!this.isOpen) return;
    this.settle.reject(new BridleError('CALL_REFUSED', 'The framework stopped the call.'));
    this.source.return(undefined as never).catch(() => undefined);
  }

  private end(native: ToolResult): void {
    this.isOpen = false;
    this.native = native;
    this.value = valueOf(native);
    if (native.status === 'error')
      this.settle.reject(native.error ?? new BridleError('TOOL_FAILED', textOf(this.value)));
    else this.settle.resolve(this.value);
  }
}

const ended = { done: true, value: undefined } as const;

type RunnableCall = Extract<DecidedCall, { type: 'runs' }>;

/** The agent that calls. */
interface Caller {
  place(): Promise<CallPlace>;
  /** Makes the history show the args that run, if they are not those of the model. */
  showArgs(id: string, args: JsonObject): void;
}

/** Strands' own tool for structured output only checks an object. */
function isStructuredOutput(tool: StrandsTool): boolean {
  return tool.name === 'strands_structured_output' && tool.constructor.name === 'StructuredOutputTool';
}

/** The call with a tool that fails with this text, of which Strands makes the result that the model sees. */
function refused(stage: ToolStage, text: string): ToolStage {
  const { name } = stage.toolUse;
  const tool = {
    name,
    toolSpec: { name },
    // eslint-disable-next-line require-yield
    async *stream() {
      throw new BridleError('CALL_REFUSED', text);
    },
  };
  return { ...stage, tool };
}

/** The same tool. Its time limit cancels it, too. */
function withSignal(tool: StrandsTool, granted: Pick<RunContext, 'signal'>): StrandsTool {
  const stream: StrandsTool['stream'] = (context) =>
    tool.stream({
      ...context,
      get cancelSignal() {
        return granted.signal;
      },
    });
  return new Proxy(tool, {
    get: (target, field) => (field === 'stream' ? stream : Reflect.get(target, field, target)),
  });
}

/** A result as hooks see it: text, JSON data, or the list of its blocks. */
function valueOf({ content }: ToolResult): JsonValue {
  const blocks = content.map((block) => block.toJSON());
  const [only] = blocks;
  if (blocks.length === 1 && only !== undefined) {
    if (typeof only['text'] === 'string') return only['text'];
    if (only['json'] !== undefined) return only['json'];
  }
  return blocks;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A block of the same class with another value. */
function blockOf(native: ToolResult, value: JsonValue): ToolResult {
  const { toolUseId } = native;
  const content = [isJsonObject(value) ? { json: value } : { text: textOf(value) }];
  const block = native.constructor as unknown as { fromJSON(data: unknown): ToolResult };
  return block.fromJSON({ toolResult: { toolUseId, status: 'success', content } });
}
