/** The configuration of MCP servers, validated before any server is started. */

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
  /** The timeout for connecting and for each request; defaults: 30 and 60 seconds. */
  readonly timeoutMs?: number | undefined;
  /** Tiers by tool name. A server can't set its tools' tiers; a tool not named here is `confirm`. */
  readonly tiers?: Readonly<Record<string, Tier>> | undefined;
}

/** A server that runs as a child process and communicates over stdin and stdout. */
export interface StdioServerConfig extends AnyServerConfig {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /**
   * Added to a minimal environment; the server gets nothing else from this process's environment. `BRIDLE_AGENT` is set, as
   * for every process an agent starts; no other `BRIDLE_…` variable can be set.
   */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  readonly url?: undefined;
  readonly headers?: undefined;
}

/** A server reached over streamable HTTP. */
export interface HttpServerConfig extends AnyServerConfig {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly command?: undefined;
  readonly args?: undefined;
  readonly env?: undefined;
  readonly cwd?: undefined;
}

/** One MCP server: its declaration, and how to reach it. */
export type McpServerConfig = StdioServerConfig | HttpServerConfig;

const commandOptions = ['args', 'env', 'cwd'];
const urlOptions = ['headers'];
const declarationOptions = ['name', 'enabledTools', 'disabledTools', 'paths', 'touches'];
const knownOptions = [...declarationOptions, 'command', ...commandOptions, 'url', ...urlOptions, 'timeoutMs', 'tiers'];
const maxTimeoutMs = 24 * 60 * 60 * 1000;

/** Returns frozen copies; throws `OPTION_INVALID` with every problem. */
export function checkServerConfigs(servers: unknown): readonly McpServerConfig[] {
  const problems: string[] = [];
  if (!Array.isArray(servers))
    throw new BridleError('OPTION_INVALID', `mcpServers must be a list, not ${kindOf(servers)}`);
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

/** A server's declaration for the guard's catalog. */
export function serverDeclaration(config: McpServerConfig): ServerDeclaration {
  const { name, enabledTools, disabledTools, paths, touches } = config;
  return { name, enabledTools, disabledTools, paths, touches };
}

/** True if the configuration hides the tool: it is not listed and can't be called. */
export function isHidden({ enabledTools, disabledTools }: ServerDeclaration, tool: string): boolean {
  return (enabledTools !== undefined && !enabledTools.includes(tool)) || (disabledTools ?? []).includes(tool);
}

function configProblems(config: JsonObject): string[] {
  const unknown = Object.keys(config).filter((key) => !knownOptions.includes(key));
  const problems = unknown.map((key) => `has an unknown option ${quoteName(key)}${didYouMean(key, knownOptions)}`);
  const { name } = config;
  const named = nameProblem(name, defaultLimits.nameLength);
  if (named !== undefined) problems.push(`has a name that ${named}`);
  else if (typeof name === 'string' && name.includes('/')) problems.push('has a name that contains "/"');
  problems.push(...transportProblems(config));
  for (const list of ['enabledTools', 'disabledTools', 'args']) {
    if (!isTexts(config[list], list === 'args')) problems.push(`${list} must be a list of strings`);
  }
  if (config['enabledTools'] !== undefined && config['disabledTools'] !== undefined) {
    problems.push('has both enabledTools and disabledTools');
  }
  for (const record of ['env', 'headers']) {
    problems.push(...recordProblems(config, record, (value) => (isText(value) ? undefined : 'must be a string')));
  }
  const own = Object.keys(Object(config['env'])).find(isBridleVariable);
  if (own !== undefined) problems.push(`env: ${quoteName(own)} is reserved for Bridle`);
  problems.push(
    ...recordProblems(config, 'paths', (value) => (isTexts(value, false) ? undefined : 'must be a list of strings')),
  );
  problems.push(
    ...recordProblems(config, 'touches', (value) => (isJsonObject(value) ? undefined : 'must be an object')),
  );
  problems.push(
    ...recordProblems(config, 'tiers', (value) =>
      value === 'observe' || value === 'confirm' ? undefined : 'must be observe or confirm',
    ),
  );
  const { timeoutMs } = config;
  if (timeoutMs !== undefined && !(typeof timeoutMs === 'number' && timeoutMs >= 1 && timeoutMs <= maxTimeoutMs)) {
    problems.push(`timeoutMs must be a number from 1 to ${maxTimeoutMs}`);
  }
  return problems;
}

function transportProblems(config: JsonObject): string[] {
  const { command, url, cwd } = config;
  if (command !== undefined && url !== undefined) return ['has both command and url: keep one'];
  if (command === undefined && url === undefined) return ['has no command and no url: add one'];
  const foreign = command === undefined ? commandOptions : urlOptions;
  const owner = command === undefined ? 'command' : 'url';
  const problems = foreign
    .filter((key) => config[key] !== undefined)
    .map((key) => `has ${key}, which needs a ${owner}`);
  if (command !== undefined && (!isText(command) || command === ''))
    problems.push('command must be a non-empty string');
  if (cwd !== undefined && (!isText(cwd) || cwd === '')) problems.push('cwd must be a non-empty string');
  if (url !== undefined) problems.push(...urlProblems(url));
  return problems;
}

function urlProblems(url: JsonValue): string[] {
  const parsed = typeof url === 'string' ? parseUrl(url) : undefined;
  if (parsed === undefined) return ['url is not a valid URL'];
  if (!['http:', 'https:'].includes(parsed.protocol))
    return [`has a url with ${parsed.protocol}; it must be http: or https:`];
  return parsed.username + parsed.password === '' ? [] : ['has a url with a user name or password; use headers'];
}

function recordProblems(
  config: JsonObject,
  field: string,
  problemOf: (value: JsonValue) => string | undefined,
): string[] {
  const record = config[field];
  if (record === undefined) return [];
  if (!isJsonObject(record)) return [`${field} must be an object, not ${kindOf(record)}`];
  return Object.entries(record).flatMap(([key, value]) => {
    const problem = problemOf(value);
    return problem === undefined ? [] : [`${field}: ${quoteName(key)} ${problem}`];
  });
}

/** NUL is refused: the operating system would truncate the text there. */
function isText(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && !value.includes('\0');
}

function isTexts(value: JsonValue | undefined, allowsEmpty: boolean): boolean {
  return (
    value === undefined || (Array.isArray(value) && value.every((each) => isText(each) && (allowsEmpty || each !== '')))
  );
}
