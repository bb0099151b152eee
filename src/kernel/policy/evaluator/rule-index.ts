/**
 * Rules by target. A call is compared only with the rules for its exact tool, for its server and for all tools, however
 * many other rules there are.
 */

import type { Decision } from '../../call.ts';
import { getOrCreate } from '../../lazy.ts';
import type { CompiledRule } from './compiled-rule.ts';
import type { Target } from '../rules/rule.ts';

/** The rules of one target. */
export interface TargetRules {
  forbid: readonly CompiledRule[];
  /** By bucket, then registration. */
  rules: readonly CompiledRule[];
  shadow: readonly CompiledRule[];
  /** The constant decision of the first of `rules`, if it has one. Stored here for a fast lookup. */
  first: Decision | undefined;
}

/** The rules for one call by target, from specific to general. */
export type CallRules = readonly TargetRules[];

/** The rules for the tools of one server, or for the local tools. */
interface ServerRules {
  readonly tools: Map<string, TargetRules>;
  /** The rules for every tool of the server, then those for all tools. */
  readonly general: CallRules;
}

export class RuleIndex {
  private readonly servers = new Map<string | undefined, ServerRules>();
  private readonly all: TargetRules = emptyRules();
  private readonly general: CallRules = [this.all];

  constructor(rules: readonly CompiledRule[]) {
    // Sorting is stable: within a bucket, registration order is kept.
    for (const rule of rules.toSorted((a, b) => a.ref.bucket - b.ref.bucket)) {
      const targetRules = this.rulesOf(rule.rule.target);
      const list = rule.rule.shadow === true ? 'shadow' : rule.rule.effect === 'forbid' ? 'forbid' : 'rules';
      if (list === 'rules' && targetRules.rules.length === 0) targetRules.first = rule.constantDecision;
      // Most targets have one rule, so lists start as one shared empty list.
      if (targetRules[list] === none) targetRules[list] = [rule];
      else (targetRules[list] as CompiledRule[]).push(rule);
    }
  }

  /** `aliases` are the other names of the tool. Rules for a local tool already use its canonical name. */
  rulesFor(server: string | undefined, tool: string, aliases: readonly string[] = []): CallRules {
    const ofServer = this.servers.get(server);
    if (ofServer === undefined) return this.general;
    let exact = ofServer.tools.get(tool);
    if (server !== undefined) for (const alias of aliases) exact = merged(exact, ofServer.tools.get(alias));
    return exact === undefined ? ofServer.general : [exact, ...ofServer.general];
  }

  private rulesOf(target: Target): TargetRules {
    if (target.type === 'all') return this.all;
    const { server } = target;
    const ofServer = getOrCreate(this.servers, server, () => ({
      tools: new Map<string, TargetRules>(),
      general: server === undefined ? this.general : [emptyRules(), this.all],
    }));
    return target.type === 'tool'
      ? getOrCreate(ofServer.tools, target.tool, emptyRules)
      : (ofServer.general[0] as TargetRules);
  }
}

const none: readonly CompiledRule[] = Object.freeze([]);

function emptyRules(): TargetRules {
  return { forbid: none, rules: none, shadow: none, first: undefined };
}

/** Merges the rules of two names of a tool. This is rare, so the result is not cached. */
function merged(one: TargetRules | undefined, other: TargetRules | undefined): TargetRules | undefined {
  if (one === undefined || other === undefined || one === other) return one ?? other;
  const both = (part: 'forbid' | 'rules' | 'shadow'): CompiledRule[] =>
    [...one[part], ...other[part]].toSorted((a, b) => a.ref.bucket - b.ref.bucket || a.order - b.order);
  const rules = both('rules');
  return { forbid: both('forbid'), rules, shadow: both('shadow'), first: rules[0]?.constantDecision };
}
