/**
 * Rules by target. A call meets only the rules of its own buckets: those for its exact tool, for its server and for
 * everything, however many others there are.
 */

import type { CompiledRule } from './compiled-rule.ts';
import type { Target } from './rule.ts';

/** The rules of one target: `rules` run by bucket, then registration. */
export interface Lane {
  readonly forbid: CompiledRule[];
  readonly rules: CompiledRule[];
  readonly shadow: CompiledRule[];
}

/** The lanes of one call, from specific to general. */
export type Lanes = readonly Lane[];

export class RuleIndex {
  private readonly local = new Map<string, Lane>();
  private readonly servers = new Map<string, { readonly tools: Map<string, Lane>; readonly all: Lane }>();
  private readonly all: Lane = newLane();

  constructor(rules: readonly CompiledRule[]) {
    // Sorting is stable: inside a bucket, registration order stays.
    for (const rule of rules.toSorted((a, b) => a.ref.bucket - b.ref.bucket)) {
      const lane = this.laneOf(rule.rule.target);
      if (rule.rule.shadow === true) lane.shadow.push(rule);
      else if (rule.rule.effect === 'forbid') lane.forbid.push(rule);
      else lane.rules.push(rule);
    }
  }

  lanes(server: string | undefined, tool: string): Lanes {
    if (server === undefined) {
      const exact = this.local.get(tool);
      return exact === undefined ? [this.all] : [exact, this.all];
    }
    const shelf = this.servers.get(server);
    if (shelf === undefined) return [this.all];
    const exact = shelf.tools.get(tool);
    return exact === undefined ? [shelf.all, this.all] : [exact, shelf.all, this.all];
  }

  private laneOf(target: Target): Lane {
    switch (target.type) {
      case 'all':
        return this.all;
      case 'server':
        return this.shelf(target.server).all;
      case 'tool':
        return getOrMake(
          target.server === undefined ? this.local : this.shelf(target.server).tools,
          target.tool,
          newLane,
        );
      default:
        return target satisfies never;
    }
  }

  private shelf(server: string): { readonly tools: Map<string, Lane>; readonly all: Lane } {
    return getOrMake(this.servers, server, () => ({ tools: new Map(), all: newLane() }));
  }
}

function newLane(): Lane {
  return { forbid: [], rules: [], shadow: [] };
}

function getOrMake<T>(map: Map<string, T>, key: string, make: () => T): T {
  let found = map.get(key);
  if (found === undefined) {
    found = make();
    map.set(key, found);
  }
  return found;
}

/** 0 to 8: specific before general, and at one level deny before ask before allow. Forbid stands above. */
export function bucketOf(effect: 'allow' | 'deny' | 'ask' | 'forbid', target: Target): number {
  if (effect === 'forbid') return -1;
  const level = { tool: 0, server: 3, all: 6 }[target.type];
  return level + { deny: 0, ask: 1, allow: 2 }[effect];
}
