/** Finds the MCP servers that are configured in a folder. */

import { nameProblem, quoteName } from '../../../kernel/names.ts';
import type { FolderView } from './folder-view.ts';
import type { McpConfiguration } from './project.ts';
import { objectIn, readJsonc } from './read-jsonc.ts';

/** Each file, and the field that lists its servers. */
const jsonFiles: readonly (readonly [file: string, field: string])[] = [
  ['.mcp.json', 'mcpServers'],
  ['mcp.json', 'mcpServers'],
  ['.cursor/mcp.json', 'mcpServers'],
  ['.vscode/mcp.json', 'servers'],
  ['.gemini/settings.json', 'mcpServers'],
  ['.windsurf/mcp_config.json', 'mcpServers'],
  ['.roo/mcp.json', 'mcpServers'],
  ['claude_desktop_config.json', 'mcpServers'],
];
const codexFile = '.codex/config.toml';
const maxServers = 50;
const maxNameLength = 64;

export interface FoundServers {
  readonly configurations: readonly McpConfiguration[];
  readonly notes: readonly string[];
}

export function findMcpServers(view: FolderView): FoundServers {
  const notes: string[] = [];
  const named = [
    ...jsonFiles.map(([file, field]) => ({ file, ...jsonServers(view, file, field) })),
    codexServers(view),
  ];
  const configurations = named.flatMap(({ file, servers, problem }) => {
    if (problem !== undefined) notes.push(problem);
    const fit = servers.filter((name) => {
      const problemOfName = serverProblem(name);
      if (problemOfName !== undefined)
        notes.push(`the server ${quoteName(name)} in ${file}, because its name ${problemOfName}`);
      return problemOfName === undefined;
    });
    if (fit.length > maxServers) notes.push(`${fit.length - maxServers} of ${fit.length} servers in ${file}`);
    return fit.length === 0 ? [] : [{ file, servers: fit.slice(0, maxServers) }];
  });
  return { configurations, notes };
}

interface NamedServers {
  readonly file?: string;
  readonly servers: readonly string[];
  readonly problem?: string | undefined;
}

function jsonServers(view: FolderView, file: string, field: string): NamedServers {
  if (!view.has(file)) return { servers: [] };
  const text = view.text(file);
  const settings = text === undefined ? undefined : readJsonc(text);
  if (settings === undefined) return { servers: [], problem: `the servers in ${file}, which cannot be read as JSON` };
  return { servers: Object.keys(objectIn(settings, field) ?? {}) };
}

/** Only table headings are read: `[mcp_servers.github]`. */
function codexServers(view: FolderView): NamedServers & { readonly file: string } {
  const text = view.text(codexFile) ?? '';
  const headings = text.matchAll(/^[ \t]*\[[ \t]*mcp_servers\.(?:"([^"\n\\]{1,80})"|([\w-]{1,80}))[ \t]*[\].]/gm);
  const names = Array.from(headings, ([, quoted, bare]) => quoted ?? bare ?? '');
  return { file: codexFile, servers: [...new Set(names)] };
}

/** Stricter than the rules for server names, so that the generated policy is easy to read. */
function serverProblem(name: string): string | undefined {
  const problem = nameProblem(name, maxNameLength);
  if (problem !== undefined) return problem;
  return /^[\w.@-]+$/.test(name) ? undefined : 'contains characters other than letters, digits, ".", "_", "-" and "@"';
}
