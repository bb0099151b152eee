/** How an MCP server is configured, and everything that can be wrong with that, found before anything is started. */

import type { Tier } from '../../kernel/call.ts';
import { didYouMean, nameProblem, quoteName } from '../../kernel/names.ts';
import { BridleError } from '../../kernel/errors.ts';
import { copyJson, isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import { kindOf } from '../../kernel/kind-of.ts';
import { defaultLimits } from '../../kernel/limits.ts';
import { parseUrl } from '../../facts/net/parse-url.ts';
import { isBridleVariable } from '../../files/agent-environment.ts';
import type { ServerDeclaration } from '../../kernel/tool.ts';

interface AnyServerConfig extends ServerDeclaration {
  /** How long connecting may take, and each request; there are defaults for both. */
  readonly timeoutMs?: number | undefined;
  /** Tiers by tool. What a server says of its own tools never sets one; a tool not named here is `confirm`. */
  readonly tiers?: Readonly<Record<string, Tier>> | undefined;
}

/** A server that is started as a child process and spoken to over its stdin and stdout. */
export interface StdioServerConfig extends AnyServerConfig {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /**
   * Added to a minimal environment; nothing else of this process's environment reaches the server. `BRIDLE_AGENT` is
   * set, as for everything an agent starts, and no other `BRIDLE_…` can be.
   */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  readonly url?: undefined;
  readonly headers?: undefined;
}

/** A server that is spoken to over streamable HTTP. */
export interface HttpServerConfig extends AnyServerConfig {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly command?: undefined;
  readonly args?: undefined;
  readonly env?: undefined;
  readonly cwd?: undefined;
}

/** One MCP server: what is declared about it, and how to reach it. */
export type McpServerConfig = StdioServerConfig | HttpServerConfig;

const commandOptions = ['args', 'env', 'cwd'];
const urlOptions = ['headers'];
const declarationOptions = ['name', 'enabledTools', 'disabledTools', 'paths', 'touches'];
const knownOptions = [...declarationOptions, 'command', ...commandOptions, 'url', ...urlOptions, 'timeoutMs', 'tiers'];
const maxTimeoutMs = 24 * 60 * 60 * 1000;

/** Copies nobody can change any more; throws `OPTION_INVALID` with every problem there is. */
export function checkServerConfigs(servers: unknown): readonly McpServerConfig[] {
  const problems: string[] = [];
  if (!Array.isArray(servers)) throw new BridleError('OPTION_INVALID', `mcpServers is ${kindOf(servers)}, not a list`);
  const seen = new Map<string, number>();
  const copies = servers.map((given: unknown, index) => {
    const copy = copyJson(given, { bytes: defaultLimits.argsBytes, depth: 4 });
    const data = copy.problem === undefined && isJsonObject(copy.value) ? copy.value : undefined;
    const found =
      copy.problem === undefined ? (data === undefined ? ['is not an object'] : configProblems(data)) : [copy.problem];
    const name = data?.['name'];
    if (typeof name === 'string') {
      const other = seen.get(name);
      if (other !== undefined) found.push(`has the name of mcpServers[${other}]`);
      else seen.set(name, index);
    }
    const where = typeof name === 'string' ? `mcpServers[${index}] ${quoteName(name)}` : `mcpServers[${index}]`;
    problems.push(...found.map((problem) => `${where}: ${problem}`));
    return data as unknown as McpServerConfig;
  });
  if (problems.length > 0) throw new BridleError('OPTION_INVALID', problems.join('; '), { problems });
  return copies;
}

/** What the guard's catalog is told about a server. */
export function serverDeclaration(config: McpServerConfig): ServerDeclaration {
  const { name, enabledTools, disabledTools, paths, touches } = config;
  return { name, enabledTools, disabledTools, paths, touches };
}

/** True if the configuration hides the tool: it is neither listed nor callable. */
export function isHidden({ enabledTools, disabledTools }: ServerDeclaration, tool: string): boolean {
  return (enabledTools !== undefined && !enabledTools.includes(tool)) || (disabledTools ?? []).includes(tool);
}

function configProblems(config: JsonObject): string[] {
  const unknown = Object.keys(config).filter((key) => !knownOptions.includes(key));
  const problems = unknown.map((key) => `has an unknown option ${quoteName(key)}${didYouMean(key, knownOptions)}`);
  const { name } = config;
  const named = nameProblem(name, defaultLimits.nameLength);
  if (named !== undefined) problems.push(`has a name that ${named}`);
  else if (typeof name === 'string' && name.includes('/')) problems.push('has a name that holds a "/"');
  problems.push(...transportProblems(config));
  for (const list of ['enabledTools', 'disabledTools', 'args']) {
    if (!isTexts(config[list], list === 'args')) problems.push(`has ${list} that are no list of texts`);
  }
  if (config['enabledTools'] !== undefined && config['disabledTools'] !== undefined) {
    problems.push('has both enabledTools and disabledTools');
  }
  for (const record of ['env', 'headers']) {
    problems.push(...recordProblems(config, record, (value) => (isText(value) ? undefined : 'is no text')));
  }
  const own = Object.keys(Object(config['env'])).find(isBridleVariable);
  if (own !== undefined) problems.push(`has env in which ${quoteName(own)} is of Bridle itself, and not for servers`);
  problems.push(
    ...recordProblems(config, 'paths', (value) => (isTexts(value, false) ? undefined : 'is no list of texts')),
  );
  problems.push(...recordProblems(config, 'touches', (value) => (isJsonObject(value) ? undefined : 'is no object')));
  problems.push(
    ...recordProblems(config, 'tiers', (value) =>
      value === 'observe' || value === 'confirm' ? undefined : 'is neither observe nor confirm',
    ),
  );
  const { timeoutMs } = config;
  if (timeoutMs !== undefined && !(typeof timeoutMs === 'number' && timeoutMs >= 1 && timeoutMs <= maxTimeoutMs)) {
    problems.push(`has a timeoutMs that is no number from 1 to ${maxTimeoutMs}`);
  }
  return problems;
}

function transportProblems(config: JsonObject): string[] {
  const { command, url, cwd } = config;
  if (command !== undefined && url !== undefined) return ['has both command and url'];
  if (command === undefined && url === undefined) return ['has neither command nor url'];
  const foreign = command === undefined ? commandOptions : urlOptions;
  const owner = command === undefined ? 'command' : 'url';
  const problems = foreign
    .filter((key) => config[key] !== undefined)
    .map((key) => `has ${key}, which only a ${owner} takes`);
  if (command !== undefined && (!isText(command) || command === '')) problems.push('has a command that is no text');
  if (cwd !== undefined && (!isText(cwd) || cwd === '')) problems.push('has a cwd that is no text');
  if (url !== undefined) problems.push(...urlProblems(url));
  return problems;
}

function urlProblems(url: JsonValue): string[] {
  const parsed = typeof url === 'string' ? parseUrl(url) : undefined;
  if (parsed === undefined) return ['has a url that is no URL'];
  if (!['http:', 'https:'].includes(parsed.protocol))
    return [`has a url with ${parsed.protocol}; it is http: or https:`];
  return parsed.username + parsed.password === '' ? [] : ['has a url with a user name or password; use headers'];
}

function recordProblems(
  config: JsonObject,
  field: string,
  problemOf: (value: JsonValue) => string | undefined,
): string[] {
  const record = config[field];
  if (record === undefined) return [];
  if (!isJsonObject(record)) return [`has ${field} that are ${kindOf(record)}, not an object`];
  return Object.entries(record).flatMap(([key, value]) => {
    const problem = problemOf(value);
    return problem === undefined ? [] : [`has ${field} in which ${quoteName(key)} ${problem}`];
  });
}

/** A NUL would end a text early where it reaches the kernel. */
function isText(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && !value.includes('\0');
}

function isTexts(value: JsonValue | undefined, allowsEmpty: boolean): boolean {
  return (
    value === undefined || (Array.isArray(value) && value.every((each) => isText(each) && (allowsEmpty || each !== '')))
  );
}
