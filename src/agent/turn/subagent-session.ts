/**
 * A subagent's part of a session. It shares scopes, hooks, journal and events, and has its own agent path, tools and an
 * additional policy layer. The session's policy applies too, and the stricter decision wins.
 */

import { hideTools } from '../../kernel/catalog/catalog.ts';
import type { TurnOrigin } from '../../kernel/hooks/points/payloads.ts';
import { LayeredPolicy } from '../../kernel/policy/evaluator/layered-policy.ts';
import type { PolicyEvaluator } from '../../kernel/policy/evaluator/policy.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { type GuardParts, SessionState } from '../../kernel/guard/state/session-state.ts';
import type { Session } from '../../kernel/guard/session.ts';
import { Turn, type TurnPosition } from '../../kernel/guard/turn.ts';

export interface SubagentSessionOptions {
  /** The name of the subagent, the last part of its agent path. */
  readonly name: string;
  readonly loopName: string;
  /** The additional policy layer. */
  readonly layer: PolicyEvaluator | undefined;
  readonly hides: (tool: ToolDeclaration) => boolean;
}

export class SubagentSession {
  private constructor(private readonly state: SessionState) {}

  static of(session: Session, options: SubagentSessionOptions): SubagentSession {
    return SubagentSession.grow(session.sessionState, options);
  }

  /** Creates a subagent of this subagent. */
  subagent(options: SubagentSessionOptions): SubagentSession {
    return SubagentSession.grow(this.state, options);
  }

  turn(origin: TurnOrigin, resumed?: TurnPosition): Turn {
    return new Turn(this.state, origin, resumed);
  }

  private static grow(parent: SessionState, options: SubagentSessionOptions): SubagentSession {
    const { name, loopName, layer, hides } = options;
    const { parts, info } = parent;
    const policy = layer === undefined ? parts.policy : new LayeredPolicy(parts.policy, layer);
    const grown: GuardParts = { ...parts, policy, visibleTools: hideTools(parts.allTools, hides) };
    const agent = Object.freeze([...info.agent, name]);
    return new SubagentSession(new SessionState(grown, Object.freeze({ ...info, loopName, agent }), parent));
  }
}
