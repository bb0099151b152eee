/**
 * Subagents: agents that an agent can start for a task. They share the session: its hooks, policy, scopes, journal and
 * budgets. Who started whom is set here, and nothing a hook or a model does can change it.
 */

import { BridleError } from '../errors.ts';
import { Branch } from '../guard/branch.ts';
import type { Session } from '../guard/session.ts';
import { meant } from '../catalog/names.ts';
import type { JsonObject } from '../json.ts';
import type { Judge } from '../policy/policy.ts';
import type { ToolDeclaration } from '../tool.ts';
import { Actor, type AgentParts, type Delegation, type Ledger } from './actor.ts';
import { History } from './history.ts';
import type { ModelCaller } from './model-caller.ts';
import type { ModelMessage } from './model-messages.ts';
import { runTurn } from './run-turn.ts';

/** A subagent as it was declared, checked and complete. */
export interface SubagentPlan {
  readonly name: string;
  readonly instructions: string | undefined;
  readonly settings: JsonObject;
  readonly layer: Judge | undefined;
  readonly hides: (tool: ToolDeclaration) => boolean;
  /** The subagents it may start itself. */
  readonly mayStart: readonly string[];
  readonly newCaller: () => ModelCaller;
}

export interface SubagentWorld {
  readonly parts: AgentParts;
  readonly ledger: Ledger;
  readonly session: Session;
  readonly plans: ReadonlyMap<string, SubagentPlan>;
  /** How deep subagents may start others. */
  readonly depth: number;
}

/** How an agent of this session starts another: `path` is that of the one that asks. */
export function delegator(
  world: SubagentWorld,
  path: readonly string[],
  place: { readonly mayStart: readonly string[]; readonly branch: Branch | undefined },
): (order: Delegation) => Promise<string> {
  return async ({ name, prompt, turn, signal, log }) => {
    const plan = place.mayStart.includes(name) ? world.plans.get(name) : undefined;
    if (plan === undefined) {
      const known = place.mayStart.length === 0 ? 'none' : place.mayStart.join(', ');
      throw refused(`there is no agent "${name}" to start here${meant(name, place.mayStart) || `; there is ${known}`}`);
    }
    if (path.length > world.depth) throw refused(`agents may start others ${world.depth} deep, and no deeper`);
    const child = actorOf(world, plan, { path, parent: place.branch, messages: log?.messages });
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
      if (stopReason === 'rejected') throw refused(result.text);
      return stopReason === 'end' || stopReason === 'finished' ? result.text : `(${stopReason}) ${result.text}`;
    } finally {
      turn.emit(() => ({ type: 'subagent_ended', name, stopReason }));
    }
  };
}

interface ActorPlace {
  readonly path: readonly string[];
  readonly parent: Branch | undefined;
  /** What it has said already, where it goes on. */
  readonly messages: readonly ModelMessage[] | undefined;
}

function actorOf(world: SubagentWorld, plan: SubagentPlan, { path, parent, messages }: ActorPlace): Actor {
  const { parts, ledger, session } = world;
  const { name, instructions, settings, layer, hides, mayStart } = plan;
  const options = { name, coreType: parts.core.name, layer, hides };
  const branch = parent === undefined ? Branch.of(session, options) : parent.branch(options);
  const own = Object.freeze([...path, name]);
  return new Actor(parts, ledger, {
    session: session.id,
    path: own,
    instructions,
    settings,
    caller: plan.newCaller(),
    history: new History(messages),
    hides,
    newTurn: (origin, resumed) => branch.turn(origin, resumed),
    delegate: delegator(world, own, { mayStart, branch }),
  });
}

function refused(message: string): BridleError {
  return new BridleError('SUBAGENT_REFUSED', message);
}
