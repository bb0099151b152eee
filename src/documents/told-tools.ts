/** What a file tells of tools that do not tell it themselves: of your own, and of MCP servers. */

import type { ToolCall } from '../call.ts';
import { pairText } from '../catalog/names.ts';
import type { ToolDeclaration } from '../tool.ts';
import type { DocumentTool, PolicyDocument } from './document.ts';
import type { CallView } from './layer-stack.ts';

type View = (call: ToolCall, tool: ToolDeclaration) => CallView;

/** Sees calls as a file tells of their tools. What a tool declares itself stays; the file only adds to it. */
export function viewBy(document: PolicyDocument): View {
  const told = toldBy(document);
  if (told.size === 0) return (call, tool) => ({ call, tool });
  const seen = new WeakMap<ToolDeclaration, ToolDeclaration>();
  return (call, tool) => {
    const more = toldOf(tool, told);
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

/**
 * Sees calls as any of the files tells of their tools, for rules that hold whatever a file says: only what can make an
 * answer stricter is believed, that an argument is a path, is written, or is run.
 */
export function viewByAll(documents: readonly PolicyDocument[]): View {
  const told = documents.map(toldBy).filter(({ size }) => size > 0);
  if (told.length === 0) return (call, tool) => ({ call, tool });
  const seen = new WeakMap<ToolDeclaration, ToolDeclaration>();
  return (call, tool) => {
    const known =
      seen.get(tool) ??
      tightened(
        tool,
        told.flatMap((each) => toldOf(tool, each) ?? []),
      );
    seen.set(tool, known);
    return { call, tool: known };
  };
}

/** A file may name a tool by an alias. */
function toldOf(
  { server, name, aliases }: ToolDeclaration,
  told: ReadonlyMap<string, DocumentTool>,
): DocumentTool | undefined {
  const own = told.get(pairText(server, name));
  if (own !== undefined) return own;
  const alias = aliases?.names?.find((each) => told.has(pairText(server, each)));
  return alias === undefined ? undefined : told.get(pairText(server, alias));
}

function tightened(tool: ToolDeclaration, told: readonly DocumentTool[]): ToolDeclaration {
  if (told.length === 0) return tool;
  const { touches = {}, paths = [] } = tool;
  const added = (part: 'writes' | 'bash'): readonly string[] => told.flatMap((more) => more.touches?.[part] ?? []);
  return Object.freeze({
    ...tool,
    paths: [...new Set([...paths, ...told.flatMap((more) => more.paths ?? [])])],
    touches: {
      ...touches,
      writes: [...new Set([...(touches.writes ?? []), ...added('writes')])],
      bash: [...new Set([...(touches.bash ?? []), ...added('bash')])],
    },
  });
}

function toldBy(document: PolicyDocument): ReadonlyMap<string, DocumentTool> {
  const told = new Map(document.tools.map((tool) => [tool.target.text, tool]));
  for (const { name, paths = {} } of document.servers ?? []) {
    for (const [tool, names] of Object.entries(paths)) {
      const target = pairText(name, tool);
      const known = told.get(target) ?? { target: { text: target, at: { line: 1, column: 1 } } };
      told.set(target, { ...known, paths: [...(known.paths ?? []), ...names] });
    }
  }
  return told;
}
