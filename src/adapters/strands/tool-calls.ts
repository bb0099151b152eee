/** The calls of one Strands agent: each is decided before its tool runs, and runs with the decided args. */

import { BridleError, messageOf } from '../../kernel/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import { quoteName } from '../../kernel/names.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { type DecidedCall, type EndedCall, refusalText } from '../decided-call.ts';
import type { ForeignTool, FrameworkGuard } from '../framework-guard.ts';
import type { FrameworkSession, TurnKey } from '../framework-session.ts';
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

  /** Runs a call through the guard. `onArgs` gets the args that run if they are not those of the model. */
  async *call(stage: ToolStage, next: NextTool, { place, onArgs }: CallWork): ToolStep {
    const { tool } = stage;
    // Strands answers a call of an unknown tool itself.
    if (tool === undefined || isStructuredOutput(tool)) return yield* next(stage);
    const decided = await this.decide(stage, place).catch((error: unknown) => ({
      type: 'failed' as const,
      text: messageOf(error),
    }));
    if (decided.type === 'failed') return yield* next(refused(stage, decided.text));
    if (decided.type === 'asks' && stage.interrupt !== undefined && !(await place()).cannotPause) {
      pause(stage, decided.question);
    }
    if (decided.type !== 'runs') return yield* next(refused(stage, refusalText(decided)));
    if (decided.isChanged) onArgs(decided.args);
    return yield* this.run({ stage, next, tool, decided });
  }

  private async *run({ stage, next, tool, decided }: RunWork): ToolStep {
    const execution = new Execution();
    const ending = decided.run((args, { signal }) => execution.start(args, signal), stage.cancelSignal);
    const { args, signal } = await execution.started;
    const toolUse = { ...stage.toolUse, input: structuredClone(args) };
    const { native, value, interrupt } = yield* execution.read(
      next({ ...stage, toolUse, tool: withSignal(tool, signal) }),
      ending,
    );
    const ended = await ending;
    // The tool itself asks a person, so the agent must pause whatever hooks made of it.
    if (interrupt !== undefined) throw interrupt;
    if (ended.thrown !== undefined) {
      if (native?.status === 'error' && ended.result.text === textOf(native.error?.message ?? value)) {
        return { result: native };
      }
      return yield* next(refused(stage, ended.result.text));
    }
    if (native?.status === 'success' && ended.value === value) return { result: native };
    if (native === undefined) return yield* next(refused(stage, ended.result.text));
    return { result: blockOf(native, ended.value as JsonValue) };
  }

  private async decide(stage: ToolStage, place: CallWork['place']): Promise<DecidedCall> {
    const tool = stage.tool as StrandsTool;
    this.attach([tool]);
    const { session, key } = await place();
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

interface Started {
  readonly args: JsonObject;
  readonly signal: AbortSignal;
}

interface Executed {
  readonly native?: ToolResult;
  /** The result as hooks see it. */
  readonly value?: JsonValue;
  /** The error with which the tool paused the agent. */
  readonly interrupt?: Error;
}

/** A tool that runs: its events are passed on, and its result goes to the guard. */
class Execution {
  readonly started: Promise<Started>;
  private begin!: (started: Started) => void;
  private settle!: { readonly resolve: (value: JsonValue) => void; readonly reject: (error: unknown) => void };

  constructor() {
    this.started = new Promise((resolve) => (this.begin = resolve));
  }

  start(args: JsonObject, signal: AbortSignal): Promise<JsonValue> {
    this.begin({ args, signal });
    return new Promise((resolve, reject) => (this.settle = { resolve, reject }));
  }

  /** Ends early if the guard does, at a time limit. */
  async *read(source: ToolStep, ending: Promise<EndedCall>): Step<Executed> {
    let isOpen = true;
    try {
      for (;;) {
        const step = await Promise.race([source.next(), ending]);
        if ('type' in step) return {};
        if (step.done === true) {
          isOpen = false;
          return this.end(step.value.result);
        }
        yield step.value;
      }
    } catch (error) {
      isOpen = false;
      this.settle.reject(error);
      return isInterrupt(error) ? { interrupt: error } : {};
    } finally {
      if (isOpen) this.stop(source);
    }
  }

  private end(native: ToolResult): Executed {
    const value = valueOf(native);
    if (native.status === 'error') this.settle.reject(native.error ?? new BridleError('TOOL_FAILED', textOf(value)));
    else this.settle.resolve(value);
    return { native, value };
  }

  private stop(source: ToolStep): void {
    this.settle.reject(new BridleError('CALL_REFUSED', 'The framework stopped the call.'));
    source.return(undefined as never).catch(() => undefined);
  }
}

interface CallWork {
  readonly place: () => Promise<CallPlace>;
  readonly onArgs: (args: JsonObject) => void;
}

interface RunWork {
  readonly stage: ToolStage;
  readonly next: NextTool;
  readonly tool: StrandsTool;
  readonly decided: Extract<DecidedCall, { type: 'runs' }>;
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
function withSignal(tool: StrandsTool, cancelSignal: AbortSignal): StrandsTool {
  const stream: StrandsTool['stream'] = (context) => tool.stream({ ...context, cancelSignal });
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
