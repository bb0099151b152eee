/** Reads `--mcp`: a JSON file with `mcpServers`, as MCP clients use it. Servers get only the variables that it names. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf } from '../../kernel/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import { kindOf } from '../../kernel/kind-of.ts';
import type { McpServerConfig } from '../../mcp/protocol/server-config.ts';
import { type CommandEnv, usageError } from '../command/command-row.ts';

export interface McpServersFile {
  readonly servers: readonly McpServerConfig[];
  /** What was left out, one sentence each. */
  readonly notices: readonly string[];
}

/** Fields that Bridle reads; `type` only says what `command` and `url` say too. */
const knownFields = new Set(['type', 'command', 'args', 'env', 'cwd', 'url', 'headers', 'disabled']);

/** Throws an error with every problem in the file. Further checks of the servers are the agent's. */
export function readMcpServersFile(file: string, env: CommandEnv): McpServersFile {
  const declared = serversIn(file);
  const problems: string[] = [];
  const notices: string[] = [];
  const servers: McpServerConfig[] = [];
  for (const [name, entry] of Object.entries(declared)) {
    const at = `server ${JSON.stringify(name)}`;
    if (!isJsonObject(entry)) {
      problems.push(`${at} is ${kindOf(entry)}, not an object`);
      continue;
    }
    if (entry['disabled'] === true) {
      notices.push(`${file}: ${at} is disabled`);
      continue;
    }
    const { type, disabled: _, ...config } = entry;
    if (type === 'sse' || type === 'ws')
      problems.push(`${at} has the type "${type}", which Bridle does not support; use "http" or "stdio"`);
    const ignored = Object.keys(entry).filter((field) => !knownFields.has(field));
    if (ignored.length > 0) notices.push(`${file}: ${at}: ignored ${ignored.map((field) => `"${field}"`).join(', ')}`);
    const kept = Object.fromEntries(Object.entries(config).filter(([field]) => knownFields.has(field)));
    const expanded = expand(kept, env, (variable) =>
      problems.push(`${at} needs the environment variable ${variable}, which is not set`),
    );
    servers.push({ ...(expanded as JsonObject), name } as unknown as McpServerConfig);
  }
  if (problems.length > 0) throw usageError(`${file}: ${[...new Set(problems)].join('; ')}`);
  return { servers, notices };
}

function serversIn(file: string): JsonObject {
  let read: JsonValue;
  try {
    read = JSON.parse(readFileSync(resolve(file), 'utf8')) as JsonValue;
  } catch (error) {
    throw usageError(`the file of --mcp cannot be read: ${file}: ${messageOf(error)}`);
  }
  const servers = isJsonObject(read) ? read['mcpServers'] : undefined;
  if (servers !== undefined && isJsonObject(servers)) return servers;
  throw usageError(`${file} has no "mcpServers"; expected { "mcpServers": { "<name>": { "command": … } } }`);
}

/** `${VAR}`, `${env:VAR}`, and `${VAR:-default}`. */
const variable = /\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

function expand(value: JsonValue, env: CommandEnv, missing: (variable: string) => void): JsonValue {
  if (typeof value === 'string') {
    return value.replaceAll(variable, (_, name: string, otherwise: string | undefined) => {
      const found = env[name] ?? otherwise;
      if (found === undefined) missing(name);
      return found ?? '';
    });
  }
  if (Array.isArray(value)) return value.map((each) => expand(each, env, missing));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, expand(each, env, missing)]));
}
