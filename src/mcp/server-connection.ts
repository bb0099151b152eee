/**
 * A connection to one MCP server that outlives the server: when the server dies, the call it was running fails and the
 * next one connects anew. Every tool list is compared with the pins before anything of it is called, and a server whose
 * list cannot be read has no tools that can be called.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { quoteName } from '../catalog/names.ts';
import { BridleError, messageOf } from '../errors.ts';
import { cutText, type JsonObject, type JsonValue, sameJson } from '../json.ts';
import type { ToolDeclaration } from '../tool.ts';
import { Link, requestLimit, untilAborted } from './link.ts';
import type { CallOptions, ConnectOptions, McpConnection } from './mcp-connection.ts';
import { defaultMcpLimits, type McpLimits } from './mcp-limits.ts';
import { readServerTools, type McpTool, type ServerTools } from './mcp-tool.ts';
import { isHidden, type McpServerConfig } from './server-config.ts';
import { fetchTools, type ToolList } from './tool-list.ts';
import { readResult } from './tool-result.ts';

const settleMs = 50;
const mostRefreshes = 3;
const defaultRetryMs = [0, 250, 1000];
const firstCoolDownMs = 1000;
const mostCoolDownMs = 60_000;

export class ServerConnection implements McpConnection {
  readonly server: string;
  private readonly limits: McpLimits;
  private readonly closing = new AbortController();
  private listed: ServerTools = { tools: [], declarations: [], definitions: new Map(), warnings: [] };
  private link: Link | undefined;
  private connecting: Promise<void> | undefined;
  private closed: Promise<void> | undefined;
  /** Why nothing can be called: the list changed and was not read again. */
  private stale = false;
  private hasListed = false;
  private refreshing: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private failedRounds = 0;
  private notBefore = 0;
  private lastFailure = '';

  constructor(
    private readonly config: McpServerConfig,
    private readonly options: ConnectOptions,
  ) {
    this.server = config.name;
    this.limits = { ...defaultMcpLimits, ...options.limits };
  }

  get tools(): readonly McpTool[] {
    return this.listed.tools;
  }

  get declarations(): readonly ToolDeclaration[] {
    return this.listed.declarations;
  }

  get warnings(): readonly string[] {
    return this.listed.warnings;
  }

  get pid(): number | undefined {
    return this.link?.pid;
  }

  async call(tool: string, args: JsonObject, { signal, attach }: CallOptions = {}): Promise<JsonValue> {
    signal?.throwIfAborted();
    const link = await untilAborted(this.ready(), signal);
    const definition = this.listed.definitions.get(tool);
    if (definition === undefined || isHidden(this.config, tool)) {
      throw new BridleError('MCP_CALL_FAILED', `server ${quoteName(this.server)} has no tool ${quoteName(tool)}`);
    }
    const held = this.options.pins.whyHeld(this.server, tool);
    if (held !== undefined) throw new BridleError('MCP_TOOL_HELD', held);
    let raw: unknown;
    try {
      raw = await link.callTool(definition, args, { signal, timeoutMs: requestLimit(this.config) });
    } catch (error) {
      signal?.throwIfAborted();
      throw this.explain(error, tool, link);
    }
    return readResult(raw, { limits: this.limits, attach });
  }

  close(): Promise<void> {
    this.closed ??= this.end();
    return this.closed;
  }

  /** One try. */
  async connect(signal: AbortSignal | undefined): Promise<void> {
    const signals = [this.closing.signal, ...(signal === undefined ? [] : [signal])];
    let link: Link | undefined;
    try {
      link = await Link.open(this.config, {
        limits: this.limits,
        signal: AbortSignal.any(signals),
        onLost: (lost, how) => this.onLost(lost, how),
        onListChanged: () => this.onListChanged(),
      });
      await this.list(link, AbortSignal.any(signals));
      if (link.lost !== undefined) throw new BridleError('MCP_SERVER_FAILED', link.lost);
      this.link = link;
    } catch (error) {
      await link?.close();
      this.closing.signal.throwIfAborted();
      signal?.throwIfAborted();
      throw this.failure(`cannot connect to ${this.place()}`, error);
    }
  }

  private async end(): Promise<void> {
    clearTimeout(this.timer);
    this.closing.abort(this.failure('it was disconnected'));
    const { link } = this;
    this.link = undefined;
    await link?.close();
    await this.connecting?.catch(() => undefined);
  }

  /** A link that works and whose list has been read. */
  private async ready(): Promise<Link> {
    this.closing.signal.throwIfAborted();
    if (this.link === undefined) {
      this.connecting ??= this.reconnect().finally(() => (this.connecting = undefined));
      await this.connecting;
    }
    for (let tries = 0; this.stale && this.link !== undefined; tries++) {
      if (tries === mostRefreshes) throw this.failure('its tool list does not come to rest');
      await this.refresh();
    }
    this.closing.signal.throwIfAborted();
    if (this.link === undefined) throw this.failure('it is gone again');
    return this.link;
  }

  /** A few tries with growing waits; a server that stays away is then left alone for a while. */
  private async reconnect(): Promise<void> {
    const left = Math.ceil(this.notBefore - performance.now());
    if (left > 0) throw new BridleError('MCP_SERVER_FAILED', `${this.lastFailure} (next try in ${left} ms)`);
    let failure: unknown;
    for (const ms of this.options.retryMs ?? defaultRetryMs) {
      if (ms > 0) await sleep(ms, undefined, { signal: this.closing.signal }).catch(() => undefined);
      this.closing.signal.throwIfAborted();
      try {
        await this.connect(undefined);
        this.failedRounds = 0;
        this.tell(() => this.options.onReconnected?.());
        return;
      } catch (error) {
        failure = error;
      }
    }
    this.closing.signal.throwIfAborted();
    this.lastFailure = messageOf(failure);
    this.notBefore = performance.now() + Math.min(mostCoolDownMs, firstCoolDownMs * 2 ** this.failedRounds++);
    throw failure;
  }

  private onLost(link: Link, how: string): void {
    if (this.link !== link) return;
    this.link = undefined;
    this.tell(() => this.options.onLost?.(how));
  }

  /** Waits for more of the same, but not longer for each: a server that never stops telling must not put it off. */
  private onListChanged(): void {
    this.stale = true;
    if (this.timer !== undefined) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      if (this.link === undefined || !this.stale) return;
      this.refresh().catch((error: unknown) => this.warn([messageOf(error)]));
    }, settleMs);
    this.timer.unref();
  }

  private refresh(): Promise<void> {
    this.refreshing ??= this.relist().finally(() => (this.refreshing = undefined));
    return this.refreshing;
  }

  private async relist(): Promise<void> {
    const { link } = this;
    if (link === undefined) return;
    try {
      await this.list(link, this.closing.signal);
    } catch (error) {
      this.stale = true;
      this.dropIfBroken(link, error);
      throw this.failure('its tools changed and cannot be listed', error);
    }
  }

  private async list(link: Link, signal: AbortSignal): Promise<void> {
    // A change told from here on is one of a later list.
    this.stale = false;
    const found = await this.fetch(link, signal);
    const listed = readServerTools(this.config, found, this.options.toSchema);
    const held = await this.options.pins.review(this.config, [...listed.definitions.values()]);
    const visible = held.filter(({ tool }) => !isHidden(this.config, tool));
    const isFirst = !this.hasListed;
    this.hasListed = true;
    const isSame = sameJson(dataOf(this.listed), dataOf(listed));
    this.listed = listed;
    this.warn(listed.warnings);
    if (visible.length > 0 || !(isFirst || isSame)) this.tell(() => this.options.onToolsChanged?.(this, visible));
  }

  private async fetch(link: Link, signal: AbortSignal): Promise<ToolList> {
    if (!link.hasTools) return { tools: [], warnings: ['it offers no tools'] };
    const timeoutMs = requestLimit(this.config);
    const limit = AbortSignal.timeout(timeoutMs);
    const limits = { signal: AbortSignal.any([signal, limit]), timeoutMs };
    try {
      return await fetchTools((cursor) => link.listPage(cursor, limits), this.limits);
    } catch (error) {
      signal.throwIfAborted();
      const late = limit.aborted || link.isTimeout(error);
      if (!late && link.lost === undefined) throw error;
      const why = late ? `it did not list its tools within ${timeoutMs} ms` : (link.lost ?? '');
      throw new BridleError('MCP_SERVER_FAILED', why, { cause: error });
    }
  }

  private explain(error: unknown, tool: string, link: Link): BridleError {
    this.closing.signal.throwIfAborted();
    const who = `server ${quoteName(this.server)}`;
    const fail = (why: string): BridleError =>
      new BridleError('MCP_CALL_FAILED', cutText(why, 2 * this.limits.reasonLength), { cause: error });
    if (link.isAnswer(error)) return fail(`${who} refused ${quoteName(tool)}: ${messageOf(error)}`);
    if (link.isTimeout(error)) {
      return fail(`${who} did not answer ${quoteName(tool)} within ${requestLimit(this.config)} ms`);
    }
    this.dropIfBroken(link, error);
    return fail(`${who} was lost while ${quoteName(tool)} ran: ${link.lost ?? messageOf(error)}`);
  }

  /** Over HTTP nothing tells that a server is gone, or has forgotten the session, but a request that fails. */
  private dropIfBroken(link: Link, error: unknown): void {
    if (!link.isHttp || link.lost !== undefined || link.isAnswer(error) || link.isTimeout(error)) return;
    this.onLost(link, messageOf(error));
    void link.close();
  }

  private failure(what: string, cause?: unknown): BridleError {
    const why = cause === undefined ? '' : `: ${cutText(messageOf(cause), 2 * this.limits.reasonLength)}`;
    return new BridleError('MCP_SERVER_FAILED', `server ${quoteName(this.server)}: ${what}${why}`, { cause });
  }

  /** Arguments and queries may hold secrets, so they are not told. */
  private place(): string {
    const { command, url } = this.config;
    return command === undefined ? new URL(url).origin : quoteName(command);
  }

  private warn(messages: readonly string[]): void {
    for (const message of messages)
      this.tell(() => this.options.onWarning?.(`server ${quoteName(this.server)}: ${message}`));
  }

  /** Who listens must not be able to break what it listens to. */
  private tell(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      queueMicrotask(() =>
        process.emitWarning(`a listener of server ${quoteName(this.server)} failed: ${messageOf(error)}`),
      );
    }
  }
}

function dataOf({ definitions }: ServerTools): JsonValue {
  return [...definitions] as unknown as JsonValue;
}
