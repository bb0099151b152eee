/** The parts of a VoltAgent agent where Bridle attaches. Some are private in VoltAgent's own types. */

import type { AiModel } from '../ai-sdk/model-calls.ts';
import type { AiTool, CallOptions } from '../ai-sdk/tool-calls.ts';

/** An agent as `new Agent()` of VoltAgent makes it. */
export interface VoltAgent {
  readonly id: string;
  readonly name: string;
  generateText(...args: never[]): unknown;
  streamText(...args: never[]): unknown;
}

export interface AgentParts extends VoltAgent {
  prepareStep?: PrepareStep | undefined;
  createOperationContext(input: unknown, options?: EntryOptions): Operation;
  createToolExecutionFactory(operation: Operation, hooks: unknown): MakeExecute;
  prepareTools(adHoc: unknown, operation: Operation, ...more: unknown[]): Promise<Tools>;
  resolveModelReference(model: unknown, operation: Operation): Promise<AiModel>;
  getSubAgents(): readonly SubAgent[];
}

/** An agent, or how it is to be called. */
type SubAgent = AgentParts | { readonly method: string; readonly agent: AgentParts };

/** VoltAgent's context of one call of `generateText` or another method that runs the agent. */
export interface Operation {
  readonly operationId?: string | undefined;
  readonly conversationId?: string | undefined;
  readonly parentAgentId?: string | undefined;
}

export interface VoltTool {
  readonly name: string;
  readonly parameters?: unknown;
  readonly execute?: ((args: unknown, options: ToolOptions) => unknown) | undefined;
}

/** What VoltAgent passes to `execute` of a tool. */
export interface ToolOptions {
  readonly toolContext: object;
}

/** The tools as the AI SDK gets them. */
export type Tools = Readonly<Record<string, AiTool>>;

export type ExecuteTool = (args: unknown, options?: Partial<CallOptions>) => unknown;
export type MakeExecute = (tool: VoltTool) => ExecuteTool;

export interface EntryOptions {
  readonly model?: unknown;
  readonly prepareStep?: PrepareStep | undefined;
}

export type PrepareStep = (step: never) => unknown;
