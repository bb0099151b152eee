/** Deciding by the rules that are about a call, where compiling all of them would be most of the work of a short run. */

import type { ToolCall } from '../call.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Policy } from '../policy/policy.ts';
import type { PlacedText, PolicyDocument } from './document.ts';
import type { LayerSurroundings } from './layer-surroundings.ts';

/** Whether the rules for a target belong to a part of a policy. */
export type IsAbout = (target: PlacedText) => boolean;

/** True if compiling it has found nothing wrong before and can find nothing now: servers and strictness need more. */
export function isTakenBefore(document: PolicyDocument, { checked, options }: LayerSurroundings): boolean {
  const { strict, servers, rules } = document;
  if (!checked || strict === true || servers !== undefined) return false;
  if (options.tools === undefined || options.approver === undefined) return false;
  return rules.every(({ targets }) => targets.every(({ text }) => !text.includes('/')));
}

/** Answers as long as all calls are of one tool; undefined from the first other one on. */
export function decideNarrowly(
  catalog: Catalog,
  compile: (isAbout: IsAbout) => Policy,
): (call: ToolCall) => Policy | undefined {
  let narrow: { readonly server: string | undefined; readonly tool: string; readonly policy: Policy } | undefined;
  let isOver = false;
  return ({ server, tool }) => {
    if (isOver) return undefined;
    narrow ??= { server, tool, policy: compile(about(server, tool, catalog)) };
    isOver = narrow.server !== server || narrow.tool !== tool;
    return isOver ? undefined : narrow.policy;
  };
}

/** No target names a server here, and those for local tools may name them by an alias. */
function about(server: string | undefined, tool: string, catalog: Catalog): IsAbout {
  const isNamed = (text: string): boolean => (catalog.canonical(undefined, text)?.name ?? text) === tool;
  return ({ text }) => text === '*' || (server === undefined && isNamed(text));
}
