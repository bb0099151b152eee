/** What a file tells of tools that do not tell it themselves: of your own, and of MCP servers. */

import type { ToolCall } from '../call.ts';
import { pairText } from '../catalog/names.ts';
import type { ToolDeclaration } from '../tool.ts';
import type { PolicyDocument } from './document.ts';
import type { CallView } from './layer-stack.ts';

/** Sees calls as a file tells of their tools. What a tool declares itself stays; the file only adds to it. */
export function viewBy(document: PolicyDocument): (call: ToolCall, tool: ToolDeclaration) => CallView {
  const told = new Map(document.tools.map((tool) => [tool.target.text, tool]));
  for (const { name, paths = {} } of document.servers ?? []) {
    for (const [tool, names] of Object.entries(paths)) {
      const target = pairText(name, tool);
      const known = told.get(target) ?? { target: { text: target, at: { line: 1, column: 1 } } };
      told.set(target, { ...known, paths: [...(known.paths ?? []), ...names] });
    }
  }
  if (told.size === 0) return (call, tool) => ({ call, tool });
  const seen = new WeakMap<ToolDeclaration, ToolDeclaration>();
  return (call, tool) => {
    const more = told.get(pairText(tool.server, tool.name));
    if (more === undefined) return { call, tool };
    let merged = seen.get(tool);
    if (merged === undefined) {
      const paths = [...new Set([...(tool.paths ?? []), ...(more.paths ?? [])])];
      merged = Object.freeze({ ...tool, tier: more.tier ?? tool.tier, paths, touches: tool.touches ?? more.touches });
      seen.set(tool, merged);
    }
    return { call: more.tier === undefined ? call : Object.freeze({ ...call, tier: more.tier }), tool: merged };
  };
}
