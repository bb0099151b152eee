/**
 * Subagents: agents that an agent can start for a task. They share its session, including hooks, policy, scopes,
 * journal and budgets. The agent path is set here; neither hooks nor models can change it.
 */

import { BridleError } from '../../kernel/errors.ts';
import type { Session } from '../../kernel/guard/session.ts';
import { didYouMean } from '../../kernel/names.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { PolicyEvaluator } from '../../kernel/policy/evaluator/policy.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { AgentInSession, type AgentParts, type Delegation } from './agent-in-session.ts';
import { History } from '../model/history.ts';
import type { ModelCaller } from '../model/model-caller.ts';
import type { ModelMessage } from '../model/model-interface.ts';
import type { SessionUsage } from '../budget/usage.ts';
import { runTurn } from './run-turn.ts';
import { hideTools } from '../../kernel/catalog/catalog.ts';
import type { TurnOrigin } from '../../kernel/hooks/points/payloads.ts';
import { Layers } from '../../policy-files/layers/layers.ts';
import { type GuardParts, SessionState } from '../../kernel/guard/state/session-state.ts';
import { Turn, type TurnPosition } from '../../kernel/guard/turn.ts';

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
  readonly usage: SessionUsage;
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
  const { parts, usage, session } = context;
  const { name, instructions, settings, layer, hides, mayStart } = plan;
  const options = { name, loopName: parts.loop.name, layer, hides };
  const branch = parent === undefined ? SubagentSession.of(session, options) : parent.subagent(options);
  const ownPath = Object.freeze([...path, name]);
  return new AgentInSession(parts, usage, {
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

export interface SubagentSessionOptions {
  /** The name of the subagent, the last element of its agent path. */
  readonly name: string;
  readonly loopName: string;
  /** The additional policy layer, if there is one. */
  readonly layer: PolicyEvaluator | undefined;
  readonly hides: (tool: ToolDeclaration) => boolean;
}

/**
 * A subagent's view of a session. Scopes, hooks, journal and events are shared; the agent path, the visible tools and
 * an additional policy layer are its own. The session's policy applies too, and the stricter decision wins.
 */
export class SubagentSession {
  private constructor(private readonly state: SessionState) {}

  static of(session: Session, options: SubagentSessionOptions): SubagentSession {
    return SubagentSession.derive(session, options);
  }

  /** Creates a subagent of this subagent. */
  subagent(options: SubagentSessionOptions): SubagentSession {
    return SubagentSession.derive(this.state, options);
  }

  turn(origin: TurnOrigin, resumed?: TurnPosition): Turn {
    return new Turn(this.state, origin, resumed);
  }

  private static derive(parent: SessionState, options: SubagentSessionOptions): SubagentSession {
    const { name, loopName, layer, hides } = options;
    const { parts, info } = parent;
    const policy = layer === undefined ? parts.policy : stricterOf(parts.policy, layer);
    const ownParts: GuardParts = { ...parts, policy, visibleTools: hideTools(parts.allTools, hides) };
    const agent = Object.freeze([...info.agent, name]);
    return new SubagentSession(new SessionState(ownParts, Object.freeze({ ...info, loopName, agent }), parent));
  }
}

/** Both policies decide with their own defaults. The first can change while the session runs, and its version with it. */
function stricterOf(policy: PolicyEvaluator, layer: PolicyEvaluator): PolicyEvaluator {
  return new Layers(
    [
      { policy, default: 'own' },
      { policy: layer, default: 'own' },
    ],
    () => `${policy.version}+${layer.version}`,
  );
}
