/**
 * A subagent's part of a session: the same scopes, hooks, journal and events; an agent path, tools and a further layer
 * of policy of its own. Whatever the session's own policy says holds here too, and the stricter answer counts.
 */

import { hideTools } from '../catalog/catalog.ts';
import type { Origin } from '../hooks/payloads.ts';
import { LayeredPolicy } from '../policy/layered-policy.ts';
import type { Judge } from '../policy/policy.ts';
import type { ToolDeclaration } from '../tool.ts';
import { type GuardParts, SessionCore } from './core.ts';
import type { Session } from './session.ts';
import { Turn, type TurnPlace } from './turn.ts';

export interface BranchOptions {
  /** The name of the subagent, the last of its agent path. */
  readonly name: string;
  readonly coreType: string;
  /** The further layer of policy. */
  readonly layer: Judge | undefined;
  readonly hides: (tool: ToolDeclaration) => boolean;
}

export class Branch {
  private constructor(private readonly core: SessionCore) {}

  static of(session: Session, options: BranchOptions): Branch {
    return Branch.grow(session.core, options);
  }

  /** A subagent of this subagent. */
  branch(options: BranchOptions): Branch {
    return Branch.grow(this.core, options);
  }

  turn(origin: Origin, resumed?: TurnPlace): Turn {
    return new Turn(this.core, origin, resumed);
  }

  private static grow(parent: SessionCore, options: BranchOptions): Branch {
    const { name, coreType, layer, hides } = options;
    const { parts, facts } = parent;
    const policy = layer === undefined ? parts.policy : new LayeredPolicy(parts.policy, layer);
    const grown: GuardParts = { ...parts, policy, catalog: hideTools(parts.whole, hides) };
    const agent = Object.freeze([...facts.agent, name]);
    return new Branch(new SessionCore(grown, Object.freeze({ ...facts, coreType, agent }), parent));
  }
}
