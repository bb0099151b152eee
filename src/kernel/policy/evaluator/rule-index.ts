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

export class RuleIndex {
  private readonly local = new Map<string, TargetRules>();
  private readonly servers = new Map<string, { readonly tools: Map<string, TargetRules>; readonly all: TargetRules }>();
  private readonly all: TargetRules = emptyRules();

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
    if (server === undefined) {
      const exact = this.local.get(tool);
      return exact === undefined ? [this.all] : [exact, this.all];
    }
    const ofServer = this.servers.get(server);
    if (ofServer === undefined) return [this.all];
    let exact = ofServer.tools.get(tool);
    for (const alias of aliases) exact = merged(exact, ofServer.tools.get(alias));
    return exact === undefined ? [ofServer.all, this.all] : [exact, ofServer.all, this.all];
  }

  private rulesOf(target: Target): TargetRules {
    switch (target.type) {
      case 'all':
        return this.all;
      case 'server':
        return this.serverRules(target.server).all;
      case 'tool':
        return getOrCreate(
          target.server === undefined ? this.local : this.serverRules(target.server).tools,
          target.tool,
          emptyRules,
        );
      default:
        return target satisfies never;
    }
  }

  private serverRules(server: string): { readonly tools: Map<string, TargetRules>; readonly all: TargetRules } {
    return getOrCreate(this.servers, server, () => ({ tools: new Map(), all: emptyRules() }));
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
