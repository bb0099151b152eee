/** Which MCP server a tool of Codex belongs to. */

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { HostEnv } from '../host.ts';

export interface ServerTool {
  readonly server: string;
  readonly tool: string;
}

const header = /^\s*\[\s*mcp_servers\s*\.\s*(?:"([^"\\\n]+)"|'([^'\n]+)'|([\w-]+))/gm;
const maxBytes = 1024 * 1024;

/**
 * Codex names a tool `mcp__<server>__<tool>` and replaces characters of both names by `_`. Returns every pair that the
 * name may stand for: one if it can be read in one way, or if one configured server has this name.
 */
export function serverTools(name: string, env: HostEnv, project: string): readonly ServerTool[] {
  const splits = possibleNames(name);
  const [only] = splits;
  if (splits.length === 1 && only !== undefined && only.tool !== '' && /^[a-zA-Z0-9]+$/.test(only.server))
    return [only];
  const home = env['CODEX_HOME'] || join(env['HOME'] ?? '', '.codex');
  const servers = new Set(
    [home, join(project, '.codex')].flatMap((folder) => configuredServers(join(folder, 'config.toml'))),
  );
  return splits.flatMap(({ server, tool }) =>
    [...servers]
      .filter((each) => each.replaceAll(/[^a-zA-Z0-9_]/g, '_') === server)
      .map((each) => ({ server: each, tool })),
  );
}

/** Every way to split the name, with the characters as they are in it. */
export function possibleNames(name: string): readonly ServerTool[] {
  const parts = name.slice('mcp__'.length).split('__');
  const splits = parts.slice(1).map((_, index) => ({
    server: parts.slice(0, index + 1).join('__'),
    tool: parts.slice(index + 1).join('__'),
  }));
  return splits.filter(({ server, tool }) => server !== '' && tool !== '');
}

function configuredServers(file: string): readonly string[] {
  try {
    if (statSync(file).size > maxBytes) return [];
    return Array.from(
      readFileSync(file, 'utf8').matchAll(header),
      ([, basic, text, bare]) => basic ?? text ?? bare ?? '',
    );
  } catch {
    return [];
  }
}
