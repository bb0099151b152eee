/**
 * A subagent's view of a session. Scopes, hooks, journal and events are shared; the agent path, the visible tools and
 * an additional policy layer are its own. The session's policy applies too, and the stricter decision wins.
 */

import { hideTools } from '../../kernel/catalog/catalog.ts';
import type { TurnOrigin } from '../../kernel/hooks/points/payloads.ts';
import type { PolicyEvaluator } from '../../kernel/policy/evaluator/policy.ts';
import { Layers } from '../../policy-files/layers/layers.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { type GuardParts, SessionState } from '../../kernel/guard/state/session-state.ts';
import type { Session } from '../../kernel/guard/session.ts';
import { Turn, type TurnPosition } from '../../kernel/guard/turn.ts';

export interface SubagentSessionOptions {
  /** The name of the subagent, the last element of its agent path. */
  readonly name: string;
  readonly loopName: string;
  /** The additional policy layer, if there is one. */
  readonly layer: PolicyEvaluator | undefined;
  readonly hides: (tool: ToolDeclaration) => boolean;
}

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
