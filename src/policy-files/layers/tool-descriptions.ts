/** Adds what a policy file declares about tools: your own, and those of MCP servers. */

import { pairText } from '../../kernel/names.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import type { PolicyFileTool, PolicyFile } from '../policy-file.ts';
import type { CallViewer } from './layers.ts';

/** Views calls with the declarations of a file. The file adds to a tool's own declaration and never replaces it. */
export function callViewOf(policyFile: PolicyFile): CallViewer {
  const descriptions = descriptionsIn(policyFile);
  if (descriptions.size === 0) return (call, tool) => ({ call, tool });
  const merged = new WeakMap<ToolDeclaration, ToolDeclaration>();
  return (call, tool) => {
    const description = descriptionOf(tool, descriptions);
    if (description === undefined) return { call, tool };
    let described = merged.get(tool);
    if (described === undefined) {
      const paths = [...new Set([...(tool.paths ?? []), ...(description.paths ?? [])])];
      described = Object.freeze({
        ...tool,
        tier: description.tier ?? tool.tier,
        paths,
        touches: tool.touches ?? description.touches,
      });
      merged.set(tool, described);
    }
    return {
      call: description.tier === undefined ? call : Object.freeze({ ...call, tier: description.tier }),
      tool: described,
    };
  };
}

/**
 * Views calls with the declarations of all files, for rules that apply regardless of the files. Only declarations that
 * can make a decision stricter are used: that an argument is a path, is written to, or is run.
 */
export function strictestCallView(policyFiles: readonly PolicyFile[]): CallViewer {
  const descriptions = policyFiles.map(descriptionsIn).filter(({ size }) => size > 0);
  if (descriptions.length === 0) return (call, tool) => ({ call, tool });
  const merged = new WeakMap<ToolDeclaration, ToolDeclaration>();
  return (call, tool) => {
    const described =
      merged.get(tool) ??
      withStricterDescriptions(
        tool,
        descriptions.flatMap((each) => descriptionOf(tool, each) ?? []),
      );
    merged.set(tool, described);
    return { call, tool: described };
  };
}

/** A file may name a tool by an alias. */
function descriptionOf(
  { server, name, aliases }: ToolDeclaration,
  descriptions: ReadonlyMap<string, PolicyFileTool>,
): PolicyFileTool | undefined {
  const own = descriptions.get(pairText(server, name));
  if (own !== undefined) return own;
  const alias = aliases?.names?.find((each) => descriptions.has(pairText(server, each)));
  return alias === undefined ? undefined : descriptions.get(pairText(server, alias));
}

function withStricterDescriptions(tool: ToolDeclaration, descriptions: readonly PolicyFileTool[]): ToolDeclaration {
  if (descriptions.length === 0) return tool;
  const { touches = {}, paths = [] } = tool;
  const added = (part: 'writes' | 'bash'): readonly string[] =>
    descriptions.flatMap((more) => more.touches?.[part] ?? []);
  return Object.freeze({
    ...tool,
    paths: [...new Set([...paths, ...descriptions.flatMap((more) => more.paths ?? [])])],
    touches: {
      ...touches,
      writes: [...new Set([...(touches.writes ?? []), ...added('writes')])],
      bash: [...new Set([...(touches.bash ?? []), ...added('bash')])],
    },
  });
}

function descriptionsIn(policyFile: PolicyFile): ReadonlyMap<string, PolicyFileTool> {
  const descriptions = new Map(policyFile.tools.map((tool) => [tool.target.text, tool]));
  for (const { name, paths = {} } of policyFile.servers ?? []) {
    for (const [tool, names] of Object.entries(paths)) {
      const target = pairText(name, tool);
      const known = descriptions.get(target) ?? { target: { text: target, at: { line: 1, column: 1 } } };
      descriptions.set(target, { ...known, paths: [...(known.paths ?? []), ...names] });
    }
  }
  return descriptions;
}
