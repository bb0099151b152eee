/**
 * Subagents: agents that an agent can start for a task. They share its session, including hooks, policy, scopes,
 * journal and budgets. The agent path is set here; neither hooks nor models can change it.
 */

import { BridleError } from '../../kernel/errors.ts';
import { SubagentSession } from './subagent-session.ts';
import type { Session } from '../../kernel/guard/session.ts';
import { didYouMean } from '../../kernel/names.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { PolicyEvaluator } from '../../kernel/policy/evaluator/policy.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { AgentInSession, type AgentParts, type Delegation, type UsageTracker } from './state/agent-in-session.ts';
import { History } from '../model/history.ts';
import type { ModelCaller } from '../model/model-caller.ts';
import type { ModelMessage } from '../model/model-messages.ts';
import { runTurn } from './run-turn.ts';

/** A declared subagent, with its options checked and its models loaded. */
export interface SubagentPlan {
  readonly name: string;
  readonly instructions: string | undefined;
  readonly settings: JsonObject;
  readonly layer: PolicyEvaluator | undefined;
  readonly hides: (tool: ToolDeclaration) => boolean;
  /** The subagents that it may start. */
  readonly mayStart: readonly string[];
  readonly newCaller: () => ModelCaller;
}

export interface SubagentContext {
  readonly parts: AgentParts;
  readonly tracker: UsageTracker;
  readonly session: Session;
  readonly plans: ReadonlyMap<string, SubagentPlan>;
  /** How deep subagents may be nested. */
  readonly depth: number;
}

/** Returns the function with which the agent at `path` starts subagents. */
export function createDelegate(
  context: SubagentContext,
  path: readonly string[],
  parent: { readonly mayStart: readonly string[]; readonly branch: SubagentSession | undefined },
): (delegation: Delegation) => Promise<string> {
  return async ({ name, prompt, turn, signal, log }) => {
    const { mayStart, branch } = parent;
    const plan = mayStart.includes(name) ? context.plans.get(name) : undefined;
    if (plan === undefined) {
      const known = mayStart.length === 0 ? 'none' : mayStart.join(', ');
      throw refusal(`there is no subagent "${name}"${didYouMean(name, mayStart) || `; available: ${known}`}`);
    }
    if (path.length > context.depth) throw refusal(`subagents may be nested at most ${context.depth} deep`);
    const child = createSubagent(context, plan, { path, parent: branch, messages: log?.messages });
    turn.emit(() => ({ type: 'subagent_started', name }));
    const request = {
      prompt: { text: prompt, media: [] },
      origin: 'subagent',
      schema: undefined,
      signal,
      log,
    } as const;
    let stopReason = 'error';
    try {
      const result = await runTurn(child, request).result;
      ({ stopReason } = result);
      if (stopReason === 'waiting') throw new BridleError('CALL_SUSPENDED', result.text);
      if (stopReason === 'rejected') throw refusal(result.text);
      return stopReason === 'end' || stopReason === 'finished' ? result.text : `(${stopReason}) ${result.text}`;
    } finally {
      turn.emit(() => ({ type: 'subagent_ended', name, stopReason }));
    }
  };
}

interface SubagentPlace {
  readonly path: readonly string[];
  readonly parent: SubagentSession | undefined;
  /** Its conversation so far, if it is resumed. */
  readonly messages: readonly ModelMessage[] | undefined;
}

function createSubagent(
  context: SubagentContext,
  plan: SubagentPlan,
  { path, parent, messages }: SubagentPlace,
): AgentInSession {
  const { parts, tracker, session } = context;
  const { name, instructions, settings, layer, hides, mayStart } = plan;
  const options = { name, loopName: parts.loop.name, layer, hides };
  const branch = parent === undefined ? SubagentSession.of(session, options) : parent.subagent(options);
  const ownPath = Object.freeze([...path, name]);
  return new AgentInSession(parts, tracker, {
    session: session.id,
    path: ownPath,
    instructions,
    settings,
    caller: plan.newCaller(),
    history: new History(messages),
    hides,
    newTurn: (origin, resumed) => branch.turn(origin, resumed),
    delegate: createDelegate(context, ownPath, { mayStart, branch }),
  });
}

function refusal(message: string): BridleError {
  return new BridleError('SUBAGENT_REFUSED', message);
}
