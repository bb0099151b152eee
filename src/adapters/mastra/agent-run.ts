/**
 * A run of a Mastra agent: one call of `generate` or `stream`, or of one that resumes it. Mastra does not pass ids to all
 * places where Bridle attaches, so the run is found through the async context.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import type { FrameworkAnswer } from '../paused-questions.ts';
import type { Tools } from './agent-parts.ts';

export const frameworkName = 'mastra';

/** Who gives an answer through Mastra. */
const userName = 'a user of Mastra';

/** What a person sent to a run that was waiting. */
export interface ResumeData {
  /** Undefined if the person did not say which call: then only one was waiting. */
  readonly toolCallId: string | undefined;
  readonly data: unknown;
}

export interface AgentRun {
  readonly agent: object;
  /** Agent names from the root agent to this one. */
  readonly path: readonly string[];
  /** The thread. Undefined until Mastra has resolved it, or if there is none. */
  session: string | undefined;
  id: string | undefined;
  /** Mastra adapts the schemas of tools to it. */
  model: string;
  /** The number of the model call that the run is at. */
  step: number;
  /** Names of tools that the model may see: guarded ones, and those that the user accepted as unguarded. */
  readonly tools: Set<string>;
  /** The agent's own tools as the user gave them. */
  sources: Tools;
  /** The guarded tools. */
  readonly declared: Map<string, ToolDeclaration>;
  readonly resumed: ResumeData | undefined;
}

interface RunContext {
  readonly run: AgentRun;
  /** In a tool, a run that starts is that of a subagent. Its own tools run only if Mastra prepares them for the run. */
  readonly place: 'run' | 'tools' | 'tool';
}

const context = new AsyncLocalStorage<RunContext>();

/** The run of this agent that the code belongs to. */
export function currentRun(agent: object): AgentRun | undefined {
  const current = context.getStore();
  return current?.run.agent === agent && current.place !== 'tool' ? current.run : undefined;
}

/** True if Mastra prepares the tools of a run. */
export function isPreparingTools(): boolean {
  return context.getStore()?.place === 'tools';
}

export function inRun<T>(run: AgentRun, place: RunContext['place'], work: () => T): T {
  return context.run({ run, place }, work);
}

/** Starts a run. Inside a tool of another agent, it belongs to that agent's session, and its path continues that path. */
export function startRun(
  agent: { readonly id: string },
  { path, resumed }: { readonly path: readonly string[]; readonly resumed: ResumeData | undefined },
): AgentRun {
  const outer = context.getStore();
  const parent = outer?.place === 'tool' ? outer.run : undefined;
  return {
    agent,
    path: parent === undefined ? path : [...parent.path, agent.id],
    session: parent?.session,
    id: undefined,
    model: '',
    step: 1,
    tools: new Set(),
    sources: {},
    declared: new Map(),
    resumed,
  };
}

/** The answer to a question, if the data is one: `{ approved, reason?, args? }`. */
export function answerIn(resumed: ResumeData | undefined): FrameworkAnswer | undefined {
  const { approved, reason, args } = (resumed?.data ?? {}) as Readonly<Record<string, unknown>>;
  if (approved === true) return { type: 'approve', by: userName, args: args as never };
  if (approved !== false) return undefined;
  return { type: 'deny', by: userName, reason: typeof reason === 'string' && reason !== '' ? reason : undefined };
}
