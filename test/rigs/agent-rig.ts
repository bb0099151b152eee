/** An agent that records everything: model requests, tool runs and events. */

import { onEvent, type BridleEvent, type Hook, type JsonObject } from 'bridle';
import { createAgent, type Agent, type AgentOptions } from 'bridle/agent';
import {
  memoryJournal,
  scriptedModel,
  type MemoryJournal,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedStep,
} from 'bridle/testing';
import { defineTool, type RunnableTool, type ToolContext } from 'bridle/tools';

export interface AgentRigOptions extends Partial<AgentOptions> {
  readonly script?: ScriptedModelOptions;
}

export interface AgentRig {
  readonly agent: Agent;
  readonly model: ScriptedModel;
  readonly journal: MemoryJournal;
  /** All events in order. */
  readonly events: readonly BridleEvent[];
  /** The types of all events in order. */
  readonly eventTypes: () => readonly string[];
}

/** A started agent with a scripted model and no built-in tools. Every call is allowed by default. */
export async function agentRig(steps: readonly ScriptedStep[], options: AgentRigOptions = {}): Promise<AgentRig> {
  const made = agentParts(steps, options);
  await made.agent.start();
  return made;
}

/** The same, not started. */
export function agentParts(steps: readonly ScriptedStep[], options: AgentRigOptions = {}): AgentRig {
  const { script, hooks = [], ...rest } = options;
  const model = scriptedModel(steps, script);
  const journal = memoryJournal();
  const events: BridleEvent[] = [];
  const watch = onEvent((event) => void events.push(event), { name: 'watch' });
  const defaults: AgentOptions = {
    model,
    capabilities: 'none',
    default: 'allow',
    telemetry: false,
    retries: 0,
    journal,
  };
  const agent = createAgent({ ...defaults, ...rest, hooks: [...hooks, watch] });
  return { agent, model, journal, events, eventTypes: () => events.map(({ type }) => type) };
}

type Work = (args: JsonObject, context: ToolContext) => unknown;

/** A tool without side effects. */
export function look(run: Work = () => 'seen', name = 'look'): RunnableTool {
  return defineTool({ name, tier: 'observe', run });
}

/** A tool with side effects. */
export function act(run: Work = () => 'done', name = 'act'): RunnableTool {
  return defineTool({ name, run });
}

/** A model answer that calls tools: `calling('look', ['act', { x: 1 }])`. */
export function calling(...calls: readonly (string | readonly [string, unknown])[]): {
  toolCalls: { tool: string; args: unknown }[];
} {
  return {
    toolCalls: calls.map((call) =>
      typeof call === 'string' ? { tool: call, args: {} } : { tool: call[0], args: call[1] },
    ),
  };
}

/** A hook that counts how often each of its points is reached. */
export function counting(name: string, hook: Omit<Hook, 'name'>): { hook: Hook; counts: Record<string, number> } {
  const counts: Record<string, number> = {};
  const wrapped = Object.entries(hook).map(([point, method]) => {
    if (typeof method !== 'function') return [point, method] as const;
    const counted = (payload: never, context: never): unknown => {
      counts[point] = (counts[point] ?? 0) + 1;
      return (method as (payload: never, context: never) => unknown)(payload, context);
    };
    return [point, counted] as const;
  });
  return { hook: { name, ...Object.fromEntries(wrapped) } as Hook, counts };
}

/** Reads a source to its end; returns its items and the error it ended with. */
export async function drained<T>(source: AsyncIterable<T>): Promise<{ items: T[]; error: unknown }> {
  const items: T[] = [];
  try {
    for await (const item of source) items.push(item);
    return { items, error: undefined };
  } catch (error) {
    return { items, error };
  }
}

interface ToolOutput {
  readonly toolCallId: string;
  readonly output: { readonly type: string; readonly value: string };
}

/** The results of tools in one message of a history. */
export function resultsIn(message: { readonly content: unknown } | undefined): readonly ToolOutput[] {
  return message?.content as readonly ToolOutput[];
}

/** The text in one message of a history. */
export function textIn(message: { readonly content: unknown } | undefined): string {
  const parts = (message?.content ?? []) as readonly { readonly text?: string }[];
  return parts.map(({ text = '' }) => text).join('');
}

/** One turn of the event loop: all pending work has continued. */
export function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
