/**
 * A subagent's part of a session: the same scopes, hooks, journal and events; an agent path, tools and a further layer
 * of policy of its own. Whatever the session's own policy says holds here too, and the stricter answer counts.
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
  /** The name of the subagent, the last of its agent path. */
  readonly name: string;
  readonly coreType: string;
  /** The further layer of policy. */
  readonly layer: PolicyEvaluator | undefined;
  readonly hides: (tool: ToolDeclaration) => boolean;
}

export class SubagentSession {
  private constructor(private readonly core: SessionState) {}

  static of(session: Session, options: SubagentSessionOptions): SubagentSession {
    return SubagentSession.grow(session.core, options);
  }

  /** A subagent of this subagent. */
  subagent(options: SubagentSessionOptions): SubagentSession {
    return SubagentSession.grow(this.core, options);
  }

  turn(origin: TurnOrigin, resumed?: TurnPosition): Turn {
    return new Turn(this.core, origin, resumed);
  }

  private static grow(parent: SessionState, options: SubagentSessionOptions): SubagentSession {
    const { name, coreType, layer, hides } = options;
    const { parts, facts } = parent;
    const policy = layer === undefined ? parts.policy : new LayeredPolicy(parts.policy, layer);
    const grown: GuardParts = { ...parts, policy, catalog: hideTools(parts.whole, hides) };
    const agent = Object.freeze([...facts.agent, name]);
    return new SubagentSession(new SessionState(grown, Object.freeze({ ...facts, coreType, agent }), parent));
  }
}
